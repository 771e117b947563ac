//! Step 2 for recurrences: networks with binary memory that read symbol by symbol.

use crate::balls::{Arithmetic, Ball, Matrix};
use crate::json::{require, Checked, Json};
use crate::weights::{common_shapes, named_shapes, Memory, Weights};

/// A recurrent network with binary memory.
pub struct Recurrence {
    pub arithmetic: Arithmetic,
    pub start: Ball,
    /// By gate, of which a GRU has three, reset, keep and new, and other cells have one.
    pub symbols: Vec<Vec<Ball>>,
    pub recurrent: Vec<Matrix>,
    /// Whether the cell has ReLU in place of tanh, and memory no norm.
    pub rectified: bool,
    pub memory: Memory,
    pub answer: Matrix,
}

impl Recurrence {
    pub fn read(settings: &Json, weights: Weights) -> Checked<Recurrence> {
        settings.require_names(&[
            "vocab_size",
            "num_classes",
            "cell",
            "d_model",
            "num_bits",
            "noise",
        ])?;
        let cell = settings.option("cell", &["elman", "relu", "gru"])?;
        let (gates, rectified) = (if cell == "gru" { 3 } else { 1 }, cell == "relu");
        let (width, symbols) =
            (settings.setting("d_model", 1)?, settings.setting("vocab_size", 1)?);
        require(settings.float("noise")? >= 0.0, "noise is not below 0")?;
        let rows = width.saturating_mul(gates);
        let mut shapes = common_shapes(settings, width, !rectified)?;
        shapes.extend(named_shapes(
            "",
            &[
                ("start", &[width]),
                ("cell.symbols.weight", &[symbols, rows]),
                ("cell.recurrent.weight", &[rows, width]),
                ("cell.recurrent.bias", &[rows]),
            ],
        ));
        weights.require_shapes(&shapes)?;
        let rows = weights.rows("cell.symbols.weight");
        let of = |gate: usize| {
            rows.iter().map(|row| Ball::exact(row).part(gate * width, width)).collect()
        };
        let matrix = |gate: usize| weights.matrix("cell.recurrent", gate * width, width);
        Ok(Recurrence {
            start: Ball::exact(&weights.rows("start")[0]),
            symbols: (0..gates).map(of).collect(),
            recurrent: (0..gates).map(matrix).collect(),
            memory: Memory::new(&weights, 0.0),
            answer: weights.whole("answer"),
            rectified,
            arithmetic: weights.arithmetic,
        })
    }

    pub fn start_numbers(&self) -> Vec<(f64, f64)> {
        self.arithmetic.numbers(&self.memory.write, &self.start)
    }

    /// Return the numbers whose signs are the code after a symbol: of tanh(x + U h + b), of
    /// max(x + U h + b, 0), or of n + z (h - n) with n = tanh(x_n + r (U_n h + b_n)), from the gates
    /// r and z.
    pub fn numbers(&self, before: &Ball, symbol: usize) -> Vec<(f64, f64)> {
        let arithmetic = &self.arithmetic;
        let old = |gate: usize| arithmetic.linear(&self.recurrent[gate], before);
        let added = |gate: usize, x: &Ball| arithmetic.sum(&self.symbols[gate][symbol], x);
        if self.recurrent.len() == 1 {
            let sum = added(0, &old(0));
            let after = if self.rectified { arithmetic.relu(&sum) } else { arithmetic.tanh(&sum) };
            return arithmetic.numbers(&self.memory.write, &after);
        }
        let reset = arithmetic.sigmoid(&added(0, &old(0)));
        let keep = arithmetic.sigmoid(&added(1, &old(1)));
        let new = arithmetic.tanh(&added(2, &arithmetic.product(&reset, &old(2))));
        let less = Ball { centre: new.centre.iter().map(|x| -x).collect(), radius: new.radius };
        let change = arithmetic.product(&keep, &arithmetic.sum(before, &less));
        arithmetic.numbers(&self.memory.write, &arithmetic.sum(&new, &change))
    }

    pub fn logits(&self, vector: &Ball) -> Vec<(f64, f64)> {
        self.arithmetic.numbers(&self.answer, vector)
    }
}
