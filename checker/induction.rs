//! Steps 3 to 6: the inductions over levels of trees and over prefixes.

use crate::balls::Ball;
use crate::claim::{all_differ, reaching, Claim, Pair, WrongWord};
use crate::json::{require, Checked};
use crate::recurrence::Recurrence;
use crate::tree::Tree;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What is left of distances after rounding: the least of all numbers whose signs, and of all pairs
/// of logits whose order, were read.
pub struct Margins {
    pub signs: f64,
    pub answers: f64,
}

impl Margins {
    /// Return the signs of numbers with radii, which no rounding may change.
    pub fn code(&mut self, numbers: &[(f64, f64)]) -> Checked<Vec<bool>> {
        for (number, radius) in numbers {
            require(number.abs() > *radius, "every sign is certain")?;
            self.signs = self.signs.min(number.abs() - radius);
        }
        Ok(numbers.iter().map(|(number, _)| *number >= 0.0).collect())
    }

    /// Return the class with the largest logit, which no rounding may change.
    pub fn class(&mut self, logits: &[(f64, f64)]) -> Checked<usize> {
        let best = (0..logits.len()).fold(0, |a, b| if logits[b].0 > logits[a].0 { b } else { a });
        for other in (0..logits.len()).filter(|other| *other != best) {
            let ahead = logits[best].0 - logits[other].0;
            let moved = logits[best].1 + logits[other].1;
            require(ahead > moved, "every answer is certain")?;
            self.answers = self.answers.min(ahead - moved);
        }
        Ok(best)
    }
}

// ---- trees ---------------------------------------------------------------------------------------

/// Codes of chunks that were computed, from symbols and from codes.
pub struct Composer<'a> {
    pub tree: &'a Tree,
    /// The vectors of symbols, and those that memory recalls from codes.
    pub vectors: [Vec<Ball>; 2],
    pub number: HashMap<&'a [bool], usize>,
    pub known: [HashMap<Vec<Option<usize>>, usize>; 2],
    pub margins: Margins,
}

impl<'a> Composer<'a> {
    pub fn new(tree: &'a Tree, codes: &'a [Vec<bool>]) -> Self {
        let recalled =
            codes.iter().map(|code| tree.memory.recall(&tree.arithmetic, code)).collect();
        let number =
            codes.iter().enumerate().map(|(number, code)| (code.as_slice(), number)).collect();
        let vectors = [tree.symbols.clone(), recalled];
        Composer {
            tree,
            vectors,
            number,
            known: [HashMap::new(), HashMap::new()],
            margins: Margins { signs: f64::INFINITY, answers: f64::INFINITY },
        }
    }

    /// Return the code that a chunk of elements of a level becomes.
    pub fn compose(&mut self, level: usize, chunk: &[usize]) -> Checked<usize> {
        let phase = level.min(1);
        let absent = vec![None; self.tree.chunk - chunk.len()];
        let children: Vec<Option<usize>> =
            absent.into_iter().chain(chunk.iter().copied().map(Some)).collect();
        if let Some(known) = self.known[phase].get(&children) {
            return Ok(*known);
        }
        let below: Vec<Option<&Ball>> = children
            .iter()
            .map(|child| child.map(|element| &self.vectors[phase][element]))
            .collect();
        let code = self.margins.code(&self.tree.numbers(&below))?;
        let number = self
            .number
            .get(code.as_slice())
            .ok_or("this is not so: the code of every chunk is named")?;
        self.known[phase].insert(children, *number);
        Ok(*number)
    }

    pub fn class(&mut self, element: usize) -> Checked<usize> {
        let logits = self.tree.logits(&self.vectors[1][element]);
        self.margins.class(&logits)
    }

    /// Return the class of the empty word, whose code need not be named.
    pub fn empty_class(&mut self) -> Checked<usize> {
        let code = self.margins.code(&self.tree.numbers(&vec![None; self.tree.chunk]))?;
        let vector = self.tree.memory.recall(&self.tree.arithmetic, &code);
        self.margins.class(&self.tree.logits(&vector))
    }

