//! A second checker of lengthwise certificates, which shares no code with the first.
//!
//! `checker FILE ...` prints one line for each file, `FILE: accepted: ...` or `FILE: refused: ...`,
//! and ends with 0 if all are accepted, with 1 if one is refused, and with 2 if a file cannot be
//! read. It handles `discrete` certificates of RegularGPT with binary memory and of recurrent
//! networks with binary memory. The format, and what has to be checked, are in docs/certificate.md.
//!
//! Vectors of the network are balls (`balls.rs`) that hold the vector of real arithmetic and every
//! one that the network's own arithmetic can give: rounded to nearest, with sums in any order, fused
//! or not, and with subnormal numbers kept or taken as 0.

mod balls;
mod claim;
mod induction;
mod json;
mod recurrence;
mod tree;
mod weights;

use crate::claim::{check_machine, Claim, Network};
use crate::induction::{check_levels, check_prefixes};
use crate::json::Checked;
use std::process::exit;

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() || paths[0].starts_with('-') {
        eprintln!("usage: checker FILE ...");
        exit(2);
    }
    std::panic::set_hook(Box::new(|_| ()));
    let mut status = 0;
    for path in paths {
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            Err(error) => {
                eprintln!("checker: {path} cannot be read ({error}). Name the file.");
                exit(2);
            }
        };
        let fault = Err("a fault of the checker itself".to_string());
        match std::panic::catch_unwind(|| check(&content)).unwrap_or(fault) {
            Ok(said) => println!("{path}: accepted: {said}"),
            Err(why) => {
                status = 1;
                println!("{path}: refused: {why}.");
            }
        }
    }
    exit(status);
}

/// Check a file, and return what it proves.
fn check(content: &[u8]) -> Checked<String> {
    let claim = Claim::read(content)?;
    check_machine(&claim.machine, &claim.language)?;
    let margins = match &claim.network {
        Network::Tree(tree) => check_levels(&claim, tree)?,
        Network::Recurrence(cell) => check_prefixes(&claim, cell)?,
    };
    let size = format!("{} states and {} symbols", claim.machine.classes.len(), claim.symbols());
    let what = match &claim.wrong {
        None => {
            "every word of the automaton in the file gets its class, at every length".to_string()
        }
        Some(wrong) => {
            format!("the shortest word with a wrong class has {} symbols", wrong.word.len())
        }
    };
    let (signs, answers) = (margins.signs, margins.answers);
    Ok(format!(
        "{what} ({size}); beyond rounding, signs have {signs:.3e} left and answers {answers:.3e}"
    ))
}
