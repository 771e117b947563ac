//! Weights, and the parts that both networks have.

use crate::balls::{Arithmetic, Ball, Matrix, Norm};
use crate::json::{base64, require, Checked, Json};
use std::collections::{BTreeMap, BTreeSet};

/// Weights by name, each with its shape; all are finite numbers of one type.
pub struct Weights {
    pub arrays: BTreeMap<String, (Vec<usize>, Vec<f64>)>,
    pub arithmetic: Arithmetic,
}

impl Weights {
    pub fn read(value: &Json) -> Checked<Weights> {
        let fields = value.object()?;
        require(fields.windows(2).all(|two| two[0].0 < two[1].0), "weights stand in order")?;
        let (mut arrays, mut types) = (BTreeMap::new(), BTreeSet::new());
        for (name, packed) in fields {
            let parts = packed.fields(&["type", "shape", "base64"])?;
            let (kind, shape) = (parts[0].text()?, parts[1].counts()?);
            types.insert(kind);
            let size = if kind == "float32" { 4 } else { 8 };
            let bytes = base64(parts[2].text()?)?;
            let mut numbers = Vec::new();
            for raw in bytes.chunks(size) {
                let mut eight = [0; 8];
                eight[..raw.len()].copy_from_slice(raw);
                let small = f32::from_bits(u64::from_le_bytes(eight) as u32) as f64;
                numbers.push(if size == 4 { small } else { f64::from_le_bytes(eight) });
            }
            let count = shape.iter().fold(size, |product, length| product.saturating_mul(*length));
            require(bytes.len() == count, "arrays are as long as their shapes say")?;
            require(numbers.iter().all(|number| number.is_finite()), "weights are numbers")?;
            arrays.insert(name.clone(), (shape, numbers));
        }
        require(types.len() == 1, "weights are of one type")?;
        Ok(Weights { arrays, arithmetic: Arithmetic::of(types.iter().next().unwrap_or(&""))? })
    }

    pub fn require_shapes(&self, shapes: &[(String, Vec<usize>)]) -> Checked<()> {
        require(self.arrays.len() == shapes.len(), "weights are those of the settings")?;
        shapes.iter().try_for_each(|(name, shape)| {
            let same = self.arrays.get(name).map_or(false, |(own, _)| own == shape);
            require(same, &format!("{name} has the shape that settings say"))
        })
    }

    /// Return the rows of an array; one of one axis is one row.
    pub fn rows(&self, name: &str) -> Vec<Vec<f64>> {
        let (shape, numbers) = &self.arrays[name];
        numbers.chunks(shape[shape.len() - 1]).map(<[f64]>::to_vec).collect()
    }

    /// Return some rows of a matrix, with its biases or with none.
    pub fn matrix(&self, name: &str, first: usize, count: usize) -> Matrix {
        let cut = |numbers: &[f64]| numbers[first..first + count].to_vec();
        let bias = self.arrays.get(&format!("{name}.bias")).map(|(_, numbers)| cut(numbers));
        let rows = self.rows(&format!("{name}.weight"))[first..first + count].to_vec();
        Matrix::new(rows, bias.unwrap_or_else(|| vec![0.0; count]))
    }

    pub fn whole(&self, name: &str) -> Matrix {
        self.matrix(name, 0, self.arrays[&format!("{name}.weight")].0[0])
    }

    pub fn norm(&self, name: &str) -> Norm {
        let part = |part: &str| self.arrays[&format!("{name}.{part}")].1.clone();
        Norm { weight: part("weight"), bias: part("bias") }
    }
}

/// Bits of memory: numbers whose signs are written, and vectors that are read again.
pub struct Memory {
    pub write: Matrix,
    pub read: Matrix,
    /// Of what is read; networks in rational arithmetic have none.
    pub norm: Option<Norm>,
    /// The number as which a bit that is off is read.
    pub off: f64,
}

impl Memory {
    pub fn new(weights: &Weights, off: f64) -> Memory {
        let (write, read) = (weights.whole("memory.write"), weights.whole("memory.read"));
        let normed = weights.arrays.contains_key("memory.norm.weight");
        Memory { write, read, norm: normed.then(|| weights.norm("memory.norm")), off }
    }

    pub fn recall(&self, arithmetic: &Arithmetic, code: &[bool]) -> Ball {
        let signs: Vec<f64> = code.iter().map(|bit| if *bit { 1.0 } else { self.off }).collect();
        let read = arithmetic.linear(&self.read, &Ball::exact(&signs));
        match &self.norm {
            Some(norm) => arithmetic.layer_norm(&read, norm),
            None => read,
        }
    }
}

/// Shapes that both networks have.
pub fn common_shapes(
    settings: &Json,
    width: usize,
    normed: bool,
) -> Checked<Vec<(String, Vec<usize>)>> {
    let (bits, classes) = (settings.setting("num_bits", 1)?, settings.setting("num_classes", 1)?);
    let mut shapes = named_shapes(
        "",
        &[
            ("memory.write.weight", &[bits, width]),
            ("memory.write.bias", &[bits]),
            ("memory.read.weight", &[width, bits]),
            ("memory.read.bias", &[width]),
            ("answer.weight", &[classes, width]),
            ("answer.bias", &[classes]),
        ],
    );
    if normed {
        shapes.extend(named_shapes("memory.norm.", &[("weight", &[width]), ("bias", &[width])]));
    }
    Ok(shapes)
}

pub fn named_shapes(prefix: &str, shapes: &[(&str, &[usize])]) -> Vec<(String, Vec<usize>)> {
    shapes.iter().map(|(name, shape)| (format!("{prefix}{name}"), shape.to_vec())).collect()
}
