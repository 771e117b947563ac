//! Bounds on the vectors of a network, whatever its arithmetic rounds.

use crate::json::Checked;

/// Unit roundoff and smallest normal number of the type of centres and radii.
pub const OWN_UNIT: f64 = f64::EPSILON / 2.0;
pub const OWN_TINY: f64 = f64::MIN_POSITIVE;
/// Factor on every radius: more than four million roundings in computing it can lose.
pub const OUTWARD: f64 = 1.0 + 1e-9;
/// Added to every radius, so that products of three of them are normal numbers.
pub const LEAST: f64 = 1e-90;
/// Errors of exp and of tanh in the network, in units in the last place.
pub const EXP_ULPS: f64 = 20.0;
pub const TANH_ULPS: f64 = 8.0;
pub const NORM_EPSILON: f64 = 1e-5;

/// All vectors whose Euclidean distance from the centre is at most the radius.
#[derive(Clone)]
pub struct Ball {
    pub centre: Vec<f64>,
    pub radius: f64,
}

impl Ball {
    pub fn exact(centre: &[f64]) -> Ball {
        Ball { centre: centre.to_vec(), radius: 0.0 }
    }

    /// Bounds on the absolute value of each entry.
    pub fn sizes(&self) -> Vec<f64> {
        self.centre.iter().map(|x| x.abs() + self.radius).collect()
    }

    pub fn part(&self, first: usize, count: usize) -> Ball {
        Ball { centre: self.centre[first..first + count].to_vec(), radius: self.radius }
    }
}

/// Return the sum of products, in eight lanes that a processor can add side by side.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (whole, more) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = whole.remainder().iter().zip(more.remainder()).map(|(x, y)| x * y).sum();
    let mut lanes = [0.0; 8];
    for (x, y) in whole.zip(more) {
        for lane in 0..8 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// Return an upper bound on the Euclidean norm.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt() * OUTWARD + LEAST
}

/// Return the largest of numbers that are not negative; NaN if one is.
pub fn largest(these: &[f64]) -> f64 {
    these.iter().fold(0.0, |most, x| if *x > most || x.is_nan() { *x } else { most })
}

pub fn zipped(a: &[f64], b: &[f64], function: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| function(*x, *y)).collect()
}

pub struct Matrix {
    pub rows: Vec<Vec<f64>>,
    pub sizes: Vec<Vec<f64>>,
    pub bias: Vec<f64>,
    /// At least the largest singular value.
    pub stretch: f64,
    /// At least the sum of the sizes of any row and its bias.
    pub widest: f64,
}

impl Matrix {
    pub fn new(rows: Vec<Vec<f64>>, bias: Vec<f64>) -> Matrix {
        let sizes: Vec<Vec<f64>> =
            rows.iter().map(|row| row.iter().map(|w| w.abs()).collect()).collect();
        let sums: Vec<f64> = sizes.iter().map(|row| row.iter().sum()).collect();
        let widest = largest(&zipped(&sums, &bias, |sum, b| sum + b.abs())) * OUTWARD;
        Matrix { stretch: singular(&rows), rows, sizes, bias, widest }
    }
}

/// Bound the largest singular value: with S = W / f, f the Frobenius norm, that of W is f times
/// the root of that of S S^T, which is symmetric; squared k times, its Frobenius norm is at least
/// the 2^k-th power of that. Products of matrices of norm 1 are off by at most `lost`.
pub fn singular(rows: &[Vec<f64>]) -> f64 {
    const SQUARINGS: usize = 6;
    let frobenius =
        |matrix: &[Vec<f64>]| norm(&matrix.iter().map(|row| norm(row)).collect::<Vec<_>>());
    let wide = rows.len() <= rows[0].len();
    let column = |index: usize| rows.iter().map(|row| row[index]).collect();
    let mut power: Vec<Vec<f64>> =
        if wide { rows.to_vec() } else { (0..rows[0].len()).map(column).collect() };
    let mut norms = Vec::new();
    for _ in 0..SQUARINGS {
        let size = frobenius(&power);
        let unit: Vec<Vec<f64>> =
            power.iter().map(|row| row.iter().map(|x| x / size).collect()).collect();
        norms.push((size, 4.0 * gamma_of(rows[0].len() as f64 + rows.len() as f64, OWN_UNIT)));
        power = unit.iter().map(|a| unit.iter().map(|b| dot(a, b)).collect()).collect();
    }
    let bound = norms
        .iter()
        .rev()
        .fold(frobenius(&power), |found, (size, lost)| size * (found + lost).sqrt() * OUTWARD);
    if bound.is_finite() {
        bound
    } else {
        f64::INFINITY
    }
}

