//! What a certificate says, and step 1: that its machine is the language.

use crate::json::{require, sha256, Checked, Json, Reader};
use crate::recurrence::Recurrence;
use crate::tree::Tree;
use crate::weights::Weights;
use std::collections::{HashMap, HashSet};

pub type Pair = (usize, usize);

/// An automaton with a class on every state.
pub struct Automaton {
    pub transitions: Vec<Vec<usize>>,
    pub classes: Vec<usize>,
    pub start: usize,
}

pub struct Language {
    pub alphabet: Vec<String>,
    pub class_names: Vec<String>,
    pub automaton: Automaton,
    pub domain: Option<Automaton>,
}

pub struct WrongWord {
    pub word: Vec<usize>,
    pub model: String,
    pub language: String,
}

pub struct Level {
    pub interior: Vec<Pair>,
    pub edge: Vec<Pair>,
}

/// A network: how codes follow from codes.
pub enum Network {
    Tree(Tree),
    Recurrence(Recurrence),
}

impl Network {
    pub fn read(settings: &Json, weights: &Json) -> Checked<Network> {
        let weights = Weights::read(weights)?;
        if settings.has("cell") {
            return Recurrence::read(settings, weights).map(Network::Recurrence);
        }
        Tree::read(settings, weights).map(Network::Tree)
    }
}

pub struct Claim {
    pub language: Language,
    pub machine: Automaton,
    pub network: Network,
    pub codes: Vec<Vec<bool>>,
    pub maps: Vec<Vec<usize>>,
    pub levels: Vec<Level>,
    pub repeats: Option<usize>,
    /// The wrong word of a `counterexample`; none if the claim is `equivalent`.
    pub wrong: Option<WrongWord>,
    pub checked_length: Option<i64>,
}

impl Claim {
    pub fn symbols(&self) -> usize {
        self.language.alphabet.len()
    }

    /// The class of words outside the domain.
    pub fn outside(&self) -> usize {
        self.language.class_names.len()
    }

    pub fn read(content: &[u8]) -> Checked<Claim> {
        let text = std::str::from_utf8(content).map_err(|_| "the file is no UTF-8".to_string())?;
        let mut reader = Reader { text, at: 0 };
        let body = reader.object(0)?;
        reader.expect("\n")?;
        require(reader.at == text.len(), "nothing follows the last line")?;
        if body.has("precision") {
            return Err("kind \"bfloat16\" is not handled".to_string());
        }
        let names = [
            "format",
            "verdict",
            "strength",
            "language",
            "machine",
            "settings",
            "weights",
            "elements",
            "maps",
            "levels",
            "repeats",
            "counterexample",
            "checked_length",
            "notes",
            "digest",
        ];
        let parts: HashMap<&str, &Json> = names.into_iter().zip(body.fields(&names)?).collect();
        require(*parts["format"] == Json::Whole("2".to_string()), "the format is 2")?;
        let digest = parts["digest"].text()?;
        let end = format!(",\"digest\":\"{digest}\"}}\n");
        require(text.ends_with(&end), "the digest stands at the end")?;
        let signed = format!("{}}}\n", &text[..text.len() - end.len()]);
        require(sha256(signed.as_bytes()) == digest, "the digest is that of the content")?;
        let (verdict, strength) = (parts["verdict"].text()?, parts["strength"].text()?);
        require(verdict != "not-closed", "the certificate claims something")?;
        require(
            ["equivalent", "counterexample"].contains(&verdict),
            "the verdict is one of three",
        )?;
        let settings = parts["settings"];
        if strength != "discrete" || settings.has("window") {
            let kind = if settings.has("window") { "scratchpad-window" } else { strength };
            return Err(format!("kind {kind:?} is not handled"));
        }
        check_notes(parts["notes"])?;
        let language = read_language(parts["language"])?;
        let symbols = language.alphabet.len();
        let network = Network::read(settings, parts["weights"])?;
        let sizes = (settings.setting("vocab_size", 1)?, settings.setting("num_classes", 1)?);
        let fits = sizes == (symbols, language.class_names.len());
        require(fits, "the network has the symbols and classes of the language")?;
        let codes = parts["elements"].fields(&["codes"])?[0];
        let wrong = parts["counterexample"].maybe(|value| read_wrong(value, &language.alphabet))?;
        require(
            wrong.is_some() == (verdict == "counterexample"),
            "a wrong word is of its verdict",
        )?;
        let machine = parts["machine"].fields(&["transitions", "classes", "start"])?;
        Ok(Claim {
            machine: read_automaton(machine[0], machine[1], machine[2], symbols)?,
            codes: read_codes(codes, settings.setting("num_bits", 1)?)?,
            maps: parts["maps"].list(Json::counts)?,
            levels: parts["levels"].list(read_level)?,
            repeats: parts["repeats"].maybe(Json::count)?,
            checked_length: parts["checked_length"].maybe(Json::whole)?,
            language,
            network,
            wrong,
        })
    }
}