    pub fn classify(&mut self, word: &[usize]) -> Checked<usize> {
        if word.is_empty() {
            return self.empty_class();
        }
        let (mut nodes, mut level) = (word.to_vec(), 0);
        while nodes.len() > 1 || level == 0 {
            let first = (nodes.len() - 1) % self.tree.chunk + 1;
            let (edge, inner) = nodes.split_at(first);
            let chunks = std::iter::once(edge).chain(inner.chunks(self.tree.chunk));
            nodes = chunks.map(|chunk| self.compose(level, chunk)).collect::<Checked<_>>()?;
            level += 1;
        }
        self.class(nodes[0])
    }
}

/// Which states words of one length lead from and to, by level.
pub struct Reach<'a> {
    pub claim: &'a Claim,
    pub chunk: usize,
    /// `[level][state][next]`: whether C^level symbols lead there.
    pub powers: Vec<Vec<Vec<bool>>>,
}

impl Reach<'_> {
    pub fn steps(&mut self, level: usize) -> &Vec<Vec<bool>> {
        while self.powers.len() <= level {
            let power = &self.powers[self.powers.len() - 1];
            let mut product = power.clone();
            for _ in 1..self.chunk {
                product = product
                    .iter()
                    .map(|row| {
                        let mut reached = vec![false; row.len()];
                        for (_, next) in row.iter().zip(power).filter(|(there, _)| **there) {
                            reached.iter_mut().zip(next).for_each(|(known, more)| *known |= more);
                        }
                        reached
                    })
                    .collect();
            }
            self.powers.push(product);
        }
        &self.powers[level]
    }

    /// Return the states from which a multiple of C^level symbols can end in the domain.
    pub fn leads_in(&mut self, level: usize) -> Vec<bool> {
        let outside = self.claim.outside();
        let mut good: Vec<bool> = self.claim.machine.classes.iter().map(|c| *c < outside).collect();
        let steps = self.steps(level);
        loop {
            let leads =
                |row: &Vec<bool>| row.iter().zip(&good).any(|(there, good)| *there && *good);
            let more: Vec<bool> =
                steps.iter().zip(&good).map(|(row, own)| *own || leads(row)).collect();
            if more == good {
                return good;
            }
            good = more;
        }
    }
}

/// All rows of `count` of the numbers below `size`, in order.
pub fn rows(size: usize, count: usize) -> impl Iterator<Item = Vec<usize>> {
    let all = if count == 0 { 1 } else { size.pow(count as u32) };
    (0..all).map(move |mut index| {
        let mut row = vec![0; count];
        for place in (0..count).rev() {
            row[place] = index % size;
            index /= size;
        }
        row
    })
}