pub struct Norm {
    pub weight: Vec<f64>,
    pub bias: Vec<f64>,
}

/// The arithmetic of a floating-point type: unit roundoff, smallest normal and largest number.
pub struct Arithmetic {
    pub unit: f64,
    pub tiny: f64,
    pub largest: f64,
}

/// n u / (1 - n u): the relative error of a sum of n products in any order (Higham, 3.1).
pub fn gamma_of(terms: f64, unit: f64) -> f64 {
    let product = terms * unit;
    if terms <= 4e6 && product < 0.5 {
        product / (1.0 - product)
    } else {
        f64::INFINITY
    }
}

impl Arithmetic {
    pub fn of(name: &str) -> Checked<Arithmetic> {
        let (unit, tiny) = (f32::EPSILON as f64 / 2.0, f32::MIN_POSITIVE as f64);
        match name {
            "float32" => Ok(Arithmetic { unit, tiny, largest: f32::MAX as f64 }),
            "float64" => Ok(Arithmetic { unit: OWN_UNIT, tiny: OWN_TINY, largest: f64::MAX }),
            _ => Err("weights are of float32 or of float64".to_string()),
        }
    }

    /// Bound the roundings of the network, plus those of the centre.
    pub fn gamma(&self, terms: usize) -> f64 {
        gamma_of(terms as f64, self.unit) + gamma_of(terms as f64, OWN_UNIT)
    }

    /// Bound what is lost where numbers below the smallest normal one are taken as 0. `reach` is
    /// the number of operations plus the sizes of all that is multiplied.
    pub fn flushed(&self, reach: f64) -> f64 {
        8.0 * (self.tiny + OWN_TINY) * reach
    }

    pub fn fits(&self, size: f64) -> bool {
        size < 1e-6 * self.largest
    }

    /// Return the radius of a number: `moved` is what its arguments' radii become, `size` the sum
    /// of the sizes of all terms, each rounded so many times. Infinite where it could overflow.
    pub fn radius(&self, moved: f64, size: f64, roundings: usize, reach: f64) -> f64 {
        let radius = (moved + self.gamma(roundings) * size + self.flushed(reach)) * OUTWARD + LEAST;
        if radius.is_finite() && self.fits(size) {
            radius
        } else {
            f64::INFINITY
        }
    }

    /// The same for a vector, with a size for each entry and a reach for the largest.
    pub fn ball(
        &self,
        centre: Vec<f64>,
        moved: f64,
        sizes: &[f64],
        roundings: usize,
        reach: f64,
    ) -> Ball {
        let root = (centre.len() as f64).sqrt();
        let whole = centre.iter().all(|x| x.is_finite()) && self.fits(largest(sizes));
        let radius = self.radius(moved, 0.0, 0, root * reach) + self.gamma(roundings) * norm(sizes);
        let radius = if whole && radius.is_finite() { radius * OUTWARD } else { f64::INFINITY };
        Ball { centre, radius }
    }

    /// W x + b: a sum of n products and b, in any order, is off by at most gamma(n + 1) times the
    /// sum of their sizes; what is flushed moves it by at most `flushed`.
    pub fn linear(&self, matrix: &Matrix, x: &Ball) -> Ball {
        let (centre, sizes, reach) = self.products(matrix, x);
        self.ball(centre, matrix.stretch * x.radius, &sizes, x.centre.len() + 2, reach)
    }

    /// The same, with a radius for each number.
    pub fn numbers(&self, matrix: &Matrix, x: &Ball) -> Vec<(f64, f64)> {
        let (centre, sizes, reach) = self.products(matrix, x);
        let radius = |row: usize| {
            let moved = norm(&matrix.rows[row]) * x.radius;
            self.radius(moved, sizes[row], x.centre.len() + 2, reach)
        };
        centre.iter().enumerate().map(|(row, number)| (*number, radius(row))).collect()
    }

    pub fn products(&self, matrix: &Matrix, x: &Ball) -> (Vec<f64>, Vec<f64>, f64) {
        let of =
            |rows: &[Vec<f64>], x: &[f64]| rows.iter().map(|row| dot(row, x)).collect::<Vec<_>>();
        let (sizes, bias) = (x.sizes(), &matrix.bias);
        let centre = zipped(&of(&matrix.rows, &x.centre), bias, |sum, b| sum + b);
        let reach = sizes.len() as f64 + 1.0 + sizes.iter().sum::<f64>() + matrix.widest;
        (centre, zipped(&of(&matrix.sizes, &sizes), bias, |sum, b| sum + b.abs()), reach)
    }