pub fn read_automaton(
    rows: &Json,
    classes: &Json,
    start: &Json,
    symbols: usize,
) -> Checked<Automaton> {
    let found = Automaton {
        transitions: rows.list(Json::counts)?,
        classes: classes.counts()?,
        start: start.count()?,
    };
    let count = found.classes.len();
    require(found.transitions.len() == count && found.start < count, "states have classes")?;
    let whole = |row: &Vec<usize>| row.len() == symbols && row.iter().all(|next| *next < count);
    require(found.transitions.iter().all(whole), "every state has a next one for each symbol")?;
    Ok(found)
}

pub const LANGUAGE: [&str; 7] =
    ["spec", "alphabet", "transitions", "classes", "start", "class_names", "domain"];

pub fn read_language(value: &Json) -> Checked<Language> {
    let parts = value.fields(&LANGUAGE)?;
    parts[0].text()?; // a name, of which nothing is claimed here
    let (alphabet, class_names) = (parts[1].texts()?, parts[5].texts()?);
    let space = |c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    let plain = alphabet.iter().all(|symbol| !symbol.is_empty() && !symbol.contains(space));
    require(
        plain && !alphabet.is_empty() && all_differ(&alphabet),
        "symbols are texts without spaces",
    )?;
    require(!class_names.is_empty() && all_differ(&class_names), "class names differ")?;
    let automaton = read_automaton(parts[2], parts[3], parts[4], alphabet.len())?;
    require(automaton.classes.iter().all(|c| *c < class_names.len()), "classes have names")?;
    let domain = parts[6].maybe(|value| {
        let parts = value.fields(&LANGUAGE)?;
        parts[0].text()?;
        let same = parts[1].texts()? == alphabet && parts[5].texts()? == ["0", "1"];
        require(same && *parts[6] == Json::Null, "a domain has two classes over the alphabet")?;
        let domain = read_automaton(parts[2], parts[3], parts[4], alphabet.len())?;
        require(domain.classes.iter().all(|c| *c < 2), "a domain has the classes 0 and 1")?;
        let alive = reaching(&domain, |state| domain.classes[state] == 1);
        require(alive[domain.start], "a domain has a word")?;
        Ok(domain)
    })?;
    Ok(Language { alphabet, class_names, automaton, domain })
}

pub fn all_differ<T: std::hash::Hash + Eq>(these: &[T]) -> bool {
    these.iter().collect::<HashSet<_>>().len() == these.len()
}

pub fn read_codes(value: &Json, bits: usize) -> Checked<Vec<Vec<bool>>> {
    let texts = value.texts()?;
    require(!texts.is_empty() && all_differ(&texts), "every code stands once")?;
    let digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    texts
        .iter()
        .map(|text| {
            let fits = text.len() == 2 * ((bits + 7) / 8) && text.chars().all(digit);
            require(fits, "codes are lower-case hexadecimal, as long as memory")?;
            let values = text.chars().map(|c| c.to_digit(16).unwrap_or(0));
            let row: Vec<bool> =
                values.flat_map(|v| [v & 8 != 0, v & 4 != 0, v & 2 != 0, v & 1 != 0]).collect();
            require(!row[bits..].contains(&true), "codes end with zeros")?;
            Ok(row[..bits].to_vec())
        })
        .collect()
}

pub fn read_level(value: &Json) -> Checked<Level> {
    let parts = value.fields(&["interior", "edge"])?;
    let pairs = |part: &Json| {
        part.list(|pair| {
            let pair = pair.counts()?;
            require(pair.len() == 2, "pairs have two numbers")?;
            Ok((pair[0], pair[1]))
        })
    };
    Ok(Level { interior: pairs(parts[0])?, edge: pairs(parts[1])? })
}

