//! Step 2 for trees: RegularGPT with binary memory, from its weights.

use crate::balls::{dot, largest, norm, Arithmetic, Ball, Matrix, Norm};
use crate::json::{require, Checked, Json};
use crate::weights::{common_shapes, named_shapes, Memory, Weights};

pub struct Layer {
    /// By head.
    pub query: Vec<Matrix>,
    pub key: Vec<Matrix>,
    pub value: Vec<Matrix>,
    pub output: Matrix,
    /// By head and offset.
    pub bias: Vec<Vec<f64>>,
    pub expand: Matrix,
    pub contract: Matrix,
    /// Of attention and of the feed-forward network.
    pub norms: Option<[Norm; 2]>,
}

/// RegularGPT with binary memory.
pub struct Tree {
    pub arithmetic: Arithmetic,
    pub chunk: usize,
    pub heads: usize,
    pub norm: String,
    pub learned_pad: bool,
    /// Whether arithmetic is rational: attention has weights of ReLU, and memory no norm.
    pub rational: bool,
    pub layers: Vec<Layer>,
    pub memory: Memory,
    pub final_norm: Option<Norm>,
    pub answer: Matrix,
    pub symbols: Vec<Ball>,
    pub pad: Ball,
}

impl Tree {
    pub fn read(settings: &Json, weights: Weights) -> Checked<Tree> {
        let rational = settings.has("attention");
        let mut names = vec![
            "vocab_size",
            "num_classes",
            "transition_size",
            "chunk",
            "thickness",
            "d_model",
            "num_heads",
            "ff_factor",
            "norm",
            "activation",
            "pad",
            "memory",
            "num_bits",
            "noise",
            "dropout",
            "embedding_scale",
        ];
        names.extend(rational.then_some("attention"));
        settings.require_names(&names)?;
        let (width, heads) = (settings.setting("d_model", 1)?, settings.setting("num_heads", 1)?);
        let (chunk, thickness) = (settings.setting("chunk", 2)?, settings.setting("thickness", 1)?);
        require(width % heads == 0, "d_model is a multiple of num_heads")?;
        require(chunk <= 32, "a chunk has at most 32 places")?;
        require(thickness <= weights.arrays.len(), "every layer has weights")?;
        let hidden = settings.setting("ff_factor", 1)?.saturating_mul(width);
        let symbols = settings.setting("vocab_size", 1)?;
        let norm = settings.option("norm", &["post", "pre", "none"])?.to_string();
        settings.option("memory", &["binary"])?;
        if rational {
            for (name, only) in [("attention", "relu"), ("norm", "none"), ("activation", "relu")] {
                settings.option(name, &[only])?;
            }
        }
        if settings.option("activation", &["relu", "gelu"])? == "gelu" {
            return Err("kind \"gelu\" is not handled".to_string());
        }
        let learned_pad = settings.option("pad", &["learned", "absent"])? == "learned";
        let share = settings.float("dropout")?;
        let limits = settings.float("noise")? >= 0.0 && (0.0..1.0).contains(&share);
        require(limits, "noise and dropout are within their limits")?;
        let scale = match settings.get("embedding_scale")? {
            Json::Null => (width as f64).sqrt(),
            Json::Whole(_) => settings.setting("embedding_scale", 1)? as f64,
            _ => settings.float("embedding_scale")?,
        };
        require(scale > 0.0, "embedding_scale is positive")?;

        let mut shapes = common_shapes(settings, width, !rational)?;
        shapes.extend(named_shapes(
            "",
            &[("embedding.weight", &[symbols, width]), ("pad", &[width])],
        ));
        let norm_shapes =
            |name: String| named_shapes(&name, &[(".weight", &[width]), (".bias", &[width])]);
        for index in 0..thickness {
            let layer = format!("layers.{index}.");
            shapes.extend(named_shapes(
                &layer,
                &[
                    ("attention.query.weight", &[width, width]),
                    ("attention.key_value.weight", &[2 * width, width]),
                    ("attention.output.weight", &[width, width]),
                    ("attention.bias", &[heads, chunk]),
                    ("expand.weight", &[hidden, width]),
                    ("expand.bias", &[hidden]),
                    ("contract.weight", &[width, hidden]),
                    ("contract.bias", &[width]),
                ],
            ));
            if norm != "none" {
                shapes.extend(norm_shapes(format!("{layer}attention_norm.norm")));
                shapes.extend(norm_shapes(format!("{layer}feed_forward_norm.norm")));
            }
        }
        if norm == "pre" {
            shapes.extend(norm_shapes("final_norm".to_string()));
        }
        let second = settings.setting("transition_size", 0)?;
        if second > 0 {
            let read_out = [("weight", &[second, width][..]), ("bias", &[second])];
            shapes.extend(named_shapes("transition.", &read_out));
        }
        weights.require_shapes(&shapes)?;

        let layer = |index: usize| {
            let of = |part: &str| format!("layers.{index}.{part}");
            let both = of("attention.key_value");
            let size = width / heads;
            let parts = |name: &str, first: usize| {
                (0..heads).map(|head| weights.matrix(name, first + head * size, size)).collect()
            };
            let norms = || {
                [
                    weights.norm(&of("attention_norm.norm")),
                    weights.norm(&of("feed_forward_norm.norm")),
                ]
            };
            Layer {
                query: parts(&of("attention.query"), 0),
                key: parts(&both, 0),
                value: parts(&both, width),
                output: weights.whole(&of("attention.output")),
                bias: weights.rows(&of("attention.bias")),
                expand: weights.whole(&of("expand")),
                contract: weights.whole(&of("contract")),
                norms: if norm == "none" { None } else { Some(norms()) },
            }
        };
        let embedded = |row: &Vec<f64>| weights.arithmetic.scaled(&Ball::exact(row), scale);
        Ok(Tree {
            layers: (0..thickness).map(layer).collect(),
            memory: Memory::new(&weights, -1.0),
            final_norm: if norm == "pre" { Some(weights.norm("final_norm")) } else { None },
            answer: weights.whole("answer"),
            symbols: weights.rows("embedding.weight").iter().map(embedded).collect(),
            pad: embedded(&weights.rows("pad")[0]),
            arithmetic: weights.arithmetic,
            chunk,
            heads,
            norm,
            learned_pad,
            rational,
        })
    }

