//! A second checker of lengthwise certificates, which shares no code with the first.
//!
//! `checker FILE ...` prints one line for each file, `FILE: accepted: ...` or `FILE: refused: ...`,
//! and ends with 0 if all are accepted, with 1 if one is refused, and with 2 if a file cannot be
//! read. It handles `discrete` certificates of RegularGPT with binary memory and of recurrent
//! networks with binary memory. The format, and what has to be checked, are in docs/certificate.md.
//!
//! Every number of the network stands as an interval, `mid` and `rad`, that holds the number of
//! real arithmetic and all numbers that the network's own arithmetic can give: rounded to nearest,
//! with sums in any order, fused or not, and with subnormal numbers kept or taken as 0.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::process::exit;

/// What is computed, or the reason why a certificate is refused.
type Checked<T> = Result<T, String>;
type Pair = (usize, usize);

fn require(holds: bool, what: &str) -> Checked<()> {
    if holds { Ok(()) } else { Err(format!("this is not so: {what}")) }
}

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
        None => "every word of the automaton in the file gets its class, at every length".to_string(),
        Some(wrong) => format!("the shortest word with a wrong class has {} symbols", wrong.word.len()),
    };
    let (signs, answers) = (margins.signs, margins.answers);
    Ok(format!("{what} ({size}); beyond rounding, signs have {signs:.3e} left and answers {answers:.3e}"))
}

// ---- JSON in canonical bytes ---------------------------------------------------------------------

#[derive(Debug, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    /// A whole number, as it is written.
    Whole(String),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Reads JSON that is written in the one canonical way: no spaces, the shortest escapes, shortest
/// floats as Python writes them, and no name twice.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

const DEEPEST: usize = 16;

impl<'a> Reader<'a> {
    fn peek(&self) -> u8 {
        *self.text.as_bytes().get(self.at).unwrap_or(&0)
    }

    fn takes(&mut self, token: &str) -> bool {
        let found = self.text[self.at..].starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) -> Checked<()> {
        let at = self.at;
        require(self.takes(token), &format!("canonical JSON has {token:?} at byte {at}"))
    }