/// Read a wrong word, which is written with spaces if some symbol has several characters.
pub fn read_wrong(value: &Json, alphabet: &[String]) -> Checked<WrongWord> {
    let parts = value.fields(&["word", "model", "language"])?;
    let text = parts[0].text()?;
    let spaced = alphabet.iter().any(|symbol| symbol.chars().count() > 1);
    let written: Vec<String> = match (text, spaced) {
        ("", _) => Vec::new(),
        (_, true) => text.split(' ').map(str::to_string).collect(),
        (_, false) => text.chars().map(String::from).collect(),
    };
    let number = |symbol: &String| alphabet.iter().position(|each| each == symbol);
    let word: Option<Vec<usize>> = written.iter().map(number).collect();
    Ok(WrongWord {
        word: word.ok_or("a symbol of the word is not in the alphabet")?,
        model: parts[1].text()?.to_string(),
        language: parts[2].text()?.to_string(),
    })
}

/// Check the form of the maker's notes, of which nothing is believed.
pub fn check_notes(value: &Json) -> Checked<()> {
    let parts = value.fields(&["reason", "sureness", "moved", "made_with"])?;
    parts[0].text()?;
    let number = |value: &Json| {
        require(
            matches!(value, Json::Float(_) | Json::Whole(_) | Json::Null),
            "margins are numbers or null",
        )
    };
    parts[1].maybe(|sureness| {
        let margins = sureness.fields(&[
            "sign_distance",
            "sign_radius",
            "answer_distance",
            "answer_radius",
            "measured",
            "room",
            "is_certain",
        ])?;
        require(matches!(margins[6], Json::Bool(_)), "is_certain is true or false")?;
        margins[..6].iter().try_for_each(|margin| number(margin))
    })?;
    parts[2].maybe(|moved| {
        let distances = moved.fields(&["spread", "gap"])?;
        require(*distances[0] != Json::Null, "the spread is a number")?;
        distances.iter().try_for_each(|distance| number(distance))
    })?;
    parts[3].object()?.iter().try_for_each(|(_, value)| value.text().map(|_| ()))
}

// ---- 1 the language ------------------------------------------------------------------------------

/// Check that the machine is minimal, and gives every word the class that the language gives it.
pub fn check_machine(machine: &Automaton, language: &Language) -> Checked<()> {
    const MOST: usize = 1_000_000;
    let (count, outside) = (machine.classes.len(), language.class_names.len());
    let mut blocks = machine.classes.clone();
    loop {
        let signature = |state: usize| -> Vec<usize> {
            let after = machine.transitions[state].iter().map(|next| blocks[*next]);
            std::iter::once(blocks[state]).chain(after).collect()
        };
        let mut number = HashMap::new();
        let finer: Vec<usize> = (0..count)
            .map(|state| {
                let fresh = number.len();
                *number.entry(signature(state)).or_insert(fresh)
            })
            .collect();
        let grown = number.len() > blocks.iter().collect::<HashSet<_>>().len();
        blocks = finer;
        if !grown {
            break;
        }
    }
    require(all_differ(&blocks), "no two states of the machine are alike")?;
    let start_inside = language.domain.as_ref().map_or(0, |domain| domain.start);
    let mut queue = vec![(machine.start, language.automaton.start, start_inside)];
    let mut seen: HashSet<(usize, usize, usize)> = queue.iter().copied().collect();
    let mut met = vec![false; count];
    while let Some((mine, theirs, place)) = queue.pop() {
        met[mine] = true;
        let inside = language.domain.as_ref().map_or(true, |domain| domain.classes[place] == 1);
        let class = if inside { language.automaton.classes[theirs] } else { outside };
        require(machine.classes[mine] == class, "the machine gives every word its class")?;
        for symbol in 0..language.alphabet.len() {
            let after = (
                machine.transitions[mine][symbol],
                language.automaton.transitions[theirs][symbol],
                language.domain.as_ref().map_or(0, |domain| domain.transitions[place][symbol]),
            );
            if seen.insert(after) {
                require(seen.len() <= MOST, "language and domain are small enough to walk")?;
                queue.push(after);
            }
        }
    }
    require(met.iter().all(|each| *each), "every state of the machine is reached")
}

/// Return the states from which some word leads to a wanted state.
pub fn reaching(automaton: &Automaton, wanted: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut good: Vec<bool> = (0..automaton.classes.len()).map(wanted).collect();
    loop {
        let leads = |row: &Vec<usize>| row.iter().any(|next| good[*next]);
        let more: Vec<bool> =
            automaton.transitions.iter().zip(&good).map(|(row, own)| *own || leads(row)).collect();
        if more == good {
            return good;
        }
        good = more;
    }
}