    /// Return the numbers whose signs are the code of a chunk; a child that is none is the pad.
    pub fn numbers(&self, children: &[Option<&Ball>]) -> Vec<(f64, f64)> {
        let last = self.chunk - 1; // of the empty word it is a pad, and present
        let there = |(place, child): (usize, &Option<&Ball>)| {
            self.learned_pad || child.is_some() || place == last
        };
        let present: Vec<bool> = children.iter().enumerate().map(there).collect();
        let mut x: Vec<Ball> =
            children.iter().map(|child| child.unwrap_or(&self.pad).clone()).collect();
        for (index, layer) in self.layers.iter().enumerate() {
            let first = if index + 1 == self.layers.len() { last } else { 0 };
            x = self.layer(layer, &x, &present, first);
        }
        self.arithmetic.numbers(&self.memory.write, &x[x.len() - 1])
    }

    /// Normalise with the norm of a branch, if the network does so at this place.
    pub fn normed(&self, place: &str, layer: &Layer, branch: usize, x: Ball) -> Ball {
        match &layer.norms {
            Some(norms) if self.norm == place => self.arithmetic.layer_norm(&x, &norms[branch]),
            _ => x,
        }
    }

    /// Return the vectors after a layer at the positions from `first` on.
    pub fn layer(&self, layer: &Layer, x: &[Ball], present: &[bool], first: usize) -> Vec<Ball> {
        let arithmetic = &self.arithmetic;
        let head_width = (x[0].centre.len() / self.heads) as f64;
        let seen: Vec<Ball> =
            x.iter().map(|each| self.normed("pre", layer, 0, each.clone())).collect();
        let by_head = |parts: &[Matrix], x: &Ball| -> Vec<Ball> {
            parts.iter().map(|part| arithmetic.linear(part, x)).collect()
        };
        let keys: Vec<Vec<Ball>> = seen.iter().map(|x| by_head(&layer.key, x)).collect();
        let values: Vec<Vec<Ball>> = seen.iter().map(|x| by_head(&layer.value, x)).collect();
        let at = |position: usize| {
            let scaled = arithmetic.scaled(&seen[position], 1.0 / head_width.sqrt());
            let query = by_head(&layer.query, &scaled);
            let visible: Vec<usize> =
                (0..=position).filter(|key| present[*key] || *key == position).collect();
            let gathered = self.attend(layer, &query, &keys, &values, &visible, position);
            let branch = arithmetic.linear(&layer.output, &gathered);
            let h = self.normed("post", layer, 0, arithmetic.sum(&x[position], &branch));
            let inner = self.normed("pre", layer, 1, h.clone());
            let hidden = arithmetic.relu(&arithmetic.linear(&layer.expand, &inner));
            let branch = arithmetic.linear(&layer.contract, &hidden);
            self.normed("post", layer, 1, arithmetic.sum(&h, &branch))
        };
        (first..self.chunk).map(at).collect()
    }