    /// Multiply by a number that is itself rounded, or divide by its reciprocal.
    pub fn scaled(&self, x: &Ball, factor: f64) -> Ball {
        let sizes: Vec<f64> = x.sizes().iter().map(|size| size * factor).collect();
        let centre = x.centre.iter().map(|value| value * factor).collect();
        let reach = 4.0 * (1.0 + largest(&x.sizes())) * (1.0 + factor);
        let moved = if self.fits(factor) { x.radius * factor } else { f64::INFINITY };
        self.ball(centre, moved, &sizes, 4, reach)
    }

    pub fn sum(&self, x: &Ball, y: &Ball) -> Ball {
        let sizes = zipped(&x.sizes(), &y.sizes(), |a, b| a + b);
        let centre = zipped(&x.centre, &y.centre, |a, b| a + b);
        self.ball(centre, x.radius + y.radius, &sizes, 1, 1.0 + largest(&sizes))
    }

    /// The product of entries.
    pub fn product(&self, x: &Ball, y: &Ball) -> Ball {
        let sizes = zipped(&x.sizes(), &y.sizes(), |a, b| a * b);
        let (mine, theirs) = (largest(&x.sizes()), largest(&y.sizes()));
        let moved = x.radius * theirs + mine * y.radius;
        let centre = zipped(&x.centre, &y.centre, |a, b| a * b);
        self.ball(centre, moved, &sizes, 1, 1.0 + mine + theirs)
    }

    /// A function of each entry with a slope of at most `slope`, whose computed value is off by
    /// at most `units` unit roundoffs of 1 or, if the function is at most |x|, of that.
    pub fn entries(&self, x: &Ball, function: fn(f64) -> f64, slope: f64, units: f64) -> Ball {
        let sizes: Vec<f64> =
            x.sizes().iter().map(|s| if *s > 1.0 && units > 0.0 { 1.0 } else { *s }).collect();
        let sizes = if function(0.0) == 0.0 { sizes } else { vec![1.0; sizes.len()] };
        let centre = x.centre.iter().map(|value| function(*value)).collect();
        let moved = if self.fits(largest(&x.sizes())) { slope * x.radius } else { f64::INFINITY };
        self.ball(centre, moved, &sizes, units as usize, 4.0)
    }

    pub fn relu(&self, x: &Ball) -> Ball {
        self.entries(x, |x| if x > 0.0 { x } else { 0.0 }, 1.0, 0.0)
    }

    pub fn tanh(&self, x: &Ball) -> Ball {
        self.entries(x, f64::tanh, 1.0, 2.0 * TANH_ULPS)
    }

    /// 1 / (1 + exp(-x)): a relative error of exp changes it by no more than itself.
    pub fn sigmoid(&self, x: &Ball) -> Ball {
        self.entries(x, |x| 1.0 / (1.0 + (-x).exp()), 0.25, 2.0 * EXP_ULPS + 4.0)
    }