    fn value(&mut self, depth: usize) -> Checked<Json> {
        require(depth < DEEPEST, "values nest as a certificate's do")?;
        match self.peek() {
            b'{' => self.object(depth),
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.takes("]") {
                    if !items.is_empty() {
                        self.expect(",")?;
                    }
                    items.push(self.value(depth + 1)?);
                }
                Ok(Json::List(items))
            }
            b'"' => Ok(Json::Text(self.string()?)),
            b'n' => self.expect("null").map(|_| Json::Null),
            b't' => self.expect("true").map(|_| Json::Bool(true)),
            b'f' => self.expect("false").map(|_| Json::Bool(false)),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Checked<Json> {
        self.expect("{")?;
        let (mut fields, mut names) = (Vec::new(), HashSet::new());
        while !self.takes("}") {
            if !fields.is_empty() {
                self.expect(",")?;
            }
            let name = self.string()?;
            require(names.insert(name.clone()), "no name stands twice")?;
            self.expect(":")?;
            fields.push((name, self.value(depth + 1)?));
        }
        Ok(Json::Object(fields))
    }

    fn string(&mut self) -> Checked<String> {
        self.expect("\"")?;
        let mut found = String::new();
        loop {
            let rest = &self.text[self.at..];
            let next = rest.chars().next().ok_or("a text does not end")?;
            self.at += next.len_utf8();
            match next {
                '"' => return Ok(found),
                '\\' => found.push(self.escaped()?),
                c if c < ' ' => return Err("a control character is not escaped".to_string()),
                c => found.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Checked<char> {
        for (token, c) in [
            ("\"", '"'), ("\\", '\\'), ("n", '\n'), ("r", '\r'), ("t", '\t'), ("b", '\x08'), ("f", '\x0c'),
        ] {
            if self.takes(token) {
                return Ok(c);
            }
        }
        for code in (0..32u8).filter(|c| !b"\n\r\t\x08\x0c".contains(c)) {
            if self.takes(&format!("u{code:04x}")) {
                return Ok(code as char);
            }
        }
        Err("an escape is not the canonical one".to_string())
    }

    fn number(&mut self) -> Checked<Json> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|c| b"+-.0123456789e".contains(c)).count();
        let text = &rest[..length];
        self.at += length;
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()) {
            let plain = text == "0" || !digits.starts_with('0');
            require(plain && digits.len() <= 4300, "whole numbers are canonical")?;
            return Ok(Json::Whole(text.to_string()));
        }
        let number: f64 = text.parse().map_err(|_| "a value is no JSON".to_string())?;
        require(number.is_finite() && shortest(number) == text, "floats are canonical")?;
        Ok(Json::Float(number))
    }
}

/// Write a float as Python does: the shortest digits, with an exponent below 1e-4 and from 1e16.
fn shortest(number: f64) -> String {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap();
    let power: i32 = exponent.parse().unwrap();
    if (-4..16).contains(&power) {
        let plain = format!("{number}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    format!("{digits}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

impl Json {
    /// Return the values of an object that has just these names, in this order.
    fn fields(&self, names: &[&str]) -> Checked<Vec<&Json>> {
        let fields = self.object()?;
        let same = fields.iter().map(|(name, _)| name.as_str()).eq(names.iter().copied());
        require(same, &format!("an object has the names {}, in this order", names.join(", ")))?;
        Ok(fields.iter().map(|(_, value)| value).collect())
    }

    fn object(&self) -> Checked<&[(String, Json)]> {
        if let Json::Object(fields) = self { Ok(fields) } else { Err("no object".to_string()) }
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_ok()
    }

    fn get(&self, name: &str) -> Checked<&Json> {
        let found = self.object()?.iter().find(|(each, _)| each == name);
        found.map(|(_, value)| value).ok_or_else(|| format!("there is no {name}"))
    }

    /// Check that an object has just these names, in any order.
    fn require_names(&self, names: &[&str]) -> Checked<()> {
        let fields = self.object()?;
        let known = fields.iter().all(|(name, _)| names.contains(&name.as_str()));
        require(known && fields.len() == names.len(), &format!("settings are {}", names.join(", ")))
    }

    /// Return a setting that is a whole number.
    fn setting(&self, name: &str, least: usize) -> Checked<usize> {
        let found = self.get(name)?.count()?;
        require(least <= found && found <= 1 << 62, &format!("{name} is within its limits"))?;
        Ok(found)
    }

    fn option(&self, name: &str, options: &[&str]) -> Checked<&str> {
        let found = self.get(name)?.text()?;
        require(options.contains(&found), &format!("{name} is one of {}", options.join(", ")))?;
        Ok(found)
    }

    fn float(&self, name: &str) -> Checked<f64> {
        match self.get(name)? {
            Json::Float(number) => Ok(*number),
            _ => Err(format!("{name} is no float")),
        }
    }

    fn text(&self) -> Checked<&str> {
        if let Json::Text(text) = self { Ok(text) } else { Err("a value is no text".to_string()) }
    }

    fn whole(&self) -> Checked<i64> {
        match self {
            Json::Whole(text) => text.parse().map_err(|_| "a whole number is too large".to_string()),
            _ => Err("a value is no whole number".to_string()),
        }
    }

    /// Return a whole number from 0.
    fn count(&self) -> Checked<usize> {
        usize::try_from(self.whole()?).map_err(|_| "a number is below 0".to_string())
    }

    fn list<T>(&self, each: impl Fn(&Json) -> Checked<T>) -> Checked<Vec<T>> {
        match self {
            Json::List(items) => items.iter().map(each).collect(),
            _ => Err("a value is no list".to_string()),
        }
    }

    fn counts(&self) -> Checked<Vec<usize>> {
        self.list(Json::count)
    }

    fn texts(&self) -> Checked<Vec<String>> {
        self.list(|each| each.text().map(str::to_string))
    }

    fn maybe<T>(&self, read: impl Fn(&Json) -> Checked<T>) -> Checked<Option<T>> {
        if *self == Json::Null { Ok(None) } else { read(self).map(Some) }
    }
}

// ---- bytes ---------------------------------------------------------------------------------------

/// Decode base 64 with padding, in which unused bits are 0.
fn base64(text: &str) -> Checked<Vec<u8>> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut values = [64u8; 256];
    for (value, letter) in LETTERS.iter().enumerate() {
        values[*letter as usize] = value as u8;
    }
    require(text.len() % 4 == 0, "base 64 is padded")?;
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0u32);
    for letter in digits.bytes() {
        let value = values[letter as usize];
        require(value < 64, "base 64 has its letters")?;
        bits = (bits << 6 | value as u32) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    let rest = bits & ((1 << held) - 1);
    require(padding <= 2 && held == 2 * padding as u32 && rest == 0, "base 64 ends canonically")?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of FIPS 180-4; its constants are the first bits of roots of primes.
fn sha256(content: &[u8]) -> String {
    let primes: Vec<u32> = (2..312).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
    let fraction = |root: f64| ((root - root.floor()) * 4294967296.0) as u32;
    let mut state: Vec<u32> = primes[..8].iter().map(|p| fraction((*p as f64).sqrt())).collect();
    let constants: Vec<u32> = primes[..64].iter().map(|p| fraction((*p as f64).cbrt())).collect();
    let mut padded = content.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((content.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks(64) {
        let mut w: Vec<u32> =
            block.chunks(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect();
        for t in 16..64 {
            let (a, b) = (w[t - 15], w[t - 2]);
            let small = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
            let large = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
            w.push(w[t - 16].wrapping_add(small).wrapping_add(w[t - 7]).wrapping_add(large));
        }
        let mut s = state.clone();
        for t in 0..64 {
            let mixed = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
            let choice = s[4] & s[5] ^ !s[4] & s[6];
            let first = [mixed, choice, constants[t], w[t]].iter().fold(s[7], |x, y| x.wrapping_add(*y));
            let mixed = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
            let second = mixed.wrapping_add(s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
            s.rotate_right(1);
            s[4] = s[4].wrapping_add(first);
            s[0] = first.wrapping_add(second);
        }
        for (whole, part) in state.iter_mut().zip(s) {
            *whole = whole.wrapping_add(part);
        }
    }
    hex(&state.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>())
}

// ---- what the file says --------------------------------------------------------------------------

/// An automaton with a class on every state.
struct Automaton {
    transitions: Vec<Vec<usize>>,
    classes: Vec<usize>,
    start: usize,
}

struct Language {
    alphabet: Vec<String>,
    class_names: Vec<String>,
    automaton: Automaton,
    domain: Option<Automaton>,
}

struct WrongWord {
    word: Vec<usize>,
    model: String,
    language: String,
}

struct Level {
    interior: Vec<Pair>,
    edge: Vec<Pair>,
}

struct Claim {
    language: Language,
    machine: Automaton,
    network: Network,
    codes: Vec<Vec<bool>>,
    maps: Vec<Vec<usize>>,
    levels: Vec<Level>,
    repeats: Option<usize>,
    /// The wrong word of a `counterexample`; none if the claim is `equivalent`.
    wrong: Option<WrongWord>,
    checked_length: Option<i64>,
}

impl Claim {
    fn symbols(&self) -> usize {
        self.language.alphabet.len()
    }

    /// The class of words outside the domain.
    fn outside(&self) -> usize {
        self.language.class_names.len()
    }

    fn read(content: &[u8]) -> Checked<Claim> {
        let text = std::str::from_utf8(content).map_err(|_| "the file is no UTF-8".to_string())?;
        let mut reader = Reader { text, at: 0 };
        let body = reader.object(0)?;
        reader.expect("\n")?;
        require(reader.at == text.len(), "nothing follows the last line")?;
        let names = [
            "format", "verdict", "strength", "language", "machine", "settings", "weights", "elements",
            "maps", "levels", "repeats", "counterexample", "checked_length", "notes", "digest",
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
        require(["equivalent", "counterexample"].contains(&verdict), "the verdict is one of three")?;
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
        require(wrong.is_some() == (verdict == "counterexample"), "a wrong word is of its verdict")?;
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

fn read_automaton(rows: &Json, classes: &Json, start: &Json, symbols: usize) -> Checked<Automaton> {
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

const LANGUAGE: [&str; 7] =
    ["spec", "alphabet", "transitions", "classes", "start", "class_names", "domain"];

fn read_language(value: &Json) -> Checked<Language> {
    let parts = value.fields(&LANGUAGE)?;
    parts[0].text()?; // a name, of which nothing is claimed here
    let (alphabet, class_names) = (parts[1].texts()?, parts[5].texts()?);
    let space = |c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    let plain = alphabet.iter().all(|symbol| !symbol.is_empty() && !symbol.contains(space));
    require(plain && !alphabet.is_empty() && all_differ(&alphabet), "symbols are texts without spaces")?;
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

fn all_differ<T: std::hash::Hash + Eq>(these: &[T]) -> bool {
    these.iter().collect::<HashSet<_>>().len() == these.len()
}

fn read_codes(value: &Json, bits: usize) -> Checked<Vec<Vec<bool>>> {
    let texts = value.texts()?;
    require(!texts.is_empty() && all_differ(&texts), "every code stands once")?;
    let digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    texts.iter().map(|text| {
        let fits = text.len() == 2 * ((bits + 7) / 8) && text.chars().all(digit);
        require(fits, "codes are lower-case hexadecimal, as long as memory")?;
        let values = text.chars().map(|c| c.to_digit(16).unwrap_or(0));
        let row: Vec<bool> =
            values.flat_map(|v| [v & 8 != 0, v & 4 != 0, v & 2 != 0, v & 1 != 0]).collect();
        require(!row[bits..].contains(&true), "codes end with zeros")?;
        Ok(row[..bits].to_vec())
    }).collect()
}

fn read_level(value: &Json) -> Checked<Level> {
    let parts = value.fields(&["interior", "edge"])?;
    let pairs = |part: &Json| part.list(|pair| {
        let pair = pair.counts()?;
        require(pair.len() == 2, "pairs have two numbers")?;
        Ok((pair[0], pair[1]))
    });
    Ok(Level { interior: pairs(parts[0])?, edge: pairs(parts[1])? })
}

/// Read a wrong word, which is written with spaces if some symbol has several characters.
fn read_wrong(value: &Json, alphabet: &[String]) -> Checked<WrongWord> {
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
fn check_notes(value: &Json) -> Checked<()> {
    let parts = value.fields(&["reason", "sureness", "moved", "made_with"])?;
    parts[0].text()?;
    let number = |value: &Json| require(
        matches!(value, Json::Float(_) | Json::Whole(_) | Json::Null), "margins are numbers or null",
    );
    parts[1].maybe(|sureness| {
        let margins = sureness.fields(&[
            "sign_distance", "sign_radius", "answer_distance", "answer_radius", "measured", "room",
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
fn check_machine(machine: &Automaton, language: &Language) -> Checked<()> {
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
fn reaching(automaton: &Automaton, wanted: impl Fn(usize) -> bool) -> Vec<bool> {
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

// ---- balls ---------------------------------------------------------------------------------------

/// Unit roundoff and smallest normal number of the type of centres and radii.
const OWN_UNIT: f64 = f64::EPSILON / 2.0;
const OWN_TINY: f64 = f64::MIN_POSITIVE;
/// Factor on every radius: more than four million roundings in computing it can lose.
const OUTWARD: f64 = 1.0 + 1e-9;
/// Added to every radius, so that products of three of them are normal numbers.
const LEAST: f64 = 1e-90;
/// Errors of exp and of tanh in the network, in units in the last place.
const EXP_ULPS: f64 = 20.0;
const TANH_ULPS: f64 = 8.0;
const NORM_EPSILON: f64 = 1e-5;

/// All vectors whose Euclidean distance from the centre is at most the radius.
#[derive(Clone)]
struct Ball {
    centre: Vec<f64>,
    radius: f64,
}

impl Ball {
    fn exact(centre: &[f64]) -> Ball {
        Ball { centre: centre.to_vec(), radius: 0.0 }
    }

    /// Bounds on the absolute value of each entry.
    fn sizes(&self) -> Vec<f64> {
        self.centre.iter().map(|x| x.abs() + self.radius).collect()
    }

    fn part(&self, first: usize, count: usize) -> Ball {
        Ball { centre: self.centre[first..first + count].to_vec(), radius: self.radius }
    }
}

/// Return the sum of products, in eight lanes that a processor can add side by side.
fn dot(a: &[f64], b: &[f64]) -> f64 {
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
fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt() * OUTWARD + LEAST
}

/// Return the largest of numbers that are not negative; NaN if one is.
fn largest(these: &[f64]) -> f64 {
    these.iter().fold(0.0, |most, x| if *x > most || x.is_nan() { *x } else { most })
}

fn zipped(a: &[f64], b: &[f64], function: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| function(*x, *y)).collect()
}

struct Matrix {
    rows: Vec<Vec<f64>>,
    sizes: Vec<Vec<f64>>,
    bias: Vec<f64>,
    /// At least the largest singular value.
    stretch: f64,
    /// At least the sum of the sizes of any row and its bias.
    widest: f64,
}

impl Matrix {
    fn new(rows: Vec<Vec<f64>>, bias: Vec<f64>) -> Matrix {
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
fn singular(rows: &[Vec<f64>]) -> f64 {
    const SQUARINGS: usize = 6;
    let frobenius = |matrix: &[Vec<f64>]| norm(&matrix.iter().map(|row| norm(row)).collect::<Vec<_>>());
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
    let bound = norms.iter().rev().fold(frobenius(&power), |found, (size, lost)| {
        size * (found + lost).sqrt() * OUTWARD
    });
    if bound.is_finite() { bound } else { f64::INFINITY }
}

struct Norm {
    weight: Vec<f64>,
    bias: Vec<f64>,
}

/// The arithmetic of a floating-point type: unit roundoff, smallest normal and largest number.
struct Arithmetic {
    unit: f64,
    tiny: f64,
    largest: f64,
}

/// n u / (1 - n u): the relative error of a sum of n products in any order (Higham, 3.1).
fn gamma_of(terms: f64, unit: f64) -> f64 {
    let product = terms * unit;
    if terms <= 4e6 && product < 0.5 { product / (1.0 - product) } else { f64::INFINITY }
}

impl Arithmetic {
    fn of(name: &str) -> Checked<Arithmetic> {
        let (unit, tiny) = (f32::EPSILON as f64 / 2.0, f32::MIN_POSITIVE as f64);
        match name {
            "float32" => Ok(Arithmetic { unit, tiny, largest: f32::MAX as f64 }),
            "float64" => Ok(Arithmetic { unit: OWN_UNIT, tiny: OWN_TINY, largest: f64::MAX }),
            _ => Err("weights are of float32 or of float64".to_string()),
        }
    }

    /// Bound the roundings of the network, plus those of the centre.
    fn gamma(&self, terms: usize) -> f64 {
        gamma_of(terms as f64, self.unit) + gamma_of(terms as f64, OWN_UNIT)
    }

    /// Bound what is lost where numbers below the smallest normal one are taken as 0. `reach` is
    /// the number of operations plus the sizes of all that is multiplied.
    fn flushed(&self, reach: f64) -> f64 {
        8.0 * (self.tiny + OWN_TINY) * reach
    }

    fn fits(&self, size: f64) -> bool {
        size < 1e-6 * self.largest
    }

    /// Return the radius of a number: `moved` is what its arguments' radii become, `size` the sum
    /// of the sizes of all terms, each rounded so many times. Infinite where it could overflow.
    fn radius(&self, moved: f64, size: f64, roundings: usize, reach: f64) -> f64 {
        let radius = (moved + self.gamma(roundings) * size + self.flushed(reach)) * OUTWARD + LEAST;
        if radius.is_finite() && self.fits(size) { radius } else { f64::INFINITY }
    }

    /// The same for a vector, with a size for each entry and a reach for the largest.
    fn ball(&self, centre: Vec<f64>, moved: f64, sizes: &[f64], roundings: usize, reach: f64) -> Ball {
        let root = (centre.len() as f64).sqrt();
        let whole = centre.iter().all(|x| x.is_finite()) && self.fits(largest(sizes));
        let radius = self.radius(moved, 0.0, 0, root * reach) + self.gamma(roundings) * norm(sizes);
        let radius = if whole && radius.is_finite() { radius * OUTWARD } else { f64::INFINITY };
        Ball { centre, radius }
    }

    /// W x + b: a sum of n products and b, in any order, is off by at most gamma(n + 1) times the
    /// sum of their sizes; what is flushed moves it by at most `flushed`.
    fn linear(&self, matrix: &Matrix, x: &Ball) -> Ball {
        let (centre, sizes, reach) = self.products(matrix, x);
        self.ball(centre, matrix.stretch * x.radius, &sizes, x.centre.len() + 2, reach)
    }

    /// The same, with a radius for each number.
    fn numbers(&self, matrix: &Matrix, x: &Ball) -> Vec<(f64, f64)> {
        let (centre, sizes, reach) = self.products(matrix, x);
        let radius = |row: usize| {
            let moved = norm(&matrix.rows[row]) * x.radius;
            self.radius(moved, sizes[row], x.centre.len() + 2, reach)
        };
        centre.iter().enumerate().map(|(row, number)| (*number, radius(row))).collect()
    }

    fn products(&self, matrix: &Matrix, x: &Ball) -> (Vec<f64>, Vec<f64>, f64) {
        let of = |rows: &[Vec<f64>], x: &[f64]| rows.iter().map(|row| dot(row, x)).collect::<Vec<_>>();
        let (sizes, bias) = (x.sizes(), &matrix.bias);
        let centre = zipped(&of(&matrix.rows, &x.centre), bias, |sum, b| sum + b);
        let reach = sizes.len() as f64 + 1.0 + sizes.iter().sum::<f64>() + matrix.widest;
        (centre, zipped(&of(&matrix.sizes, &sizes), bias, |sum, b| sum + b.abs()), reach)
    }

    /// Multiply by a number that is itself rounded, or divide by its reciprocal.
    fn scaled(&self, x: &Ball, factor: f64) -> Ball {
        let sizes: Vec<f64> = x.sizes().iter().map(|size| size * factor).collect();
        let centre = x.centre.iter().map(|value| value * factor).collect();
        let reach = 4.0 * (1.0 + largest(&x.sizes())) * (1.0 + factor);
        let moved = if self.fits(factor) { x.radius * factor } else { f64::INFINITY };
        self.ball(centre, moved, &sizes, 4, reach)
    }

    fn sum(&self, x: &Ball, y: &Ball) -> Ball {
        let sizes = zipped(&x.sizes(), &y.sizes(), |a, b| a + b);
        let centre = zipped(&x.centre, &y.centre, |a, b| a + b);
        self.ball(centre, x.radius + y.radius, &sizes, 1, 1.0 + largest(&sizes))
    }

    /// The product of entries.
    fn product(&self, x: &Ball, y: &Ball) -> Ball {
        let sizes = zipped(&x.sizes(), &y.sizes(), |a, b| a * b);
        let (mine, theirs) = (largest(&x.sizes()), largest(&y.sizes()));
        let moved = x.radius * theirs + mine * y.radius;
        let centre = zipped(&x.centre, &y.centre, |a, b| a * b);
        self.ball(centre, moved, &sizes, 1, 1.0 + mine + theirs)
    }

    /// A function of each entry with a slope of at most `slope`, whose computed value is off by
    /// at most `units` unit roundoffs of 1 or, if the function is at most |x|, of that.
    fn entries(&self, x: &Ball, function: fn(f64) -> f64, slope: f64, units: f64) -> Ball {
        let sizes: Vec<f64> = x.sizes().iter().map(|s| if *s > 1.0 && units > 0.0 { 1.0 } else { *s }).collect();
        let sizes = if function(0.0) == 0.0 { sizes } else { vec![1.0; sizes.len()] };
        let centre = x.centre.iter().map(|value| function(*value)).collect();
        let moved = if self.fits(largest(&x.sizes())) { slope * x.radius } else { f64::INFINITY };
        self.ball(centre, moved, &sizes, units as usize, 4.0)
    }

    fn relu(&self, x: &Ball) -> Ball {
        self.entries(x, |x| if x > 0.0 { x } else { 0.0 }, 1.0, 0.0)
    }

    fn tanh(&self, x: &Ball) -> Ball {
        self.entries(x, f64::tanh, 1.0, 2.0 * TANH_ULPS)
    }

    /// 1 / (1 + exp(-x)): a relative error of exp changes it by no more than itself.
    fn sigmoid(&self, x: &Ball) -> Ball {
        self.entries(x, |x| 1.0 / (1.0 + (-x).exp()), 0.25, 2.0 * EXP_ULPS + 4.0)
    }

    /// g (x - mean) r + b with r = 1 / sqrt(variance + epsilon); docs/certificate.md says why.
    ///
    /// In a ball of radius R the deviation is at least that of the centre less R / sqrt(n), so that
    /// `least` is the least of variance + epsilon, and the Jacobian is g times a contraction over its
    /// root. Let `beta` be the largest |mean| r, and a^2 = 1 + beta^2. All usual ways (two passes, one
    /// pass, Welford's, means of parts that are joined) give the mean within gamma(n + 24) a / r, and
    /// the variance within a share q of variance + epsilon.
    fn layer_norm(&self, x: &Ball, norms: &Norm) -> Ball {
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
    fn softmax(&self, logits: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let sizes: Vec<f64> = logits.iter().map(|(logit, radius)| logit.abs() + radius).collect();
        let own = gamma_of(64.0, OWN_UNIT) * (1.0 + largest(&sizes)); // of the exponents below
        let inside = self.gamma(6) * largest(&sizes) + self.gamma(2 * EXP_ULPS as usize + 4) + own;
        let radii: Vec<f64> = logits.iter().map(|l| (l.1 + inside) * OUTWARD).collect();
        let weight = |own: usize, up: f64| {
            let against = |i: usize| (logits[i].0 - up * radii[i] - logits[own].0 - up * radii[own]).exp();
            1.0 / (1.0 + (0..logits.len()).filter(|i| *i != own).map(against).sum::<f64>())
        };
        let slack = gamma_of(2.0 * logits.len() as f64 + 64.0, OWN_UNIT);
        let flushed = self.flushed(2.0 + logits.len() as f64);
        let known = self.fits(largest(&sizes)) && radii.iter().all(|radius| radius.is_finite());
        let moved = |own: usize, middle: f64| {
            let (up, down) = (weight(own, 1.0), weight(own, -1.0));
            let moved = largest(&[up - middle, middle - down]) + slack * (up + middle) + flushed;
            if known { moved * OUTWARD + LEAST } else { f64::INFINITY }
        };
        let most = logits.iter().fold(f64::NEG_INFINITY, |most, logit| most.max(logit.0));
        let powers: Vec<f64> = logits.iter().map(|logit| (logit.0 - most).exp()).collect();
        let all: f64 = powers.iter().sum();
        powers.iter().enumerate().map(|(key, power)| (power / all, moved(key, power / all))).collect()
    }
}

// ---- 2 the network -------------------------------------------------------------------------------

/// Weights by name, each with its shape; all are finite numbers of one type.
struct Weights {
    arrays: BTreeMap<String, (Vec<usize>, Vec<f64>)>,
    arithmetic: Arithmetic,
}

impl Weights {
    fn read(value: &Json) -> Checked<Weights> {
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

    fn require_shapes(&self, shapes: &[(String, Vec<usize>)]) -> Checked<()> {
        require(self.arrays.len() == shapes.len(), "weights are those of the settings")?;
        shapes.iter().try_for_each(|(name, shape)| {
            let same = self.arrays.get(name).map_or(false, |(own, _)| own == shape);
            require(same, &format!("{name} has the shape that settings say"))
        })
    }

    /// Return the rows of an array; one of one axis is one row.
    fn rows(&self, name: &str) -> Vec<Vec<f64>> {
        let (shape, numbers) = &self.arrays[name];
        numbers.chunks(shape[shape.len() - 1]).map(<[f64]>::to_vec).collect()
    }

    /// Return some rows of a matrix, with its biases or with none.
    fn matrix(&self, name: &str, first: usize, count: usize) -> Matrix {
        let cut = |numbers: &[f64]| numbers[first..first + count].to_vec();
        let bias = self.arrays.get(&format!("{name}.bias")).map(|(_, numbers)| cut(numbers));
        let rows = self.rows(&format!("{name}.weight"))[first..first + count].to_vec();
        Matrix::new(rows, bias.unwrap_or_else(|| vec![0.0; count]))
    }

    fn whole(&self, name: &str) -> Matrix {
        self.matrix(name, 0, self.arrays[&format!("{name}.weight")].0[0])
    }

    fn norm(&self, name: &str) -> Norm {
        let part = |part: &str| self.arrays[&format!("{name}.{part}")].1.clone();
        Norm { weight: part("weight"), bias: part("bias") }
    }
}

/// Bits of memory: numbers whose signs are written, and vectors that are read again.
struct Memory {
    write: Matrix,
    read: Matrix,
    norm: Norm,
    /// The number as which a bit that is off is read.
    off: f64,
}

impl Memory {
    fn new(weights: &Weights, off: f64) -> Memory {
        let (write, read) = (weights.whole("memory.write"), weights.whole("memory.read"));
        Memory { write, read, norm: weights.norm("memory.norm"), off }
    }

    fn recall(&self, arithmetic: &Arithmetic, code: &[bool]) -> Ball {
        let signs: Vec<f64> = code.iter().map(|bit| if *bit { 1.0 } else { self.off }).collect();
        arithmetic.layer_norm(&arithmetic.linear(&self.read, &Ball::exact(&signs)), &self.norm)
    }
}

/// Shapes that both networks have.
fn common_shapes(settings: &Json, width: usize) -> Checked<Vec<(String, Vec<usize>)>> {
    let (bits, classes) = (settings.setting("num_bits", 1)?, settings.setting("num_classes", 1)?);
    Ok(named_shapes("", &[
        ("memory.write.weight", &[bits, width]),
        ("memory.write.bias", &[bits]),
        ("memory.read.weight", &[width, bits]),
        ("memory.read.bias", &[width]),
        ("memory.norm.weight", &[width]),
        ("memory.norm.bias", &[width]),
        ("answer.weight", &[classes, width]),
        ("answer.bias", &[classes]),
    ]))
}

fn named_shapes(prefix: &str, shapes: &[(&str, &[usize])]) -> Vec<(String, Vec<usize>)> {
    shapes.iter().map(|(name, shape)| (format!("{prefix}{name}"), shape.to_vec())).collect()
}

/// What is left of distances after rounding: the least of all numbers whose signs, and of all pairs
/// of logits whose order, were read.
struct Margins {
    signs: f64,
    answers: f64,
}

impl Margins {
    /// Return the signs of numbers with radii, which no rounding may change.
    fn code(&mut self, numbers: &[(f64, f64)]) -> Checked<Vec<bool>> {
        for (number, radius) in numbers {
            require(number.abs() > *radius, "every sign is certain")?;
            self.signs = self.signs.min(number.abs() - radius);
        }
        Ok(numbers.iter().map(|(number, _)| *number >= 0.0).collect())
    }

    /// Return the class with the largest logit, which no rounding may change.
    fn class(&mut self, logits: &[(f64, f64)]) -> Checked<usize> {
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

/// A network: how codes follow from codes.
enum Network {
    Tree(Tree),
    Recurrence(Recurrence),
}

impl Network {
    fn read(settings: &Json, weights: &Json) -> Checked<Network> {
        let weights = Weights::read(weights)?;
        if settings.has("cell") {
            return Recurrence::read(settings, weights).map(Network::Recurrence);
        }
        Tree::read(settings, weights).map(Network::Tree)
    }
}

struct Layer {
    /// By head.
    query: Vec<Matrix>,
    key: Vec<Matrix>,
    value: Vec<Matrix>,
    output: Matrix,
    /// By head and offset.
    bias: Vec<Vec<f64>>,
    expand: Matrix,
    contract: Matrix,
    /// Of attention and of the feed-forward network.
    norms: Option<[Norm; 2]>,
}

/// RegularGPT with binary memory.
struct Tree {
    arithmetic: Arithmetic,
    chunk: usize,
    heads: usize,
    norm: String,
    learned_pad: bool,
    layers: Vec<Layer>,
    memory: Memory,
    final_norm: Option<Norm>,
    answer: Matrix,
    symbols: Vec<Ball>,
    pad: Ball,
}

impl Tree {
    fn read(settings: &Json, weights: Weights) -> Checked<Tree> {
        settings.require_names(&[
            "vocab_size", "num_classes", "transition_size", "chunk", "thickness", "d_model",
            "num_heads", "ff_factor", "norm", "activation", "pad", "memory", "num_bits", "noise",
            "dropout", "embedding_scale",
        ])?;
        let (width, heads) = (settings.setting("d_model", 1)?, settings.setting("num_heads", 1)?);
        let (chunk, thickness) = (settings.setting("chunk", 2)?, settings.setting("thickness", 1)?);
        require(width % heads == 0, "d_model is a multiple of num_heads")?;
        require(chunk <= 32, "a chunk has at most 32 places")?;
        require(thickness <= weights.arrays.len(), "every layer has weights")?;
        let hidden = settings.setting("ff_factor", 1)?.saturating_mul(width);
        let symbols = settings.setting("vocab_size", 1)?;
        let norm = settings.option("norm", &["post", "pre", "none"])?.to_string();
        settings.option("memory", &["binary"])?;
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

        let mut shapes = common_shapes(settings, width)?;
        shapes.extend(named_shapes("", &[("embedding.weight", &[symbols, width]), ("pad", &[width])]));
        let norm_shapes = |name: String| named_shapes(&name, &[(".weight", &[width]), (".bias", &[width])]);
        for index in 0..thickness {
            let layer = format!("layers.{index}.");
            shapes.extend(named_shapes(&layer, &[
                ("attention.query.weight", &[width, width]),
                ("attention.key_value.weight", &[2 * width, width]),
                ("attention.output.weight", &[width, width]),
                ("attention.bias", &[heads, chunk]),
                ("expand.weight", &[hidden, width]),
                ("expand.bias", &[hidden]),
                ("contract.weight", &[width, hidden]),
                ("contract.bias", &[width]),
            ]));
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
            let norms = || [weights.norm(&of("attention_norm.norm")), weights.norm(&of("feed_forward_norm.norm"))];
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
        })
    }

    /// Return the numbers whose signs are the code of a chunk; a child that is none is the pad.
    fn numbers(&self, children: &[Option<&Ball>]) -> Vec<(f64, f64)> {
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
    fn normed(&self, place: &str, layer: &Layer, branch: usize, x: Ball) -> Ball {
        match &layer.norms {
            Some(norms) if self.norm == place => self.arithmetic.layer_norm(&x, &norms[branch]),
            _ => x,
        }
    }

    /// Return the vectors after a layer at the positions from `first` on.
    fn layer(&self, layer: &Layer, x: &[Ball], present: &[bool], first: usize) -> Vec<Ball> {
        let arithmetic = &self.arithmetic;
        let head_width = (x[0].centre.len() / self.heads) as f64;
        let seen: Vec<Ball> = x.iter().map(|each| self.normed("pre", layer, 0, each.clone())).collect();
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
    /// With w the softmax of the centres and w + m another one within their radii, the movements m
    /// sum to 0, so that sum (w + m) v differs from sum w v by sum m (v - c), for any c.
    fn attend(
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
        for (head, asked) in query.iter().enumerate() {
            let logit = |key: &usize| {
                self.logit(asked, &keys[*key][head], layer.bias[head][position - key])
            };
            let weights = self.arithmetic.softmax(&visible.iter().map(logit).collect::<Vec<_>>());
            let radius = |(key, (weight, moved)): (&usize, &(f64, f64))| {
                (weight + moved) * values[*key][head].radius
            };
            let radius: f64 = visible.iter().zip(&weights).map(radius).sum();
            radii.push(radius);
            for place in 0..asked.centre.len() {
                let all = || visible.iter().map(|key| values[*key][head].centre[place]).zip(&weights);
                let middle = all().map(|(v, _)| v).sum::<f64>() / count as f64;
                centre.push(all().map(|(v, (weight, _))| weight * v).sum());
                wrong.push(all().map(|(v, (_, moved))| moved * (v - middle).abs()).sum());
                let size = all().map(|(v, (weight, moved))| (weight + moved) * v.abs()).sum::<f64>();
                sizes.push(size + radius);
            }
        }
        let reach = |key: &usize| {
            let sizes: Vec<f64> = values[*key].iter().map(|value| largest(&value.sizes())).collect();
            (count as f64 + 4.0) * (2.0 + largest(&sizes))
        };
        let reach = 1.0 + visible.iter().map(reach).sum::<f64>();
        self.arithmetic.ball(centre, norm(&radii) + norm(&wrong), &sizes, 2 * count + 8, reach)
    }

    /// Return the product of a query and a key, plus the bias of their offset, with its radius.
    fn logit(&self, query: &Ball, key: &Ball, bias: f64) -> (f64, f64) {
        let (sizes, own) = (query.sizes(), key.sizes());
        let moved = query.radius * (norm(&key.centre) + key.radius) + norm(&query.centre) * key.radius;
        let terms = sizes.len();
        let reach = terms as f64 + 1.0 + bias.abs() + sizes.iter().chain(&own).sum::<f64>();
        let number = dot(&query.centre, &key.centre) + bias;
        (number, self.arithmetic.radius(moved, dot(&sizes, &own) + bias.abs(), terms + 2, reach))
    }

    fn logits(&self, vector: &Ball) -> Vec<(f64, f64)> {
        match &self.final_norm {
            Some(norm) => self.arithmetic.numbers(&self.answer, &self.arithmetic.layer_norm(vector, norm)),
            None => self.arithmetic.numbers(&self.answer, vector),
        }
    }
}

/// A recurrent network with binary memory.
struct Recurrence {
    arithmetic: Arithmetic,
    start: Ball,
    /// By gate, of which Elman's cell has one and a GRU three: reset, keep and new.
    symbols: Vec<Vec<Ball>>,
    recurrent: Vec<Matrix>,
    memory: Memory,
    answer: Matrix,
}

impl Recurrence {
    fn read(settings: &Json, weights: Weights) -> Checked<Recurrence> {
        settings.require_names(&["vocab_size", "num_classes", "cell", "d_model", "num_bits", "noise"])?;
        let gates = if settings.option("cell", &["elman", "gru"])? == "gru" { 3 } else { 1 };
        let (width, symbols) = (settings.setting("d_model", 1)?, settings.setting("vocab_size", 1)?);
        require(settings.float("noise")? >= 0.0, "noise is not below 0")?;
        let rows = width.saturating_mul(gates);
        let mut shapes = common_shapes(settings, width)?;
        shapes.extend(named_shapes("", &[
            ("start", &[width]),
            ("cell.symbols.weight", &[symbols, rows]),
            ("cell.recurrent.weight", &[rows, width]),
            ("cell.recurrent.bias", &[rows]),
        ]));
        weights.require_shapes(&shapes)?;
        let rows = weights.rows("cell.symbols.weight");
        let of = |gate: usize| rows.iter().map(|row| Ball::exact(row).part(gate * width, width)).collect();
        let matrix = |gate: usize| weights.matrix("cell.recurrent", gate * width, width);
        Ok(Recurrence {
            start: Ball::exact(&weights.rows("start")[0]),
            symbols: (0..gates).map(of).collect(),
            recurrent: (0..gates).map(matrix).collect(),
            memory: Memory::new(&weights, 0.0),
            answer: weights.whole("answer"),
            arithmetic: weights.arithmetic,
        })
    }

    fn start_numbers(&self) -> Vec<(f64, f64)> {
        self.arithmetic.numbers(&self.memory.write, &self.start)
    }

    /// Return the numbers whose signs are the code after a symbol: of tanh(x + U h + b), or of
    /// n + z (h - n) with n = tanh(x_n + r (U_n h + b_n)), from the gates r and z.
    fn numbers(&self, before: &Ball, symbol: usize) -> Vec<(f64, f64)> {
        let arithmetic = &self.arithmetic;
        let old = |gate: usize| arithmetic.linear(&self.recurrent[gate], before);
        let added = |gate: usize, x: &Ball| arithmetic.sum(&self.symbols[gate][symbol], x);
        if self.recurrent.len() == 1 {
            return arithmetic.numbers(&self.memory.write, &arithmetic.tanh(&added(0, &old(0))));
        }
        let reset = arithmetic.sigmoid(&added(0, &old(0)));
        let keep = arithmetic.sigmoid(&added(1, &old(1)));
        let new = arithmetic.tanh(&added(2, &arithmetic.product(&reset, &old(2))));
        let less = Ball { centre: new.centre.iter().map(|x| -x).collect(), radius: new.radius };
        let change = arithmetic.product(&keep, &arithmetic.sum(before, &less));
        arithmetic.numbers(&self.memory.write, &arithmetic.sum(&new, &change))
    }

    fn logits(&self, vector: &Ball) -> Vec<(f64, f64)> {
        self.arithmetic.numbers(&self.answer, vector)
    }
}

// ---- 3 to 6 the induction over levels --------------------------------------------------------------

/// Codes of chunks that were computed, from symbols and from codes.
struct Composer<'a> {
    tree: &'a Tree,
    /// The vectors of symbols, and those that memory recalls from codes.
    vectors: [Vec<Ball>; 2],
    number: HashMap<&'a [bool], usize>,
    known: [HashMap<Vec<Option<usize>>, usize>; 2],
    margins: Margins,
}

impl<'a> Composer<'a> {
    fn new(tree: &'a Tree, codes: &'a [Vec<bool>]) -> Self {
        let recalled = codes.iter().map(|code| tree.memory.recall(&tree.arithmetic, code)).collect();
        let number = codes.iter().enumerate().map(|(number, code)| (code.as_slice(), number)).collect();
        let vectors = [tree.symbols.clone(), recalled];
        Composer { tree, vectors, number, known: [HashMap::new(), HashMap::new()], margins: Margins { signs: f64::INFINITY, answers: f64::INFINITY } }
    }

    /// Return the code that a chunk of elements of a level becomes.
    fn compose(&mut self, level: usize, chunk: &[usize]) -> Checked<usize> {
        let phase = level.min(1);
        let absent = vec![None; self.tree.chunk - chunk.len()];
        let children: Vec<Option<usize>> = absent.into_iter().chain(chunk.iter().copied().map(Some)).collect();
        if let Some(known) = self.known[phase].get(&children) {
            return Ok(*known);
        }
        let below: Vec<Option<&Ball>> =
            children.iter().map(|child| child.map(|element| &self.vectors[phase][element])).collect();
        let code = self.margins.code(&self.tree.numbers(&below))?;
        let number = self.number.get(code.as_slice()).ok_or("this is not so: the code of every chunk is named")?;
        self.known[phase].insert(children, *number);
        Ok(*number)
    }

    fn class(&mut self, element: usize) -> Checked<usize> {
        let logits = self.tree.logits(&self.vectors[1][element]);
        self.margins.class(&logits)
    }

    /// Return the class of the empty word, whose code need not be named.
    fn empty_class(&mut self) -> Checked<usize> {
        let code = self.margins.code(&self.tree.numbers(&vec![None; self.tree.chunk]))?;
        let vector = self.tree.memory.recall(&self.tree.arithmetic, &code);
        self.margins.class(&self.tree.logits(&vector))
    }

    fn classify(&mut self, word: &[usize]) -> Checked<usize> {
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
struct Reach<'a> {
    claim: &'a Claim,
    chunk: usize,
    /// `[level][state][next]`: whether C^level symbols lead there.
    powers: Vec<Vec<Vec<bool>>>,
}

impl Reach<'_> {
    fn steps(&mut self, level: usize) -> &Vec<Vec<bool>> {
        while self.powers.len() <= level {
            let power = &self.powers[self.powers.len() - 1];
            let mut product = power.clone();
            for _ in 1..self.chunk {
                product = product.iter().map(|row| {
                    let mut reached = vec![false; row.len()];
                    for (_, next) in row.iter().zip(power).filter(|(there, _)| **there) {
                        reached.iter_mut().zip(next).for_each(|(known, more)| *known |= more);
                    }
                    reached
                }).collect();
            }
            self.powers.push(product);
        }
        &self.powers[level]
    }

    /// Return the states from which a multiple of C^level symbols can end in the domain.
    fn leads_in(&mut self, level: usize) -> Vec<bool> {
        let outside = self.claim.outside();
        let mut good: Vec<bool> = self.claim.machine.classes.iter().map(|c| *c < outside).collect();
        let steps = self.steps(level);
        loop {
            let leads = |row: &Vec<bool>| row.iter().zip(&good).any(|(there, good)| *there && *good);
            let more: Vec<bool> = steps.iter().zip(&good).map(|(row, own)| *own || leads(row)).collect();
            if more == good {
                return good;
            }
            good = more;
        }
    }
}

/// All rows of `count` of the numbers below `size`, in order.
fn rows(size: usize, count: usize) -> impl Iterator<Item = Vec<usize>> {
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

fn check_levels(claim: &Claim, tree: &Tree) -> Checked<Margins> {
    const MOST_CHUNKS: u128 = 20_000_000;
    let (machine, outside, chunk) = (&claim.machine, claim.outside(), tree.chunk);
    let states = machine.classes.len();
    let whole = |map: &Vec<usize>| map.len() == states && map.iter().all(|next| *next < states);
    require(claim.maps.iter().all(whole) && all_differ(&claim.maps), "state maps are maps, each once")?;
    require(!claim.levels.is_empty(), "there is a level")?;
    let widest = (chunk as f64).powi(claim.levels.len() as i32);
    require(widest < 4.6e18, "levels are few enough")?;
    let number: HashMap<&[usize], usize> =
        claim.maps.iter().enumerate().map(|(number, map)| (map.as_slice(), number)).collect();
    let named = |map: &[usize]| number.get(map).copied().ok_or("this is not so: every state map is named");
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
            let chunks = (0..count).fold(firsts as u128, |n, _| n.saturating_mul(inner.len() as u128));
            require(chunks <= MOST_CHUNKS, "a level has few enough chunks")
        };
        limit(inner.len(), chunk - 1)?;
        let mut next_interior = BTreeSet::new();
        for row in rows(inner.len(), chunk) {
            let pairs: Vec<Pair> = row.iter().map(|index| inner[*index]).collect();
            let through = |state| pairs.iter().fold(state, |state: usize, pair| claim.maps[pair.1][state]);
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
                    let state = row.iter().fold(*state, |state, index| claim.maps[inner[*index].1][state]);
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

fn keep_shortest(kept: &mut BTreeMap<Pair, u64>, pair: Pair, length: u64) {
    let least = kept.entry(pair).or_insert(length);
    *least = length.min(*least);
}

/// Check that a level of the file has exactly the pairs that were found, in increasing order.
fn compare(claim: &Claim, number: usize, interior: &BTreeSet<Pair>, edge: &BTreeMap<Pair, u64>) -> Checked<()> {
    let level = &claim.levels[number];
    let same = level.interior.iter().eq(interior.iter()) && level.edge.iter().eq(edge.keys());
    require(same, &format!("the pairs of level {number} are what follows"))
}

fn check_wrong_word(claim: &Claim, claimed: &WrongWord, given: usize) -> Checked<()> {
    let machine = &claim.machine;
    let state = claimed.word.iter().fold(machine.start, |state, symbol| machine.transitions[state][*symbol]);
    let (class, names) = (machine.classes[state], &claim.language.class_names);
    require(class < claim.outside(), "the word is in the domain")?;
    require(names[class] == claimed.language, "its class is true")?;
    require(names[given] == claimed.model && given != class, "the network gives it another class")?;
    let shorter = claimed.word.len() as i64 - 1;
    require(claim.checked_length == Some(shorter), "all shorter words were checked")
}

// ---- 3 to 6 the induction over prefixes ------------------------------------------------------------

fn check_prefixes(claim: &Claim, cell: &Recurrence) -> Checked<Margins> {
    let (machine, outside) = (&claim.machine, claim.outside());
    require(claim.maps.is_empty() && claim.repeats.is_none(), "there are no state maps, and no repeat")?;
    let flat = claim.levels.iter().all(|level| level.interior.is_empty());
    require(flat && !claim.levels.is_empty(), "there is a level, and none has an interior")?;
    let number: HashMap<&[bool], usize> =
        claim.codes.iter().enumerate().map(|(number, code)| (code.as_slice(), number)).collect();
    let named = |code: Vec<bool>| {
        number.get(code.as_slice()).copied().ok_or("this is not so: the code of every prefix is named")
    };
    let recalled: Vec<Ball> =
        claim.codes.iter().map(|code| cell.memory.recall(&cell.arithmetic, code)).collect();
    let mut margins = Margins { signs: f64::INFINITY, answers: f64::INFINITY };
    let begins = reaching(machine, |state| machine.classes[state] < outside);
    let first = named(margins.code(&cell.start_numbers())?)?;
    let start: Option<Pair> = if begins[machine.start] { Some((first, machine.start)) } else { None };
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
                        let stepped = named(margins.code(&cell.numbers(&recalled[*code], symbol))?)?;
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