pub fn check_levels(claim: &Claim, tree: &Tree) -> Checked<Margins> {
    const MOST_CHUNKS: u128 = 20_000_000;
    let (machine, outside, chunk) = (&claim.machine, claim.outside(), tree.chunk);
    let states = machine.classes.len();
    let whole = |map: &Vec<usize>| map.len() == states && map.iter().all(|next| *next < states);
    require(
        claim.maps.iter().all(whole) && all_differ(&claim.maps),
        "state maps are maps, each once",
    )?;
    require(!claim.levels.is_empty(), "there is a level")?;
    let widest = (chunk as f64).powi(claim.levels.len() as i32);
    require(widest < 4.6e18, "levels are few enough")?;
    let number: HashMap<&[usize], usize> =
        claim.maps.iter().enumerate().map(|(number, map)| (map.as_slice(), number)).collect();
    let named =
        |map: &[usize]| number.get(map).copied().ok_or("this is not so: every state map is named");
    let mut one = vec![vec![false; states]; states];
    for (state, row) in machine.transitions.iter().enumerate() {
        row.iter().for_each(|next| one[state][*next] = true);
    }
    let mut reach = Reach { claim, chunk, powers: vec![one] };
    let mut composer = Composer::new(tree, &claim.codes);

    let good = reach.leads_in(0);
    let (mut interior, mut edge) = (BTreeSet::new(), BTreeMap::new());
    for symbol in 0..claim.symbols() {
        let map: Vec<usize> = machine.transitions.iter().map(|row| row[symbol]).collect();
        if map.iter().any(|state| good[*state]) {
            interior.insert((symbol, named(&map)?));
        }
        if good[map[machine.start]] {
            edge.insert((symbol, map[machine.start]), 1u64); // and the length of the shortest
        }
    }
    compare(claim, 0, &interior, &edge)?;
    let mut wrong: Option<u64> = None; // the length of the shortest wrong word
    let empty = machine.classes[machine.start];
    if empty < outside && composer.empty_class()? != empty {
        wrong = Some(0);
    }

    for level in 0..claim.levels.len() - 1 {
        require(wrong.is_none(), &format!("no word is wrong that ends at level {level}"))?;
        let good = reach.leads_in(level + 1);
        let inner: Vec<Pair> = interior.iter().copied().collect();
        let limit = |firsts: usize, count: usize| {
            let chunks =
                (0..count).fold(firsts as u128, |n, _| n.saturating_mul(inner.len() as u128));
            require(chunks <= MOST_CHUNKS, "a level has few enough chunks")
        };
        limit(inner.len(), chunk - 1)?;
        let mut next_interior = BTreeSet::new();
        for row in rows(inner.len(), chunk) {
            let pairs: Vec<Pair> = row.iter().map(|index| inner[*index]).collect();
            let through =
                |state| pairs.iter().fold(state, |state: usize, pair| claim.maps[pair.1][state]);
            let map: Vec<usize> = (0..states).map(through).collect();
            if map.iter().any(|state| good[*state]) {
                let elements: Vec<usize> = pairs.iter().map(|pair| pair.0).collect();
                next_interior.insert((composer.compose(level, &elements)?, named(&map)?));
            }
        }
        let (mut begun, mut ended) = (BTreeMap::new(), BTreeMap::new());
        for used in 1..=chunk {
            limit(edge.len(), used - 1)?;
            for ((first, state), length) in &edge {
                for row in rows(inner.len(), used - 1) {
                    let state =
                        row.iter().fold(*state, |state, index| claim.maps[inner[*index].1][state]);
                    if !good[state] {
                        continue;
                    }
                    let rest = row.iter().map(|index| inner[*index].0);
                    let elements: Vec<usize> = std::iter::once(*first).chain(rest).collect();
                    let pair = (composer.compose(level, &elements)?, state);
                    let symbols = length + (used as u64 - 1) * (chunk as u64).pow(level as u32);
                    keep_shortest(&mut begun, pair, symbols);
                    if used > 1 || level == 0 {
                        keep_shortest(&mut ended, pair, symbols); // one node for the first time
                    }
                }
            }
        }
        (interior, edge) = (next_interior, begun);
        compare(claim, level + 1, &interior, &edge)?;
        for ((element, state), symbols) in ended {
            let class = machine.classes[state];
            if class < outside && composer.class(element)? != class {
                wrong = Some(wrong.map_or(symbols, |least| least.min(symbols)));
            }
        }
    }

    if let Some(claimed) = &claim.wrong {
        require(claim.repeats.is_none(), "a counterexample repeats nothing")?;
        let given = composer.classify(&claimed.word)?;
        check_wrong_word(claim, claimed, given)?;
        require(wrong == Some(claimed.word.len() as u64), "no shorter word is wrong")?;
        return Ok(composer.margins);
    }
    require(wrong.is_none(), "all words have their class")?;
    require(claim.checked_length.is_none(), "any length was checked")?;
    let (first, last) = (claim.repeats.unwrap_or(0), claim.levels.len() - 1);
    require(1 <= first && first < last, "a level repeats an earlier one after the symbols")?;
    let same = claim.levels[first].interior == claim.levels[last].interior
        && claim.levels[first].edge == claim.levels[last].edge;
    require(same, "the last level has the pairs of the one that it repeats")?;
    let alike = reach.steps(first).clone() == *reach.steps(last);
    require(alike, "lengths of the last level do to the domain what those of the repeated one do")?;
    Ok(composer.margins)
}

pub fn keep_shortest(kept: &mut BTreeMap<Pair, u64>, pair: Pair, length: u64) {
    let least = kept.entry(pair).or_insert(length);
    *least = length.min(*least);
}

/// Check that a level of the file has exactly the pairs that were found, in increasing order.
pub fn compare(
    claim: &Claim,
    number: usize,
    interior: &BTreeSet<Pair>,
    edge: &BTreeMap<Pair, u64>,
) -> Checked<()> {
    let level = &claim.levels[number];
    let same = level.interior.iter().eq(interior.iter()) && level.edge.iter().eq(edge.keys());
    require(same, &format!("the pairs of level {number} are what follows"))
}