    /// Return what all heads gather, side by side.
    ///
    /// With w the weights of the centres and w + m others within their radii, sum (w + m) v differs
    /// from sum w v by sum m (v - c): for any c if they are of softmax, whose movements m sum to 0,
    /// and else for c = 0.
    pub fn attend(
        &self,
        layer: &Layer,
        query: &[Ball],
        keys: &[Vec<Ball>],
        values: &[Vec<Ball>],
        visible: &[usize],
        position: usize,
    ) -> Ball {
        let count = visible.len();
        let (mut centre, mut sizes) = (Vec::new(), Vec::new());
        let (mut radii, mut wrong) = (Vec::new(), Vec::new());
        let mut reach = 1.0;
        for (head, asked) in query.iter().enumerate() {
            let logit = |key: &usize| {
                self.logit(asked, &keys[*key][head], layer.bias[head][position - key])
            };
            let logits: Vec<(f64, f64)> = visible.iter().map(logit).collect();
            let weights = if self.rational {
                self.arithmetic.rectified(&logits, self.chunk)
            } else {
                self.arithmetic.softmax(&logits)
            };
            for (key, (weight, moved)) in visible.iter().zip(&weights) {
                let sizes = weight + moved + largest(&values[*key][head].sizes());
                reach += (count as f64 + 4.0) * (2.0 + sizes);
            }
            let radius = |(key, (weight, moved)): (&usize, &(f64, f64))| {
                (weight + moved) * values[*key][head].radius
            };
            // values that are not looked at have weight 0, and 0 times infinity is no number
            let finite = values.iter().all(|value| value[head].radius.is_finite());
            let radius: f64 = visible.iter().zip(&weights).map(radius).sum();
            let radius = if finite { radius } else { f64::INFINITY };
            radii.push(radius);
            for place in 0..asked.centre.len() {
                let all =
                    || visible.iter().map(|key| values[*key][head].centre[place]).zip(&weights);
                let mean = all().map(|(v, _)| v).sum::<f64>() / count as f64;
                let middle = if self.rational { 0.0 } else { mean };
                centre.push(all().map(|(v, (weight, _))| weight * v).sum());
                wrong.push(all().map(|(v, (_, moved))| moved * (v - middle).abs()).sum());
                let size =
                    all().map(|(v, (weight, moved))| (weight + moved) * v.abs()).sum::<f64>();
                sizes.push(size + radius);
            }
        }
        let roundings = 2 * count + if self.rational { 12 } else { 8 };
        self.arithmetic.ball(centre, norm(&radii) + norm(&wrong), &sizes, roundings, reach)
    }

    /// Return the product of a query and a key, plus the bias of their offset, with its radius.
    pub fn logit(&self, query: &Ball, key: &Ball, bias: f64) -> (f64, f64) {
        let (sizes, own) = (query.sizes(), key.sizes());
        let moved =
            query.radius * (norm(&key.centre) + key.radius) + norm(&query.centre) * key.radius;
        let terms = sizes.len();
        let reach = terms as f64 + 1.0 + bias.abs() + sizes.iter().chain(&own).sum::<f64>();
        let number = dot(&query.centre, &key.centre) + bias;
        (number, self.arithmetic.radius(moved, dot(&sizes, &own) + bias.abs(), terms + 2, reach))
    }

    pub fn logits(&self, vector: &Ball) -> Vec<(f64, f64)> {
        match &self.final_norm {
            Some(norm) => {
                self.arithmetic.numbers(&self.answer, &self.arithmetic.layer_norm(vector, norm))
            }
            None => self.arithmetic.numbers(&self.answer, vector),
        }
    }
}