    /// g (x - mean) r + b with r = 1 / sqrt(variance + epsilon); docs/certificate.md says why.
    ///
    /// In a ball of radius R the deviation is at least that of the centre less R / sqrt(n), so that
    /// `least` is the least of variance + epsilon, and the Jacobian is g times a contraction over its
    /// root. Let `beta` be the largest |mean| r, and a^2 = 1 + beta^2. All usual ways (two passes, one
    /// pass, Welford's, means of parts that are joined) give the mean within gamma(n + 24) a / r, and
    /// the variance within a share q of variance + epsilon.
    pub fn layer_norm(&self, x: &Ball, norms: &Norm) -> Ball {
        let (count, n) = (x.centre.len(), x.centre.len() as f64);
        let mean = x.centre.iter().sum::<f64>() / n;
        let centred: Vec<f64> = x.centre.iter().map(|value| value - mean).collect();
        let variance = dot(&centred, &centred) / n;
        let length = norm(&x.centre) + x.radius;
        let shift = (x.radius + gamma_of(n + 24.0, OWN_UNIT) * length) / n.sqrt() * OUTWARD + LEAST;
        let spread = variance.sqrt() * (1.0 - 1e-9) - shift;
        let low = if spread < 0.0 { 0.0 } else { spread };
        let least = (low * low + NORM_EPSILON) * (1.0 - 1e-9);
        let scale = OUTWARD / least.sqrt();
        let beta = (mean.abs() + shift) * scale;
        let a = (1.0 + beta * beta).sqrt() * OUTWARD;

        let reach = (n + 1.0) * (1.0 + length);
        let off = self.gamma(count + 24) * a + self.flushed(reach) * scale;
        let welford = self.gamma(count * 9 / 4 + 65) * a;
        let one_pass = self.gamma(count + 24) * (a * a + 2.0 * a * beta);
        let means = self.gamma(count + 64) * a;
        let lost = self.flushed(reach * (1.0 + 4.0 * length)) * scale * scale;
        let q = (largest(&[welford, one_pass]) + 2.0 * means * means + lost) * OUTWARD;
        if !(q <= 0.5) || !self.fits(4.0 * n * length * length) {
            return Ball { centre: vec![0.0; count], radius: f64::INFINITY };
        }
        let rounded = self.gamma(8); // adding epsilon, the root and the reciprocal
        let root = 0.5 * q * (1.0 + 2.0 * q); // at least (1 - q)^(-1/2) - 1, for q <= 1/2
        let turned = (root + rounded + root * rounded) * OUTWARD;
        let gain = largest(&norms.weight.iter().map(|g| g.abs()).collect::<Vec<_>>());
        let terms = |(index, z): (usize, &f64)| {
            let (g, b) = (norms.weight[index].abs(), norms.bias[index].abs());
            let wrong = g * ((z.abs() + 2.0 * x.radius) * scale * turned + off * (1.0 + turned));
            let sum = (x.centre[index].abs() + x.radius) * scale + beta + off;
            (wrong, g * (1.0 + turned) * sum + b)
        };
        let (wrong, sizes): (Vec<f64>, Vec<f64>) = centred.iter().enumerate().map(terms).unzip();
        let own = 1.0 / (variance + NORM_EPSILON).sqrt();
        let shaped = zipped(&centred, &norms.weight, |z, g| z * own * g);
        let reach = 8.0 * (1.0 + 2.0 * length) * (1.0 + scale) * (1.0 + gain) + norm(&norms.bias);
        let moved = x.radius * gain * scale + norm(&wrong);
        self.ball(zipped(&shaped, &norms.bias, |y, b| y + b), moved, &sizes, 6, reach)
    }

    /// Return softmax of logits with radii, and how far each weight can move; the movements sum to
    /// 0, but for roundings relative to the weights, which `attend` counts.
    ///
    /// A weight is largest where its own logit is at its upper end and all others at their lower
    /// ones. Rounding inside exp is as if logits moved.
    pub fn softmax(&self, logits: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let sizes: Vec<f64> = logits.iter().map(|(logit, radius)| logit.abs() + radius).collect();
        let own = gamma_of(64.0, OWN_UNIT) * (1.0 + largest(&sizes)); // of the exponents below
        let inside = self.gamma(6) * largest(&sizes) + self.gamma(2 * EXP_ULPS as usize + 4) + own;
        let radii: Vec<f64> = logits.iter().map(|l| (l.1 + inside) * OUTWARD).collect();
        let weight = |own: usize, up: f64| {
            let against =
                |i: usize| (logits[i].0 - up * radii[i] - logits[own].0 - up * radii[own]).exp();
            1.0 / (1.0 + (0..logits.len()).filter(|i| *i != own).map(against).sum::<f64>())
        };
        let slack = gamma_of(2.0 * logits.len() as f64 + 64.0, OWN_UNIT);
        let flushed = self.flushed(2.0 + logits.len() as f64);
        let known = self.fits(largest(&sizes)) && radii.iter().all(|radius| radius.is_finite());
        let moved = |own: usize, middle: f64| {
            let (up, down) = (weight(own, 1.0), weight(own, -1.0));
            let moved = largest(&[up - middle, middle - down]) + slack * (up + middle) + flushed;
            if known {
                moved * OUTWARD + LEAST
            } else {
                f64::INFINITY
            }
        };
        let most = logits.iter().fold(f64::NEG_INFINITY, |most, logit| most.max(logit.0));
        let powers: Vec<f64> = logits.iter().map(|logit| (logit.0 - most).exp()).collect();
        let all: f64 = powers.iter().sum();
        powers
            .iter()
            .enumerate()
            .map(|(key, power)| (power / all, moved(key, power / all)))
            .collect()
    }

    /// Return max(logit, 0) / C of logits with radii, and how far each weight can move: as much as
    /// its logit, over C. Unlike those of softmax, the movements have any sum. The rounding of the
    /// quotient is relative to the weight, and `attend` counts it.
    pub fn rectified(&self, logits: &[(f64, f64)], chunk: usize) -> Vec<(f64, f64)> {
        let share = |(logit, radius): &(f64, f64)| {
            let flushed = self.flushed(4.0 + chunk as f64 + logit.abs() + radius);
            let weight = if *logit > 0.0 { logit / chunk as f64 } else { 0.0 };
            (weight, (radius / chunk as f64 + flushed) * OUTWARD + LEAST)
        };
        logits.iter().map(share).collect()
    }
}