pub fn check_wrong_word(claim: &Claim, claimed: &WrongWord, given: usize) -> Checked<()> {
    let machine = &claim.machine;
    let state = claimed
        .word
        .iter()
        .fold(machine.start, |state, symbol| machine.transitions[state][*symbol]);
    let (class, names) = (machine.classes[state], &claim.language.class_names);
    require(class < claim.outside(), "the word is in the domain")?;
    require(names[class] == claimed.language, "its class is true")?;
    require(names[given] == claimed.model && given != class, "the network gives it another class")?;
    let shorter = claimed.word.len() as i64 - 1;
    require(claim.checked_length == Some(shorter), "all shorter words were checked")
}

// ---- recurrences ---------------------------------------------------------------------------------

pub fn check_prefixes(claim: &Claim, cell: &Recurrence) -> Checked<Margins> {
    let (machine, outside) = (&claim.machine, claim.outside());
    require(
        claim.maps.is_empty() && claim.repeats.is_none(),
        "there are no state maps, and no repeat",
    )?;
    let flat = claim.levels.iter().all(|level| level.interior.is_empty());
    require(flat && !claim.levels.is_empty(), "there is a level, and none has an interior")?;
    let number: HashMap<&[bool], usize> =
        claim.codes.iter().enumerate().map(|(number, code)| (code.as_slice(), number)).collect();
    let named = |code: Vec<bool>| {
        number
            .get(code.as_slice())
            .copied()
            .ok_or("this is not so: the code of every prefix is named")
    };
    let recalled: Vec<Ball> =
        claim.codes.iter().map(|code| cell.memory.recall(&cell.arithmetic, code)).collect();
    let mut margins = Margins { signs: f64::INFINITY, answers: f64::INFINITY };
    let begins = reaching(machine, |state| machine.classes[state] < outside);
    let first = named(margins.code(&cell.start_numbers())?)?;
    let start: Option<Pair> =
        if begins[machine.start] { Some((first, machine.start)) } else { None };
    let mut pairs: BTreeSet<Pair> = start.into_iter().collect();
    let (mut known, mut after, mut classes) = (BTreeSet::new(), HashMap::new(), HashMap::new());
    let mut wrong = false;
    for (length, level) in claim.levels.iter().enumerate() {
        require(!wrong, &format!("no word of less than {length} symbols is wrong"))?;
        if length > 0 {
            let mut found = BTreeSet::new();
            for (code, state) in &pairs {
                for symbol in 0..claim.symbols() {
                    let next = machine.transitions[*state][symbol];
                    if !begins[next] {
                        continue;
                    }
                    if !after.contains_key(&(*code, symbol)) {
                        let stepped =
                            named(margins.code(&cell.numbers(&recalled[*code], symbol))?)?;
                        after.insert((*code, symbol), stepped);
                    }
                    found.insert((after[&(*code, symbol)], next));
                }
            }
            pairs = found.difference(&known).copied().collect();
        }
        let same = level.edge.iter().eq(pairs.iter());
        require(same, &format!("the pairs of length {length} are what follows"))?;
        for (code, state) in &pairs {
            let class = machine.classes[*state];
            if class < outside {
                if !classes.contains_key(code) {
                    classes.insert(*code, margins.class(&cell.logits(&recalled[*code]))?);
                }
                wrong |= classes[code] != class;
            }
        }
        known.extend(pairs.iter().copied());
    }
    let seen: HashSet<usize> = known.iter().map(|pair| pair.0).chain([first]).collect();
    require(seen.len() == claim.codes.len(), "every code that is named occurs")?;
    let claimed = match &claim.wrong {
        None => {
            require(!wrong, "all words have their class")?;
            require(claim.checked_length.is_none(), "any length was checked")?;
            require(pairs.is_empty(), "nothing new follows the last level")?;
            return Ok(margins);
        }
        Some(claimed) => claimed,
    };
    require(wrong, "a word of the last length is wrong")?;
    let mut code = first;
    for symbol in &claimed.word {
        code = named(margins.code(&cell.numbers(&recalled[code], *symbol))?)?;
    }
    let given = margins.class(&cell.logits(&recalled[code]))?;
    check_wrong_word(claim, claimed, given)?;
    require(claimed.word.len() == claim.levels.len() - 1, "no shorter word is wrong")?;
    Ok(margins)
}
