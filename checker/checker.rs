//! A second checker of lengthwise certificates, which shares no code with the first.
//!
//! `checker FILE ...` prints one line for each file, `FILE: accepted: ...` or `FILE: refused: ...`,
//! and ends with 0 if all are accepted, with 1 if one is refused, and with 2 if a file cannot be
//! read. It handles `discrete` certificates of trees (RegularGPT) and of recurrent networks, both
//! with binary memory, and of scratchpads; `structural` ones of trees with a slot for each state;
//! and `snapped` and `robust` ones of trees. Of decoders that add step by step it handles `rule.json`.
//! docs/certificate.md has the format and the steps, which are counted as here.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
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
        let content = std::fs::read(&path).unwrap_or_else(|error| {
            eprintln!("checker: {path} cannot be read ({error}). Name the file.");
            exit(2)
        });
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
    if content.starts_with(b"{\"format\":\"") {
        return Rule::read(content)?.check();
    }
    let (claim, network) = Claim::read(content)?;
    check_machine(&claim)?;
    match network {
        Network::Listed(mut elements) => check_levels(&claim, elements.as_mut())?,
        Network::Slots(network) => check_slots(&claim, &network)?,
    }
    Ok(claim.statement())
}

/// What is computed, or the reason why a certificate is refused.
type Checked<T> = Result<T, String>;

fn require(holds: bool, what: &str) -> Checked<()> {
    holds.then_some(()).ok_or_else(|| format!("this is not so: {what}"))
}

fn require_handled(handled: bool, kind: &str) -> Checked<()> {
    handled.then_some(()).ok_or_else(|| format!("kind {kind:?} is not handled"))
}

fn all_differ<T: Ord>(these: &[T]) -> bool {
    these.iter().collect::<BTreeSet<_>>().len() == these.len()
}

// ---- 0 the form ---------------------------------------------------------------------------------

/// Reads canonical JSON, of which this text is left. There is one way to write a certificate, so
/// that each part is read where it has to stand.
struct Reader<'a> {
    rest: &'a str,
}

type Fields<T> = BTreeMap<String, T>;

impl Reader<'_> {
    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Checked<()> {
        let left = self.rest.len();
        let fault = || format!("canonical JSON has {token:?} where {left} bytes are left");
        self.takes(token).then_some(()).ok_or_else(fault)
    }

    /// Go to the value of a name, with the mark before it: `{` for the first, `,` for all others.
    fn field(&mut self, mark: char, name: &str) -> Checked<&mut Self> {
        self.expect(&format!("{mark}\"{name}\":")).map(|_| self)
    }

    fn list<T>(&mut self, each: impl Fn(&mut Self) -> Checked<T>) -> Checked<Vec<T>> {
        let mut items = Vec::new();
        self.expect("[")?;
        while !self.takes("]") {
            self.expect(if items.is_empty() { "" } else { "," })?;
            items.push(each(self)?);
        }
        Ok(items)
    }

    /// Read an object of any names, each of which occurs once, perhaps in order.
    fn object<T>(&mut self, sorted: bool, each: fn(&mut Self) -> Checked<T>) -> Checked<Fields<T>> {
        let mut fields = Fields::new();
        self.expect("{")?;
        while !self.takes("}") {
            self.expect(if fields.is_empty() { "" } else { "," })?;
            let name = self.text()?;
            let follows = !sorted || fields.keys().next_back() < Some(&name);
            self.expect(":")?;
            let twice = fields.insert(name, each(self)?).is_some();
            require(follows && !twice, "names stand once, and those of weights in order")?;
        }
        Ok(fields)
    }

    fn maybe<T>(&mut self, each: impl Fn(&mut Self) -> Checked<T>) -> Checked<Option<T>> {
        let absent = self.takes("null");
        absent.then_some(Ok(None)).unwrap_or_else(|| each(self).map(Some))
    }

    fn text(&mut self) -> Checked<String> {
        let mut found = String::new();
        self.expect("\"")?;
        while !self.takes("\"") {
            let first = self.rest.chars().next().ok_or("a text does not end")?;
            let is_next = |c: &char| first == '\\' && self.rest.starts_with(&escaped(*c));
            let next = (0..128).map(char::from).find(is_next).unwrap_or(first);
            self.expect(&escaped(next))?;
            found.push(next);
        }
        Ok(found)
    }

    /// Read a whole number, or a float with an exponent or a point, as Python writes them.
    fn number<T: std::str::FromStr>(&mut self) -> Checked<T> {
        let end = self.rest.find(|c| !"+-.e0123456789".contains(c)).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        let digits = text.strip_prefix('-').unwrap_or(text);
        let plain = digits.bytes().all(|c| c.is_ascii_digit()) && !digits.starts_with('0');
        let whole = text == "0" || plain && (1..=4300).contains(&digits.len());
        let shortest = |x: f64| x.is_finite() && written(x) == text;
        require(whole || text.parse().map_or(false, shortest), "numbers are written canonically")?;
        text.parse().map_err(|_| format!("the number {text:.20} has another type or limits"))
    }

    fn counts(&mut self) -> Checked<Vec<usize>> {
        self.list(Reader::number)
    }
}

/// Return the text of a file before the digest with which it ends.
fn signed(content: &[u8]) -> Checked<&str> {
    let text = std::str::from_utf8(content).map_err(|_| "the file is no UTF-8")?;
    let (body, end) = text.rsplit_once(",\"digest\":\"").ok_or("there is no digest")?;
    let digest = sha256(format!("{body}}}\n").as_bytes());
    require(end == digest + "\"}\n", "the file ends with the digest of its content")?;
    Ok(body)
}

/// The type, the shape and the bytes of an array.
type Array = (String, Vec<usize>, Vec<u8>);

fn read_array(reader: &mut Reader) -> Checked<Array> {
    let kind = reader.field('{', "type")?.text()?;
    let shape = reader.field(',', "shape")?.counts()?;
    let bytes = base64(&reader.field(',', "base64")?.text()?)?;
    reader.expect("}").map(|_| (kind, shape, bytes))
}

/// Return the bits of a number, whose lowest byte is the first.
fn bits_of(raw: &[u8]) -> u64 {
    raw.iter().rev().fold(0, |bits, byte| bits << 8 | *byte as u64)
}

/// Return the bits of numbers of eight bytes, in rows of the last axis.
fn rows_of((kind, shape, bytes): Array, wanted: &str, axes: usize) -> Checked<Vec<Vec<u64>>> {
    let count = shape.iter().fold(8, |all: usize, length| all.saturating_mul(*length));
    let fits = kind == wanted && shape.len() == axes && bytes.len() == count;
    require(fits, "arrays are of their types and shapes")?;
    let numbers: Vec<u64> = bytes.chunks(8).map(bits_of).collect();
    let row = shape[axes - 1];
    require(row > 0 || shape[0] == 0, "rows have numbers")?;
    Ok(numbers.chunks(row.max(1)).map(<[u64]>::to_vec).collect())
}

fn escaped(c: char) -> String {
    let place = "\"\\\n\r\t\x08\x0c".find(c);
    match place.map(|place| &"\"\\nrtbf"[place..=place]) {
        Some(letter) => format!("\\{letter}"),
        None if c < ' ' => format!("\\u{:04x}", c as u32),
        None => c.into(),
    }
}

/// Write a float as Python does: Rust has the same digits but the last one, which it rounds up
/// where Python makes it even, and other exponents.
fn written(number: f64) -> String {
    let text = even(format!("{number:?}"), number);
    let sign = if text.contains("e-") { '-' } else { '+' };
    match text.split_once('e') {
        Some((digits, power)) => format!("{digits}e{sign}{:0>2}", power.trim_start_matches('-')),
        None => text,
    }
}

/// Make the last digit of the shortest text of a number even, if it is odd and the number stands
/// just between this text and the one below, which is as short.
fn even(text: String, number: f64) -> String {
    let end = text.find('e').unwrap_or(text.len());
    let last = text.as_bytes()[end - 1];
    let below = || format!("{}{}{}", &text[..end - 1], (last - 1) as char, &text[end..]);
    let digits = |text: &str| {
        let significant = text.split('e').next().unwrap_or(text).replace(['-', '.'], "");
        significant.trim_start_matches('0').to_string()
    };
    let exact = || digits(&format!("{number:.800e}")).trim_end_matches('0').to_string();
    let is_between = || below().parse() == Ok(number) && digits(&below()) + "5" == exact();
    if last % 2 == 1 && is_between() {
        below()
    } else {
        text
    }
}

/// Decode base 64 with padding, in which unused bits are 0.
fn base64(text: &str) -> Checked<Vec<u8>> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.trim_end_matches('=');
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0, 0);
    for letter in digits.chars() {
        bits = bits << 6 | LETTERS.find(letter).ok_or("base 64 has other letters")?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    let padded = held < 6 && text.len() - digits.len() == held / 2 && text.len() % 4 == 0;
    require(padded && bits == 0, "base 64 ends canonically")?;
    Ok(bytes)
}

/// The digest of FIPS 180-4; its constants are the first bits of roots of primes.
fn sha256(content: &[u8]) -> String {
    let primes = (2..312u32).filter(|n| (2..*n).all(|d| n % d != 0)).map(f64::from);
    let first_bits = |root: f64| (root.fract() * 4294967296.0) as u32;
    let constants: Vec<u32> = primes.clone().map(|p| first_bits(p.cbrt())).collect();
    let mut state: Vec<u32> = primes.take(8).map(|p| first_bits(p.sqrt())).collect();
    let sum = |terms: &[u32]| terms.iter().fold(0, |x: u32, y| x.wrapping_add(*y));
    let turned = |x: u32, by: &[u32]| by.iter().fold(0, |all, by| all ^ x.rotate_right(*by));
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | *byte as u32);
    let mut padded = [content, &[0x80]].concat();
    padded.resize((padded.len() + 71) / 64 * 64 - 8, 0);
    padded.extend((content.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks(64) {
        let mut w: Vec<u32> = block.chunks(4).map(word).collect();
        for t in 16..64 {
            let small = turned(w[t - 15], &[7, 18]) ^ w[t - 15] >> 3;
            let large = turned(w[t - 2], &[17, 19]) ^ w[t - 2] >> 10;
            w.push(sum(&[w[t - 16], small, w[t - 7], large]));
        }
        let mut s = state.clone();
        for t in 0..64 {
            let choice = s[4] & s[5] ^ !s[4] & s[6];
            let first = sum(&[s[7], turned(s[4], &[6, 11, 25]), choice, constants[t], w[t]]);
            let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2];
            let second = sum(&[first, turned(s[0], &[2, 13, 22]), majority]);
            s.rotate_right(1);
            (s[0], s[4]) = (second, s[4].wrapping_add(first));
        }
        state.iter_mut().zip(s).for_each(|(whole, part)| *whole = whole.wrapping_add(part));
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// An automaton with a class on every state.
struct Automaton {
    transitions: Vec<Vec<usize>>,
    classes: Vec<usize>,
    start: usize,
}

impl Automaton {
    fn read(reader: &mut Reader, mark: char, symbols: usize) -> Checked<Automaton> {
        let transitions = reader.field(mark, "transitions")?.list(Reader::counts)?;
        let classes = reader.field(',', "classes")?.counts()?;
        let (start, count) = (reader.field(',', "start")?.number()?, classes.len());
        require(transitions.len() == count && start < count, "states have classes")?;
        let whole = |row: &Vec<usize>| row.len() == symbols && row.iter().all(|next| *next < count);
        require(transitions.iter().all(whole), "states have a next one for each symbol")?;
        Ok(Automaton { transitions, classes, start })
    }

    /// Return the state after a word.
    fn after(&self, word: &[usize]) -> usize {
        word.iter().fold(self.start, |state, symbol| self.transitions[state][*symbol])
    }
}

/// Read a language up to the value of its domain, which is itself such a language.
fn read_language(reader: &mut Reader) -> Checked<(Vec<String>, Vec<String>, Automaton)> {
    reader.field('{', "spec")?.text()?; // a name, of which nothing is claimed here
    let alphabet = reader.field(',', "alphabet")?.list(Reader::text)?;
    let automaton = Automaton::read(reader, ',', alphabet.len())?;
    let class_names = reader.field(',', "class_names")?.list(Reader::text)?;
    reader.field(',', "domain")?;
    let space = |c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    let plain = alphabet.iter().all(|symbol| !symbol.is_empty() && !symbol.contains(space));
    let plain = plain && !alphabet.is_empty() && all_differ(&alphabet);
    require(plain, "there are symbols, which are texts without spaces, and differ")?;
    let named = automaton.classes.iter().all(|class| *class < class_names.len());
    require(named && all_differ(&class_names), "classes have names, and these differ")?;
    Ok((alphabet, class_names, automaton))
}

/// A word, its class in the network, and its class in the language.
type WrongWord = (Vec<usize>, String, String);

/// Read a wrong word, in which spaces stand between symbols if one has several characters.
fn read_wrong(reader: &mut Reader, alphabet: &[String]) -> Checked<WrongWord> {
    let text = reader.field('{', "word")?.text()?;
    let model = reader.field(',', "model")?.text()?;
    let language = reader.field(',', "language")?.text()?;
    reader.expect("}")?;
    let between = if alphabet.iter().any(|symbol| symbol.chars().count() > 1) { " " } else { "" };
    let symbols: Vec<&str> = text.split(between).filter(|symbol| !symbol.is_empty()).collect();
    let number = |symbol: &&str| alphabet.iter().position(|each| each == symbol);
    let word: Option<Vec<usize>> = symbols.iter().map(number).collect();
    require(word.is_some() && symbols.join(between) == text, "a word has symbols")?;
    Ok((word.unwrap_or_default(), model, language))
}

/// A code: two digits for each eight bits.
fn read_code(text: &str, bits: usize) -> Checked<Vec<bool>> {
    let digit = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    let fits = text.len() == 2 * ((bits + 7) / 8) && text.chars().all(digit);
    require(fits, "codes are lower-case hexadecimal, as long as memory")?;
    let values = text.chars().filter_map(|c| c.to_digit(16));
    let mut code: Vec<bool> = values.flat_map(|v| [8, 4, 2, 1].map(|bit| v & bit != 0)).collect();
    require(!code.split_off(bits).contains(&true), "codes end with zeros")?;
    Ok(code)
}

/// Read the maker's notes, of which nothing is believed.
fn read_notes(reader: &mut Reader) -> Checked<()> {
    reader.field('{', "reason")?.text()?;
    reader.field(',', "margins")?.maybe(|reader| {
        reader.field('{', "sign_distance")?.maybe(Reader::number::<String>)?;
        for name in ["sign_radius", "answer_distance", "answer_radius", "measured", "room"] {
            reader.field(',', name)?.maybe(Reader::number::<String>)?;
        }
        reader.field(',', "is_certain")?;
        require(reader.takes("true}") || reader.takes("false}"), "is_certain is true or false")
    })?;
    reader.field(',', "moved")?.maybe(|reader| {
        reader.field('{', "spread")?.number::<String>()?;
        reader.field(',', "gap")?.maybe(Reader::number::<String>)?;
        reader.expect("}")
    })?;
    reader.field(',', "made_with")?.object(false, Reader::text)?;
    reader.expect("}")
}

struct Claim {
    alphabet: Vec<String>,
    /// Of classes.
    names: Vec<String>,
    /// The machine, the language and its domain.
    automata: [Automaton; 3],
    /// Whether the file has the domain; else it has all words.
    has_domain: bool,
    strength: String,
    /// Whether states of a recurrence are snapped; else vectors are.
    is_of_states: bool,
    maps: Vec<Vec<usize>>,
    /// Pairs of each level: of the interior, and of the edge.
    levels: Vec<[Vec<Vec<usize>>; 2]>,
    repeats: Option<usize>,
    /// The wrong word of a `counterexample`; none if the claim is `equivalent`.
    wrong: Option<WrongWord>,
    checked_length: Option<i64>,
}

impl Claim {
    fn read(content: &[u8]) -> Checked<(Claim, Network)> {
        let reader = &mut Reader { rest: signed(content)? };
        let format: usize = reader.field('{', "format")?.number()?;
        let verdict = reader.field(',', "verdict")?.text()?;
        let strength = reader.field(',', "strength")?.text()?;
        require_handled(!reader.takes(",\"precision\":"), "bfloat16")?;
        require(format == 2, "the format is 2")?;
        require(verdict != "not-closed", "the certificate claims something")?;
        require_handled(strength != "tabulated", "tabulated")?;
        let known = ["discrete", "structural", "snapped", "robust"].contains(&strength.as_str());
        require(known, "the strength is a known one")?;

        let (alphabet, class_names, language) = read_language(reader.field(',', "language")?)?;
        let has_domain = !reader.takes("null}");
        let domain = if !has_domain {
            Automaton { transitions: vec![vec![0; alphabet.len()]], classes: vec![1], start: 0 }
        } else {
            let (same_alphabet, names, domain) = read_language(reader)?;
            reader.expect("null}}")?;
            require(same_alphabet == alphabet, "a domain has the alphabet of the language")?;
            require(names == ["0", "1"], "a domain has the classes 0 and 1")?;
            domain
        };
        let machine = Automaton::read(reader.field(',', "machine")?, '{', alphabet.len())?;
        reader.expect("}")?;
        let given = Given::read(reader, alphabet.len(), class_names.len())?;
        require_handled(!given.settings.contains_key("program"), "program")?;
        reader.field(',', "elements")?;
        let is_of_states = given.settings.contains_key("cell");
        let network = match strength.as_str() {
            "structural" => Network::Slots(Slots::read(reader, given)?),
            "snapped" if is_of_states => Network::Listed(Box::new(States::read(reader, given)?)),
            "snapped" => Network::Listed(Box::new(Tables::read(reader, given, false)?)),
            "robust" => Network::Listed(Box::new(Tables::read(reader, given, true)?)),
            _ if given.settings.contains_key("window") => {
                Network::Listed(Box::new(Contexts::read(reader, given)?))
            }
            _ => Network::Listed(Box::new(Codes::read(reader, given)?)),
        };
        let claim = Claim {
            maps: reader.field(',', "maps")?.list(Reader::counts)?,
            levels: reader.field(',', "levels")?.list(|reader| {
                let interior = reader.field('{', "interior")?.list(Reader::counts)?;
                let edge = reader.field(',', "edge")?.list(Reader::counts)?;
                reader.expect("}").map(|_| [interior, edge])
            })?,
            repeats: reader.field(',', "repeats")?.maybe(Reader::number)?,
            wrong: reader.field(',', "counterexample")?.maybe(|it| read_wrong(it, &alphabet))?,
            checked_length: reader.field(',', "checked_length")?.maybe(Reader::number)?,
            alphabet,
            names: class_names,
            automata: [machine, language, domain],
            has_domain,
            strength,
            is_of_states,
        };
        let told = if claim.wrong.is_some() { "counterexample" } else { "equivalent" };
        require(verdict == told, "the verdict is whether there is a wrong word")?;
        read_notes(reader.field(',', "notes")?)?;
        require(reader.rest.is_empty(), "the digest follows the notes")?;
        Ok((claim, network))
    }
}

// ---- what is said -------------------------------------------------------------------------------

impl Claim {
    /// Return what was checked in a sentence, which is that of the first checker about a language
    /// without a specification.
    fn statement(&self) -> String {
        let who = match self.strength.as_str() {
            "snapped" if self.is_of_states => {
                "The model with its state snapped to the nearest representative after each symbol"
            }
            "snapped" => "The model with its vectors snapped to the nearest representatives",
            "robust" => "The model as it runs, by bounds on all its vectors,",
            _ => "The model as it runs",
        };
        let size = self.domain_in_words();
        let inside = if size.is_empty() { "" } else { " in the domain" };
        let name = format!("the automaton {}{size}", self.digest(false));
        let Some((word, model, language)) = &self.wrong else {
            return format!("{who} gives every word{inside} of {name} its class, at every length.");
        };
        let gives = format!("{} where {name} has {}", quoted(model), quoted(language));
        match word.len() {
            0 => format!("{who} gives the empty word the class {gives}."),
            n => format!(
                "{who} gives a word of length {n} the class {gives}; it is right on all shorter \
                 words{inside}."
            ),
        }
    }

    /// Return the digest of the automaton of the language, or of its domain: of Python's JSON.
    fn digest(&self, of_domain: bool) -> String {
        let listed = |texts: &[String]| {
            let texts: Vec<String> = texts.iter().map(|text| in_ascii(text)).collect();
            format!("[{}]", texts.join(", "))
        };
        let of = |names: &[String], automaton: &Automaton, domain: &str| {
            format!(
                "{{\"alphabet\": {}, \"class_names\": {}, \"classes\": {:?}, \"domain\": {domain}, \
                 \"spec\": \"\", \"start\": {}, \"transitions\": {:?}}}",
                listed(&self.alphabet),
                listed(names),
                automaton.classes,
                automaton.start,
                automaton.transitions
            )
        };
        let [_, language, domain] = &self.automata;
        let inner = of(&["0".to_string(), "1".to_string()], domain, "null");
        let whole = of(&self.names, language, if self.has_domain { &inner } else { "null" });
        sha256(if of_domain { &inner } else { &whole }.as_bytes())[..32].to_string()
    }

    /// Return the size of the domain; nothing if it has all words.
    fn domain_in_words(&self) -> String {
        let domain = &self.automata[2];
        let (mut queue, mut seen) = (vec![domain.start], BTreeSet::from([domain.start]));
        while let Some(state) = queue.pop() {
            let new = domain.transitions[state].iter().filter(|next| seen.insert(**next));
            queue.extend(new);
        }
        if seen.iter().all(|state| domain.classes[*state] == 1) {
            return String::new();
        }
        let mut ways = BTreeMap::from([(domain.start, 1u128)]);
        let (mut words, mut all, mut of_length) = (0u128, 0u128, 1u128);
        for _ in 0..=8 {
            let inside = ways.iter().filter(|(state, _)| domain.classes[**state] == 1);
            words = inside.fold(words, |sum, (_, number)| sum.saturating_add(*number));
            all = all.saturating_add(of_length);
            of_length = of_length.saturating_mul(self.alphabet.len() as u128);
            let mut after = BTreeMap::new();
            for (state, number) in &ways {
                for next in &domain.transitions[*state] {
                    let sum = after.entry(*next).or_insert(0u128);
                    *sum = sum.saturating_add(*number);
                }
            }
            ways = after;
        }
        let (words, all, states) = (counted(words), counted(all), domain.classes.len());
        let states =
            format!("{} state{}", counted(states as u128), if states == 1 { "" } else { "s" });
        let digest = self.digest(true);
        format!(
            " (domain: {words} of the {all} words of at most 8 symbols, {states}, digest {digest})"
        )
    }
}

/// Return a number with a comma before each three digits.
fn counted(number: u128) -> String {
    if number > 10u128.pow(18) {
        return "more than 10^18".to_string();
    }
    let digits = number.to_string();
    let comma = |place: usize| place > 0 && (digits.len() - place) % 3 == 0;
    let parts = digits.char_indices();
    parts.flat_map(|(i, c)| comma(i).then_some(',').into_iter().chain([c])).collect()
}

/// Return a plain word as it is, and any other text in quotation marks.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || ":,=_.()|*+?[]{}^-".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_string()
    } else {
        in_ascii(text)
    }
}

/// Return a text as JSON has it in ASCII.
fn in_ascii(text: &str) -> String {
    let mut found = String::from("\"");
    for c in text.chars() {
        if c.is_ascii() && c != '\x7f' {
            found += &escaped(c);
        } else {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| found += &format!("\\u{unit:04x}"));
        }
    }
    found + "\""
}

// ---- 1 the language -----------------------------------------------------------------------------

/// Check that the machine is minimal, and gives every word the class that the language gives it.
fn check_machine(claim: &Claim) -> Checked<()> {
    let [machine, language, domain] = &claim.automata;
    let (mut blocks, mut count) = (machine.classes.clone(), 0);
    loop {
        let mut number = HashMap::new();
        let block = |(state, row): (usize, &Vec<usize>)| {
            let after: Vec<usize> = row.iter().map(|next| blocks[*next]).collect();
            let fresh = number.len();
            *number.entry((blocks[state], after)).or_insert(fresh)
        };
        let finer = machine.transitions.iter().enumerate().map(block).collect();
        if number.len() == count {
            break;
        }
        (blocks, count) = (finer, number.len());
    }
    require(count == blocks.len(), "no two states of the machine are alike")?;

    let outside = claim.names.len();
    let mut queue = vec![[machine.start, language.start, domain.start]];
    let mut seen: HashSet<[usize; 3]> = queue.iter().copied().collect();
    while let Some([mine, theirs, place]) = queue.pop() {
        let class = if domain.classes[place] == 1 { language.classes[theirs] } else { outside };
        require(machine.classes[mine] == class, "the machine gives every word its class")?;
        for symbol in 0..machine.transitions[mine].len() {
            let next = |automaton: &Automaton, state: usize| automaton.transitions[state][symbol];
            let after = [next(machine, mine), next(language, theirs), next(domain, place)];
            if seen.insert(after) {
                queue.push(after);
            }
        }
        require(seen.len() <= 1_000_000, "language and domain are small enough to walk")?;
    }
    let met: BTreeSet<usize> = seen.iter().map(|states| states[0]).collect();
    require(met.len() == count, "every state of the machine is reached")?;
    require(machine.classes.iter().any(|class| *class != outside), "a domain has a word")
}

// ---- 2 the network: bounds ----------------------------------------------------------------------
//
// Vectors of the network are balls that hold the vector of real arithmetic and every one that the
// network's own arithmetic can give: rounded to nearest, with sums in any order, fused or not, and
// with subnormal numbers kept or taken as 0. docs/certificate.md says where the formulas are.

/// Factor on every radius: more than four million roundings in computing it can lose.
const OUTWARD: f64 = 1.0 + 1e-9;
/// Added to every radius, so that products of three of them are normal numbers.
const LEAST: f64 = 1e-90;
/// Roundings that exp and tanh count in the network: two for each unit in the last place.
const EXP: usize = 2 * 20 + 4;
const TANH_UNITS: usize = 2 * 8;
const NORM_EPSILON: f64 = 1e-5;
/// Of a matrix times its transpose, on the way to its largest singular value.
const SQUARINGS: usize = 11;

/// A number and its radius.
type Number = (f64, f64);

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

    /// Return bounds on the absolute value of each entry.
    fn sizes(&self) -> Vec<f64> {
        self.centre.iter().map(|x| x.abs() + self.radius).collect()
    }
}

/// Return a radius, or an infinite one if it does not hold.
fn unless(fails: bool, radius: f64) -> f64 {
    [radius, f64::INFINITY][fails as usize]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Return an upper bound on the Euclidean norm.
fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt() * OUTWARD + LEAST
}

/// Return the largest of numbers that are not negative; NaN if one is.
fn largest(these: &[f64]) -> f64 {
    these.iter().fold(0.0, |most, x| if *x > most || x.is_nan() { *x } else { most })
}

fn absolute(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.abs()).collect()
}

fn zipped(a: &[f64], b: &[f64], function: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| function(*x, *y)).collect()
}

/// W and b of W x + b, and a bound on the largest singular value of W.
struct Matrix {
    rows: Vec<Vec<f64>>,
    bias: Vec<f64>,
    stretch: f64,
}

impl Matrix {
    fn new(rows: &[Vec<f64>], bias: &[f64]) -> Matrix {
        let column = |place: usize| rows.iter().map(|row| row[place]).collect();
        let is_tall = rows.len() > rows[0].len();
        let columns: Vec<Vec<f64>> = (0..rows[0].len()).map(column).collect();
        let stretch = singular(if is_tall { &columns } else { rows }, SQUARINGS);
        Matrix { rows: rows.to_vec(), bias: bias.to_vec(), stretch }
    }
}

/// Bound the largest singular value: with S = W / f, f the Frobenius norm, that of W is f times the
/// root of that of S S^T, and at most f. Products of matrices of norm 1 are off by at most `lost`.
fn singular(rows: &[Vec<f64>], squarings: usize) -> f64 {
    let size = frobenius(rows);
    if squarings == 0 {
        return size;
    }
    let scaled = |row: &Vec<f64>| row.iter().map(|x| x / size).collect();
    let unit: Vec<Vec<f64>> = rows.iter().map(scaled).collect();
    let times = |a: &Vec<f64>| unit.iter().map(|b| dot(a, b)).collect();
    let square: Vec<Vec<f64>> = unit.iter().map(times).collect();
    let lost = 4.0 * FLOAT64.gamma_of(rows[0].len() + rows.len());
    size * (singular(&square, squarings - 1) + lost).sqrt() * OUTWARD
}

type Pairwise = fn(f64, f64) -> f64;

/// A function of each number: how it is computed, its largest slope, and by how many unit roundoffs
/// the network's value is off: of 1, or of |x| if that is less and the function at most |x|.
type Entrywise = (fn(f64) -> f64, f64, usize);

const RELU: Entrywise = (|x| if x > 0.0 { x } else { 0.0 }, 1.0, 0);
const TANH: Entrywise = (f64::tanh, 1.0, TANH_UNITS);
/// A relative error of exp changes it by no more than itself.
const LOGISTIC: Entrywise = (|x| 1.0 / (1.0 + (-x).exp()), 0.25, EXP);

/// The arithmetic of a floating-point type: twice its unit roundoff, its smallest normal number and
/// its largest one.
#[derive(Clone, Copy)]
struct Arithmetic {
    eps: f64,
    tiny: f64,
    max: f64,
}

const FLOAT32: Arithmetic =
    Arithmetic { eps: f32::EPSILON as f64, tiny: f32::MIN_POSITIVE as f64, max: f32::MAX as f64 };
/// Also that of centres and radii.
const FLOAT64: Arithmetic =
    Arithmetic { eps: f64::EPSILON, tiny: f64::MIN_POSITIVE, max: f64::MAX };

impl Arithmetic {
    /// n u / (1 - n u): the relative error of a sum of n products in any order (Higham, 3.1).
    fn gamma_of(&self, terms: usize) -> f64 {
        let product = terms as f64 * self.eps / 2.0;
        unless(terms > 4_000_000 || product >= 0.5, product / (1.0 - product))
    }

    /// Bound the roundings of the network, plus those of the centre.
    fn gamma(&self, terms: usize) -> f64 {
        self.gamma_of(terms) + FLOAT64.gamma_of(terms)
    }

    /// Bound what is lost where numbers below the smallest normal one are taken as 0. `reach` is
    /// the number of operations plus the sizes of all that is multiplied.
    fn flushed(&self, reach: f64) -> f64 {
        8.0 * (self.tiny + FLOAT64.tiny) * reach
    }

    fn overflows(&self, size: f64) -> bool {
        !(size < 1e-6 * self.max)
    }

    /// Return the radius of a number: `moved` is what its arguments' radii become, `size` the sum
    /// of the sizes of all terms, each rounded n times. Infinite where it could overflow.
    fn radius(&self, moved: f64, size: f64, n: usize, reach: f64) -> f64 {
        let radius = (moved + self.gamma(n) * size + self.flushed(reach)) * OUTWARD + LEAST;
        unless(self.overflows(size) || !radius.is_finite(), radius)
    }

    /// The same for a vector, with a size for each entry and a reach for the largest.
    fn ball(&self, centre: Vec<f64>, moved: f64, sizes: &[f64], n: usize, reach: f64) -> Ball {
        let root = (centre.len() as f64).sqrt();
        let radius = self.radius(moved, 0.0, 0, root * reach) + self.gamma(n) * norm(sizes);
        let lost = self.overflows(largest(sizes)) || !centre.iter().all(|x| x.is_finite());
        Ball { centre, radius: unless(lost || !radius.is_finite(), radius * OUTWARD) }
    }

    /// W x + b, and its numbers one by one: a sum of n products and b, in any order, is off by at
    /// most gamma(n + 1) times the sum of their sizes.
    fn affine(&self, matrix: &Matrix, x: &Ball) -> (Ball, Vec<Number>) {
        let (own, n) = (x.sizes(), x.centre.len() + 2);
        let sums: Vec<f64> = matrix.rows.iter().map(|row| dot(row, &x.centre)).collect();
        let centre = zipped(&sums, &matrix.bias, |sum, b| sum + b);
        let middle = absolute(&x.centre);
        // |w| |x| is at most |w| |c| plus the norm of w times the radius
        let most = |row: &Vec<f64>| dot(&absolute(row), &middle) + norm(row) * x.radius;
        let sums: Vec<f64> = matrix.rows.iter().map(most).collect();
        let sizes = zipped(&sums, &matrix.bias, |sum, b| sum + b.abs());
        let wide = |(row, b): (&Vec<f64>, &f64)| absolute(row).iter().sum::<f64>() + b.abs();
        let widest: Vec<f64> = matrix.rows.iter().zip(&matrix.bias).map(wide).collect();
        let reach = own.len() as f64 + 1.0 + own.iter().sum::<f64>() + largest(&widest) * OUTWARD;
        let moved = matrix.rows.iter().map(|row| norm(row) * x.radius);
        let radii = moved.zip(&sizes).map(|(moved, size)| self.radius(moved, *size, n, reach));
        let numbers = centre.iter().copied().zip(radii).collect();
        (self.ball(centre, matrix.stretch * x.radius, &sizes, n, reach), numbers)
    }

    fn sum(&self, x: &Ball, y: &Ball) -> Ball {
        self.pairs(|a, b| a + b, x, y, x.radius + y.radius, 1)
    }

    /// The product of entries, with n roundings: that of the product, and those of a factor before.
    fn product(&self, x: &Ball, y: &Ball, n: usize) -> Ball {
        let moved = x.radius * largest(&y.sizes()) + largest(&x.sizes()) * y.radius;
        self.pairs(|a, b| a * b, x, y, moved, n)
    }

    fn pairs(&self, function: Pairwise, x: &Ball, y: &Ball, moved: f64, n: usize) -> Ball {
        let (sizes, most) = (zipped(&x.sizes(), &y.sizes(), function), largest(&x.sizes()));
        let (reach, other) = (4.0 * (1.0 + most), largest(&y.sizes()));
        let moved = unless(self.overflows(most) || self.overflows(other), moved);
        let centre = zipped(&x.centre, &y.centre, function);
        self.ball(centre, moved, &sizes, n, reach * (1.0 + other))
    }

    fn entries(&self, (function, slope, units): Entrywise, x: &Ball) -> Ball {
        let bounded = |size: f64| if units > 0 && size > 1.0 { 1.0 } else { size };
        let size = |size: f64| if function(0.0) == 0.0 { bounded(size) } else { 1.0 };
        let sizes: Vec<f64> = x.sizes().into_iter().map(size).collect();
        let moved = unless(self.overflows(largest(&x.sizes())), slope * x.radius);
        let centre = x.centre.iter().map(|x| function(*x)).collect();
        self.ball(centre, moved, &sizes, units, 4.0)
    }

    fn normed(&self, norms: &[Vec<f64>], x: &Ball) -> Ball {
        norms.first().map_or_else(|| x.clone(), |g| self.layer_norm(g, &norms[1], x))
    }

    /// g (x - mean) r + b with r = 1 / sqrt(variance + epsilon).
    ///
    /// In a ball of radius R the deviation is at least that of the centre less R / sqrt(n), so that
    /// `least` is the least of variance + epsilon, and the Jacobian is g times a contraction over
    /// its root. Let `beta` be the largest |mean| r, and a^2 = 1 + beta^2. All usual ways (two
    /// passes, one pass, Welford's, means of parts that are joined) give the mean within gamma(n +
    /// 24) a / r, and the variance within a share q of variance + epsilon.
    fn layer_norm(&self, weight: &[f64], bias: &[f64], x: &Ball) -> Ball {
        let (count, n) = (x.centre.len(), x.centre.len() as f64);
        let mean = x.centre.iter().sum::<f64>() / n;
        let centred: Vec<f64> = x.centre.iter().map(|value| value - mean).collect();
        let variance = dot(&centred, &centred) / n;
        let length = norm(&x.centre) + x.radius;
        let own = FLOAT64.gamma_of(count + 24) * length; // of the mean above
        let shift = (x.radius + own) / n.sqrt() * OUTWARD + LEAST;
        let low = largest(&[variance.sqrt() * (1.0 - 1e-9) - shift]);
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
        let rounded = self.gamma(8); // adding epsilon, the root and the reciprocal
        let root = 0.5 * q * (1.0 + 2.0 * q); // at least (1 - q)^(-1/2) - 1, for q <= 1/2
        let turned = (root + rounded + root * rounded) * OUTWARD;
        let gains = absolute(weight);
        let wrong = zipped(&centred, &gains, |z, g| {
            g * ((z.abs() + 2.0 * x.radius) * scale * turned + off * (1.0 + turned))
        });
        let sums = zipped(&x.sizes(), &gains, |x, g| g * (1.0 + turned) * (x * scale + beta + off));
        let sizes = zipped(&sums, bias, |sum, b| sum + b.abs());
        let rooted = 1.0 / (variance + NORM_EPSILON).sqrt();
        let centre = zipped(&zipped(&centred, weight, |z, g| z * rooted * g), bias, |y, b| y + b);
        let gain = largest(&gains);
        let reach = 8.0 * (1.0 + 2.0 * length) * (1.0 + scale) * (1.0 + gain) + norm(bias);
        let fails = !(q <= 0.5) || self.overflows(4.0 * n * length * length);
        let moved = unless(fails, x.radius * gain * scale + norm(&wrong));
        self.ball(centre, moved, &sizes, 6, reach)
    }

    /// Return the product of a query and a key, plus the bias of their offset.
    fn logit(&self, query: &Ball, key: &Ball, bias: f64) -> Number {
        let (sizes, own) = (query.sizes(), key.sizes());
        let moved =
            query.radius * norm(&key.centre) + (norm(&query.centre) + query.radius) * key.radius;
        let reach = sizes.len() as f64 + 1.0 + bias.abs() + sizes.iter().chain(&own).sum::<f64>();
        let radius = self.radius(moved, dot(&sizes, &own) + bias.abs(), sizes.len() + 2, reach);
        (dot(&query.centre, &key.centre) + bias, radius)
    }

    /// Return softmax of logits, and how far each weight can move; the movements sum to 0, but for
    /// roundings relative to the weights, which are counted where weights are used.
    fn softmax(&self, logits: &[Number]) -> Vec<Number> {
        (0..logits.len()).map(|key| self.share(logits, key)).collect()
    }

    /// Return one weight of softmax, and how far it can move.
    ///
    /// A weight is largest where its own logit is at its upper end and all others at their lower
    /// ones. Rounding inside exp is as if logits moved.
    fn share(&self, logits: &[Number], key: usize) -> Number {
        let most = largest(&logits.iter().map(|logit| logit.0.abs() + logit.1).collect::<Vec<_>>());
        let own = FLOAT64.gamma_of(64) * (1.0 + most); // of the exponents below
        let inside = self.gamma(6) * most + self.gamma(EXP) + own;
        let end = |key: usize, up: f64| logits[key].0 + up * (logits[key].1 + inside) * OUTWARD;
        let weight = |up: f64| {
            let others = (0..logits.len()).filter(|other| *other != key);
            1.0 / (1.0 + others.map(|other| (end(other, -up) - end(key, up)).exp()).sum::<f64>())
        };
        let top = logits.iter().fold(f64::NEG_INFINITY, |top, logit| top.max(logit.0));
        let all: f64 = logits.iter().map(|logit| (logit.0 - top).exp()).sum();
        let (middle, up, down) = ((logits[key].0 - top).exp() / all, weight(1.0), weight(-1.0));
        let slack = FLOAT64.gamma_of(2 * logits.len() + 64) * (up + middle);
        let moved = largest(&[up - middle, middle - down]) + slack;
        let flushed = self.flushed(2.0 + logits.len() as f64);
        (middle, unless(self.overflows(most), (moved + flushed) * OUTWARD + LEAST))
    }

    /// Return max(logit, 0) / C of logits, and how far each weight can move: as much as its logit,
    /// over C. Unlike those of softmax, the movements have any sum. The rounding of the quotient is
    /// relative to the weight, and `attend` counts it.
    fn rectified(&self, logits: &[Number], chunk: usize) -> Vec<Number> {
        let share = |(logit, radius): &Number| {
            let flushed = self.flushed(4.0 + chunk as f64 + logit.abs() + radius);
            let weight = if *logit > 0.0 { logit / chunk as f64 } else { 0.0 };
            (weight, (radius / chunk as f64 + flushed) * OUTWARD + LEAST)
        };
        logits.iter().map(share).collect()
    }

    /// Return what all heads gather, side by side, from values with weights that can move.
    ///
    /// With w the weights of the centres and w + m others within their radii, sum (w + m) v differs
    /// from sum w v by sum m (v - c): for any c if the movements m `cancel`, that is, sum to 0 as
    /// those of softmax do, and else for c = 0.
    fn attend(&self, heads: &[Vec<(Number, &Ball)>], cancel: bool) -> Ball {
        let (mut centre, mut sizes, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        let (mut radii, mut reach, count) = (Vec::new(), 1.0, heads[0].len());
        for head in heads {
            let size = |((w, m), v): &(Number, &Ball)| 2.0 + w + m + largest(&v.sizes());
            reach += head.iter().map(size).sum::<f64>() * (count as f64 + 4.0);
            let radius: f64 = head.iter().map(|((w, m), v)| (w + m) * v.radius).sum();
            radii.push(radius);
            for place in 0..head[0].1.centre.len() {
                let sum = |term: &dyn Fn(f64, f64, f64) -> f64| {
                    head.iter().map(|((w, m), v)| term(*w, *m, v.centre[place])).sum::<f64>()
                };
                let middle = if cancel { sum(&|_, _, v| v) / count as f64 } else { 0.0 };
                centre.push(sum(&|w, _, v| w * v));
                wrong.push(sum(&|_, m, v| m * (v - middle).abs()));
                sizes.push(sum(&|w, m, v| (w + m) * v.abs()) + radius);
            }
        }
        let roundings = 2 * count + if cancel { 8 } else { 12 };
        self.ball(centre, norm(&radii) + norm(&wrong), &sizes, roundings, reach)
    }
}

// ---- 2 the network: weights ---------------------------------------------------------------------

/// What the file gives of the network and was not taken yet: settings as they are written, and
/// arrays with their types, shapes and bytes. All have the type of the first one.
struct Given {
    settings: Fields<String>,
    arrays: Fields<Array>,
    kind: String,
    by: Arithmetic,
    /// Numbers of symbols and classes of the language.
    symbols: usize,
    classes: usize,
    /// Whether the last layer is bounded together with what its branches are added to.
    is_tight: bool,
}

fn whole(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number| *number <= 1 << 62)
}

fn float(text: &str) -> Option<f64> {
    text.parse().ok().filter(|_| text.contains(['.', 'e']))
}

impl Given {
    fn read(reader: &mut Reader, symbols: usize, classes: usize) -> Checked<Given> {
        let settings = reader.field(',', "settings")?.object(false, |reader| {
            if reader.rest.starts_with('"') {
                return Ok(format!("{:?}", reader.text()?));
            }
            let plain = ["null", "true", "false"].into_iter().find(|token| reader.takes(token));
            plain.map_or_else(|| reader.number(), |token| Ok(token.into()))
        })?;
        let mut given = Given::weights(reader)?;
        (given.settings, given.symbols, given.classes) = (settings, symbols, classes);
        let sizes = [given.count("vocab_size", 1)?, given.count("num_classes", 1)?];
        require(sizes == [symbols, classes], "symbols and classes are those of the language")?;
        Ok(given)
    }

    /// Read the arrays alone.
    fn weights(reader: &mut Reader) -> Checked<Given> {
        let arrays = reader.field(',', "weights")?.object(true, read_array)?;
        let kind = arrays.values().next().map_or(String::new(), |array| array.0.clone());
        let by = if kind == "float32" { FLOAT32 } else { FLOAT64 };
        require(kind == "float32" || kind == "float64", "weights are of float32 or of float64")?;
        let (settings, symbols, classes) = (Fields::new(), 0, 0);
        Ok(Given { settings, arrays, kind, by, symbols, classes, is_tight: false })
    }

    /// Check that nothing is left.
    fn end(&self) -> Checked<()> {
        let all = self.settings.is_empty() && self.arrays.is_empty();
        require(all, "there are no other settings, and no other weights")
    }

    fn setting<T>(&mut self, name: &str, read: impl Fn(&str) -> Option<T>) -> Checked<T> {
        let found = self.settings.remove(name).and_then(|text| read(&text));
        found.ok_or(format!("this is not so: {name} is set, and within its limits"))
    }

    fn count(&mut self, name: &str, least: usize) -> Checked<usize> {
        self.setting(name, |text| whole(text).filter(|count| *count >= least))
    }

    /// Take a setting that is one of some words.
    fn option(&mut self, name: &str, words: &'static str) -> Checked<&'static str> {
        self.setting(name, |text| words.split(' ').find(|word| text == format!("{word:?}")))
    }

    /// Take the function of hidden units.
    fn activation(&mut self, words: &'static str) -> Checked<()> {
        let activation = self.option("activation", words)?;
        require_handled(activation == "relu", activation)
    }

    /// Take the rows of an array; of one axis, there is one.
    fn take(&mut self, name: &str, shape: &[usize]) -> Checked<Vec<Vec<f64>>> {
        let (kind, own, bytes) = self.arrays.remove(name).ok_or(format!("there is no {name}"))?;
        let size = if kind == "float32" { 4 } else { 8 };
        let count = shape.iter().fold(size, |all: usize, length| all.saturating_mul(*length));
        let fits = kind == self.kind && own == shape && bytes.len() == count;
        require(fits, &format!("{name} has the shape {shape:?}, and the type of other weights"))?;
        let short = |raw: &[u8]| f32::from_bits(bits_of(raw) as u32) as f64;
        let number = |raw: &[u8]| if size == 4 { short(raw) } else { f64::from_bits(bits_of(raw)) };
        let numbers: Vec<f64> = bytes.chunks(size).map(number).collect();
        require(numbers.iter().all(|number| number.is_finite()), "weights are numbers")?;
        Ok(numbers.chunks(shape[shape.len() - 1]).map(<[f64]>::to_vec).collect())
    }

    /// Take W, and b where there is one, cut into parts that are computed one by one.
    fn parts(&mut self, name: &str, shape: [usize; 2], parts: usize) -> Checked<Vec<Matrix>> {
        let weight = self.take(&format!("{name}.weight"), &shape)?;
        let is_biased = !name.contains(".attention.");
        let bias = if is_biased {
            self.vector(&format!("{name}.bias"), shape[0])?
        } else {
            vec![0.0; shape[0]]
        };
        let cut = weight.chunks(shape[0] / parts).zip(bias.chunks(shape[0] / parts));
        Ok(cut.map(|(rows, bias)| Matrix::new(rows, bias)).collect())
    }

    fn matrix(&mut self, name: &str, rows: usize, columns: usize) -> Checked<Matrix> {
        Ok(self.parts(name, [rows, columns], 1)?.remove(0))
    }

    fn vector(&mut self, name: &str, length: usize) -> Checked<Vec<f64>> {
        Ok(self.take(name, &[length])?.remove(0))
    }

    /// Take the weight and the bias of a layer norm, if there is one.
    fn norm(&mut self, name: &str, width: usize, there: bool) -> Checked<Vec<Vec<f64>>> {
        let parts = ["weight", "bias"].iter().filter(|_| there);
        parts.map(|part| self.vector(&format!("{name}.{part}"), width)).collect()
    }
}

enum Network {
    /// Of which the file lists elements.
    Listed(Box<dyn Elements>),
    Slots(Slots),
}

/// A network whose nodes are vectors: a tree or a recurrence.
struct Nodes {
    by: Arithmetic,
    /// Of a tree; 0 of a recurrence.
    chunk: usize,
    width: usize,
    /// The vectors of symbols.
    symbols: Vec<Ball>,
    /// Returns the vector of a chunk of vectors, or after a vector and a symbol; if there are none,
    /// that of the empty word.
    node: Box<dyn Fn(&[&Ball]) -> Ball>,
    /// Returns the logits of a vector.
    answer: Box<dyn Fn(&Ball) -> Vec<Number>>,
}

/// Binary memory: a vector is kept as signs, and another one is made of these.
struct Memory {
    by: Arithmetic,
    write: Matrix,
    read: Matrix,
    norm: Vec<Vec<f64>>,
    /// What stands for a bit that is 0.
    off: f64,
}

impl Memory {
    fn code(&self, vector: &Ball) -> Checked<Vec<bool>> {
        signs(&self.by.affine(&self.write, vector).1)
    }

    fn recall(&self, code: &[bool]) -> Ball {
        let signs: Vec<f64> = code.iter().map(|bit| if *bit { 1.0 } else { self.off }).collect();
        self.by.normed(&self.norm, &self.by.affine(&self.read, &Ball::exact(&signs)).0)
    }
}

/// The places of a chunk, the vectors of symbols, and the function to a new vector.
type Parts = (usize, Vec<Ball>, Box<dyn Fn(&[&Ball]) -> Ball>);

impl Nodes {
    fn read(mut given: Given) -> Checked<(Nodes, Option<Memory>)> {
        let (width, bits, by) = (given.count("d_model", 1)?, given.count("num_bits", 1)?, given.by);
        given.setting("noise", |text| float(text).filter(|noise| *noise >= 0.0))?;
        let is = |name: &str, value: &str| given.settings.get(name).map_or(false, |it| it == value);
        let is_rational = is("cell", "\"relu\"") || is("attention", "\"relu\"");
        let (is_tree, is_pre) = (!given.settings.contains_key("cell"), is("norm", "\"pre\""));
        let kinds = if is_rational { "binary" } else { "binary continuous" };
        let memory = if is_tree { given.option("memory", kinds)? } else { "binary" };
        let memory = if memory == "binary" {
            Some(Memory {
                by,
                write: given.matrix("memory.write", bits, width)?,
                read: given.matrix("memory.read", width, bits)?,
                norm: given.norm("memory.norm", width, !is_rational)?,
                off: if is_tree { -1.0 } else { 0.0 },
            })
        } else {
            None
        };
        let final_norm = given.norm("final_norm", width, is_pre)?;
        let answer = given.matrix("answer", given.classes, width)?;
        let read_node = if is_tree { read_tree } else { read_recurrence };
        let (chunk, symbols, node) = read_node(&mut given, width)?;
        given.end()?;
        let answer = Box::new(move |x: &Ball| by.affine(&answer, &by.normed(&final_norm, x)).1);
        Ok((Nodes { by, chunk, width, symbols, node, answer }, memory))
    }
}

/// Read a recurrence. The vector after a symbol is tanh(x + U h + b), max(x + U h + b, 0), or n + z
/// (h - n) with n = tanh(x_n + r (U_n h + b_n)), from the gates r and z.
fn read_recurrence(given: &mut Given, width: usize) -> Checked<Parts> {
    let (cell, by) = (given.option("cell", "elman relu gru")?, given.by);
    let gates = if cell == "gru" { 3 } else { 1 };
    let rows = width.saturating_mul(gates);
    let recurrent = given.parts("cell.recurrent", [rows, width], gates)?;
    let inputs = given.take("cell.symbols.weight", &[given.symbols, rows])?;
    let start = Ball::exact(&given.vector("start", width)?);
    let node = move |below: &[&Ball]| {
        if below.is_empty() {
            return start.clone();
        }
        let (before, symbol) = (below[0], below[1]);
        let old = |gate: usize| by.affine(&recurrent[gate], before).0;
        let input = |gate: usize| Ball::exact(&symbol.centre[gate * width..][..width]);
        let added = |gate: usize, x: &Ball| by.sum(&input(gate), x);
        if gates == 1 {
            return by.entries(if cell == "relu" { RELU } else { TANH }, &added(0, &old(0)));
        }
        let gate = |gate: usize| by.entries(LOGISTIC, &added(gate, &old(gate)));
        let new = by.entries(TANH, &added(2, &by.product(&gate(0), &old(2), 1)));
        let less = Ball { centre: new.centre.iter().map(|x| -x).collect(), ..new };
        by.sum(&new, &by.product(&gate(1), &by.sum(before, &less), 1))
    };
    Ok((0, inputs.iter().map(|row| Ball::exact(row)).collect(), Box::new(node)))
}

fn read_tree(given: &mut Given, width: usize) -> Checked<Parts> {
    let (by, rational) = (given.by, given.settings.contains_key("attention"));
    rational.then(|| given.option("attention", "relu")).transpose()?;
    let norm = given.option("norm", if rational { "none" } else { "post pre none" })?;
    given.activation(if rational { "relu" } else { "relu gelu" })?;
    let learned_pad = given.option("pad", "learned absent")? == "learned";
    given.setting("dropout", |text| float(text).filter(|share| (0.0..1.0).contains(share)))?;
    let (chunk, heads) = (given.count("chunk_size", 2)?, given.count("num_heads", 1)?);
    require(chunk <= 32 && width % heads == 0, "chunks have at most 32 places, heads one width")?;
    let scale = given.setting("embedding_scale", |text| {
        let number = float(text).or_else(|| whole(text).map(|scale| scale as f64));
        number.or((text == "null").then(|| (width as f64).sqrt())).filter(|scale| *scale > 0.0)
    })?;
    let hidden = given.count("ff_factor", 1)?.saturating_mul(width);
    let second = given.count("transition_size", 0)?; // of a matrix that is not used
    (second > 0).then(|| given.matrix("transition", second, width)).transpose()?;
    let is_tight = given.is_tight && norm != "pre";
    let (mut layers, depth) = (Vec::new(), given.count("num_layers", 1)?);
    require(depth <= 4096, "there are at most 4,096 layers")?;
    for layer in 0..depth {
        layers.push(Layer::read(given, layer, [width, hidden, heads, chunk], norm, rational)?);
    }
    let mut vectors = given.take("embedding.weight", &[given.symbols, width])?;
    vectors.push(given.vector("pad", width)?);
    let factor = Ball::exact(&vec![scale; width]);
    let scaled = |row: &Vec<f64>| by.product(&Ball::exact(row), &factor, 4);
    let vectors: Vec<Ball> = vectors.iter().map(scaled).collect();
    let pad = vectors[given.symbols].clone();
    let node = move |below: &[&Ball]| {
        let pads = chunk - below.len();
        let present = if learned_pad { 0 } else { pads.min(chunk - 1) };
        let mut x = vec![pad.clone(); pads];
        x.extend(below.iter().map(|x| (*x).clone()));
        for (number, layer) in layers.iter().enumerate() {
            let is_last = number + 1 == layers.len();
            if is_last && is_tight {
                return layer.tight(&x, present);
            }
            x = layer.run(&x, present, if is_last { chunk - 1 } else { 0 });
        }
        x.remove(0)
    };
    Ok((chunk, vectors, Box::new(node)))
}

/// A layer of a transformer, of chunks.
struct Layer {
    by: Arithmetic,
    chunk: usize,
    heads: usize,
    is_rational: bool,
    /// Of each head.
    query: Vec<Matrix>,
    /// The keys of all heads, and then their values.
    both: Vec<Matrix>,
    output: Matrix,
    /// By head and offset.
    bias: Vec<Vec<f64>>,
    expand: Matrix,
    contract: Matrix,
    /// Norms before the two branches, and after them.
    before: [Vec<Vec<f64>>; 2],
    after: [Vec<Vec<f64>>; 2],
    factor: Ball,
}

/// What the place of a query sees of each head: places, each with its weight and its value.
type Seen<'a> = Vec<Vec<(usize, Number, &'a Ball)>>;

impl Layer {
    fn read(
        given: &mut Given, layer: usize, sizes: [usize; 4], norm: &str, is_rational: bool,
    ) -> Checked<Layer> {
        let ([width, hidden, heads, chunk], by) = (sizes, given.by);
        let of = |part: &str| format!("layers.{layer}.{part}");
        let mut normed = |name: &str, place: &str| given.norm(&of(name), width, norm == place);
        let names = ["attention_norm.norm", "feed_forward_norm.norm"];
        let before = [normed(names[0], "pre")?, normed(names[1], "pre")?];
        let after = [normed(names[0], "post")?, normed(names[1], "post")?];
        Ok(Layer {
            by,
            chunk,
            heads,
            is_rational,
            query: given.parts(&of("attention.query"), [width, width], heads)?,
            both: given.parts(&of("attention.key_value"), [2 * width, width], 2 * heads)?,
            output: given.matrix(&of("attention.output"), width, width)?,
            bias: given.take(&of("attention.bias"), &[heads, chunk])?,
            expand: given.matrix(&of("expand"), hidden, width)?,
            contract: given.matrix(&of("contract"), width, hidden)?,
            before,
            after,
            factor: Ball::exact(&vec![1.0 / ((width / heads) as f64).sqrt(); width]),
        })
    }

    /// Return the vectors after the layer from a place on. Places before `present` are absent pads,
    /// which are not looked at, except by themselves.
    fn run(&self, x: &[Ball], present: usize, from: usize) -> Vec<Ball> {
        let (seen, shown) = self.shown(x);
        let at = |place: usize| {
            let gathered = self.gathered(&self.looks(&seen, &shown, present, place), &shown);
            let h = self.by.sum(&x[place], &self.by.affine(&self.output, &gathered).0);
            self.fed(&self.by.normed(&self.after[0], &h))
        };
        (from..self.chunk).map(at).collect()
    }

    /// Return the vectors that attention sees, and their keys and values of all heads.
    fn shown(&self, x: &[Ball]) -> (Vec<Ball>, Vec<Vec<Ball>>) {
        let seen: Vec<Ball> = x.iter().map(|x| self.by.normed(&self.before[0], x)).collect();
        let shown = seen.iter().map(|x| self.projected(&self.both, x)).collect();
        (seen, shown)
    }

    fn projected(&self, parts: &[Matrix], x: &Ball) -> Vec<Ball> {
        parts.iter().map(|part| self.by.affine(part, x).0).collect()
    }

    fn looks<'a>(
        &self, seen: &[Ball], shown: &'a [Vec<Ball>], present: usize, place: usize,
    ) -> Seen<'a> {
        let asking = self.by.product(&seen[place], &self.factor, 4);
        let queries = self.projected(&self.query, &asking);
        let keys = present.min(place)..=place;
        let head = |head: usize| {
            let bias = |key: usize| self.bias[head][place - key];
            let logit = |key: usize| self.by.logit(&queries[head], &shown[key][head], bias(key));
            let logits: Vec<Number> = keys.clone().map(logit).collect();
            let shares = if self.is_rational {
                self.by.rectified(&logits, self.chunk)
            } else {
                self.by.softmax(&logits)
            };
            let value = |key: usize| &shown[key][self.heads + head];
            keys.clone().zip(shares).map(|(key, share)| (key, share, value(key))).collect()
        };
        (0..self.heads).map(head).collect()
    }

    fn gathered(&self, looks: &Seen, shown: &[Vec<Ball>]) -> Ball {
        // values that are not looked at have weight 0, and 0 times infinity is no number
        let is_lost =
            |shown: &Vec<Ball>| shown[self.heads..].iter().any(|v| v.radius.is_infinite());
        let heads =
            looks.iter().map(|head| head.iter().map(|(_, share, v)| (*share, *v)).collect());
        let heads: Vec<Vec<(Number, &Ball)>> = heads.collect();
        let mut gathered = self.by.attend(&heads, !self.is_rational);
        gathered.radius = unless(shown.iter().any(is_lost), gathered.radius);
        gathered
    }

    /// Return the vector after the feed-forward network.
    fn fed(&self, h: &Ball) -> Ball {
        let hidden = self.by.affine(&self.expand, &self.by.normed(&self.before[1], h)).0;
        let branch = self.by.affine(&self.contract, &self.by.entries(RELU, &hidden)).0;
        self.by.normed(&self.after[1], &self.by.sum(h, &branch))
    }

    /// Return the vector after the layer at the last place, if there are no norms before branches:
    /// each branch is bounded together with what it is added to, which shows that balls shrink.
    fn tight(&self, x: &[Ball], present: usize) -> Ball {
        let (last, width) = (self.chunk - 1, x[0].centre.len());
        let (seen, shown) = self.shown(x);
        let looks = self.looks(&seen, &shown, present, last);
        let gathered = self.gathered(&looks, &shown);
        let branch = self.by.affine(&self.output, &gathered).0;
        let mut h = self.by.sum(&x[last], &branch);
        // with the weights of the centres, attention is linear in the vectors of places
        let mut matrices = vec![vec![vec![0.0; width]; width]; x.len()];
        (0..width).for_each(|row| matrices[last][row][row] = 1.0);
        let mut local = Vec::new(); // what heads gather besides
        for (head, looked) in looks.iter().enumerate() {
            let value = &self.both[self.heads + head];
            let first = head * value.rows.len();
            let mut linear = 0.0; // what the matrices make of the places' radii
            for (place, (weight, _), _) in looked {
                for (row, out) in self.output.rows.iter().enumerate() {
                    for (unit, from) in value.rows.iter().enumerate() {
                        let factor = out[first + unit] * weight;
                        let sum = &mut matrices[*place][row];
                        sum.iter_mut().zip(from).for_each(|(sum, entry)| *sum += factor * entry);
                    }
                }
                linear += weight * value.stretch * x[*place].radius;
            }
            let pairs: Vec<(Number, &Ball)> = looked.iter().map(|(_, w, v)| (*w, *v)).collect();
            local.push(rest(self.by.attend(&[pairs], true).radius, linear));
        }
        let values = norm(&self.both.iter().map(|part| frobenius(&part.rows)).collect::<Vec<_>>());
        let slack = lost_of(2 * width + 16, frobenius(&self.output.rows) * values);
        let linear =
            |(matrix, x): (&Vec<Vec<f64>>, &Ball)| (singular(matrix, SQUARINGS) + slack) * x.radius;
        let radius: f64 = matrices.iter().zip(x).map(linear).sum();
        let radius = radius
            + self.output.stretch * norm(&local)
            + rest(branch.radius, self.output.stretch * gathered.radius)
            + rest(h.radius, x[last].radius + branch.radius);
        h.radius = smaller(h.radius, radius);
        self.tight_fed(&self.by.normed(&self.after[0], &h))
    }

    /// Return the vector after the feed-forward network. Units that are certainly on or off are
    /// linear; others are by a half, give or take a half.
    fn tight_fed(&self, h: &Ball) -> Ball {
        let (hidden, numbers) = self.by.affine(&self.expand, h);
        let active = self.by.entries(RELU, &hidden);
        let branch = self.by.affine(&self.contract, &active).0;
        let mut sum = self.by.sum(h, &branch);
        let is_sure = |(x, radius): &Number| x.abs() > *radius;
        let share = |number: &Number| match is_sure(number) {
            true if number.0 > 0.0 => 1.0,
            true => 0.0,
            false => 0.5,
        };
        let shares: Vec<f64> = numbers.iter().map(share).collect();
        let (expand, contract) = (&self.expand.rows, &self.contract.rows);
        let row = |(place, out): (usize, &Vec<f64>)| {
            let mut row = vec![0.0; h.centre.len()];
            row[place] = 1.0;
            for ((factor, share), from) in out.iter().zip(&shares).zip(expand) {
                row.iter_mut().zip(from).for_each(|(sum, entry)| *sum += factor * share * entry);
            }
            row
        };
        let matrix: Vec<Vec<f64>> = contract.iter().enumerate().map(row).collect();
        let unsure: Vec<usize> =
            (0..shares.len()).filter(|unit| !is_sure(&numbers[*unit])).collect();
        let columns: Vec<f64> = unsure
            .iter()
            .map(|unit| norm(&contract.iter().map(|row| row[*unit]).collect::<Vec<_>>()))
            .collect();
        let rows: Vec<f64> = unsure.iter().map(|unit| norm(&expand[*unit])).collect();
        let slack = lost_of(2 * shares.len() + 16, frobenius(contract) * frobenius(expand));
        let stretch = singular(&matrix, SQUARINGS) + slack + 0.5 * norm(&columns) * norm(&rows);
        let fresh = rest(hidden.radius, self.expand.stretch * h.radius);
        let radius = stretch * h.radius
            + self.contract.stretch * (fresh + rest(active.radius, hidden.radius))
            + rest(branch.radius, self.contract.stretch * active.radius)
            + rest(sum.radius, h.radius + branch.radius);
        sum.radius = smaller(sum.radius, radius);
        self.by.normed(&self.after[1], &sum)
    }
}

/// Return a bound on the Frobenius norm.
fn frobenius(rows: &[Vec<f64>]) -> f64 {
    norm(&rows.iter().map(|row| norm(row)).collect::<Vec<_>>())
}

/// Bound what rounding of so many terms does to 1 and products of this size above.
fn lost_of(terms: usize, size: f64) -> f64 {
    FLOAT64.gamma_of(terms) * (1.0 + size)
}

/// Return what is left of a radius without a part of it; infinite if it was.
fn rest(radius: f64, part: f64) -> f64 {
    if radius.is_finite() && part.is_finite() {
        largest(&[radius - part])
    } else {
        f64::INFINITY
    }
}

/// Return the smaller radius; an infinite one says that numbers could overflow.
fn smaller(plain: f64, tight: f64) -> f64 {
    if plain.is_finite() && tight * OUTWARD < plain {
        tight * OUTWARD + LEAST
    } else {
        plain
    }
}

/// A tree whose nodes have a slot for each state: slot q of the node of a word holds the code of
/// the state to which the word leads state q.
struct Slots {
    by: Arithmetic,
    /// The code of each state, in 1 and -1, those of the slots of each symbol, and that of the start.
    codes: Vec<Vec<f64>>,
    symbols: Vec<Vec<Vec<f64>>>,
    start: Vec<f64>,
    /// From a code to the query with which its slot looks at the keys of slots.
    expand: Matrix,
    query: Matrix,
    keys: Vec<Ball>,
    /// From what a slot gathers to the numbers whose signs are its new code.
    write: Matrix,
    /// From a code to the logits of classes.
    inner: Matrix,
    answer: Matrix,
}

impl Slots {
    fn read(reader: &mut Reader, mut given: Given) -> Checked<Slots> {
        reader.expect("{}")?;
        let (symbols, least) = (given.symbols, given.by.tiny);
        let (slots, bits) = (given.count("num_slots", 1)?, given.count("num_bits", 1)?);
        require(bits <= 12 && slots <= 1 << bits, "at most 12 bits tell slots apart")?;
        require(given.count("chunk_size", 2)? <= 32, "a chunk has at most 32 places")?;
        let (width, hidden) = (given.count("d_model", 1)?, given.count("d_hidden", 0)?);
        let hidden = if hidden > 0 { hidden } else { width.saturating_mul(4) };
        let mut codes = |name: &str, shape: &[usize]| -> Checked<Vec<Vec<f64>>> {
            let rows = given.take(name, shape)?;
            let far = rows.iter().flatten().all(|number| number.abs() > least);
            require(far, "every sign is certain")?;
            let sign = |number: &f64| if *number > 0.0 { 1.0 } else { -1.0 };
            Ok(rows.iter().map(|row| row.iter().map(sign).collect()).collect())
        };
        let pad = codes("pad", &[slots, bits])?;
        let start = codes("start", &[bits])?.remove(0);
        let symbols = codes("symbols", &[symbols, slots, bits])?;
        let keys = given.take("keys", &[slots, width])?;
        let network = Slots {
            by: given.by,
            codes: pad,
            symbols: symbols.chunks(slots).map(<[_]>::to_vec).collect(),
            start,
            expand: given.matrix("expand", hidden, bits)?,
            query: given.matrix("query", width, hidden)?,
            keys: keys.iter().map(|key| Ball::exact(key)).collect(),
            write: given.matrix("write", bits, bits)?,
            inner: given.matrix("inner", hidden, bits)?,
            answer: given.matrix("answer", given.classes, hidden)?,
        };
        given.end().map(|_| network)
    }

    /// Return the vector after a layer and ReLU.
    fn rectified(&self, layer: &Matrix, code: &[f64]) -> Ball {
        self.by.entries(RELU, &self.by.affine(layer, &Ball::exact(code)).0)
    }

    /// Return the class of a state.
    fn class(&self, state: usize) -> Checked<usize> {
        class(&self.by.affine(&self.answer, &self.rectified(&self.inner, &self.codes[state])).1)
    }

    /// Return the least weight with which a slot that holds the code of a state looks at the slot
    /// of that state.
    fn own_weight(&self, state: usize) -> Checked<f64> {
        let width = self.query.rows.len();
        let factor = Ball::exact(&vec![1.0 / (width as f64).sqrt(); width]);
        let hidden = self.rectified(&self.expand, &self.codes[state]);
        let query = self.by.product(&self.by.affine(&self.query, &hidden).0, &factor, 4);
        let logits: Vec<Number> =
            self.keys.iter().map(|key| self.by.logit(&query, key, 0.0)).collect();
        let (weight, moved) = self.by.share(&logits, state);
        require(moved.is_finite(), "every sign is certain")?; // else logits could overflow
        Ok(weight - moved)
    }

    /// Check that a slot with the code of s takes over what slot s of the right node holds, if that
    /// is the code of a state, whatever codes of states the other slots hold.
    ///
    /// Before the signs a slot has W y + b, where y has the weight w of slot s for c(t) and the
    /// rest, 1 - w, for other codes. With u(t) = W c(t), a number is on the side of its sign in
    /// c(t), if sign (w u(t) + b) + (1 - w) m > 0, where m is the least of sign u(t') over all t'.
    /// This grows with w, since m <= sign u(t); so the least w of all s is enough.
    fn check_products(&self) -> Checked<()> {
        let (count, bits, by) = (self.codes.len(), self.start.len(), self.by);
        let weights: Vec<f64> =
            (0..count).map(|state| self.own_weight(state)).collect::<Checked<_>>()?;
        let weight = weights.into_iter().fold(1.0, f64::min);
        let gathered = by.radius(0.0, 1.0, 2 * count + 8, 8.0 * (count * (count + 4)) as f64);
        for (bit, (row, b)) in self.write.rows.iter().zip(&self.write.bias).enumerate() {
            let size = absolute(row).iter().sum::<f64>() * OUTWARD;
            let reach = (bits + 1) as f64 * (2.0 + gathered) + size + b.abs();
            let all = size * (1.0 + gathered) + b.abs();
            let radius = by.radius(size * gathered, all, bits + 8, reach);
            let seen: Vec<f64> = self.codes.iter().map(|code| dot(row, code)).collect();
            let least = |sign: f64| seen.iter().map(|u| sign * u).fold(f64::INFINITY, f64::min);
            let others = [least(-1.0), least(1.0)];
            let is_certain = |(code, u): (&Vec<f64>, &f64)| {
                let other = others[(code[bit] > 0.0) as usize];
                code[bit] * (weight * u + b) + (1.0 - weight) * other > radius
            };
            require(self.codes.iter().zip(&seen).all(is_certain), "every sign is certain")?;
        }
        Ok(())
    }

    /// Check that symbols and the start hold the codes of a machine's states, and that states in
    /// the domain have their classes.
    fn check_written(&self, machine: &Automaton, outside: usize) -> Checked<()> {
        require(self.codes.len() == machine.classes.len(), "there is a slot for each state")?;
        require(self.start == self.codes[machine.start], "the start code is that of the start")?;
        for (state, row) in machine.transitions.iter().enumerate() {
            let leads = |(next, slots): (&usize, &Vec<Vec<f64>>)| slots[state] == self.codes[*next];
            let led = row.iter().zip(&self.symbols).all(leads);
            require(led, "slots of symbols hold codes of next states")?;
            let class = machine.classes[state];
            let right = class == outside || self.class(state)? == class;
            require(right, "states are read as their classes")?;
        }
        Ok(())
    }

    /// Return the automaton that is written in the weights, with a state for each slot.
    fn own_machine(&self) -> Checked<Automaton> {
        let number = |code: &Vec<f64>| {
            let found = self.codes.iter().position(|each| each == code);
            found.ok_or("this is not so: slots of symbols and the start hold codes of states")
        };
        let mut transitions = Vec::new();
        for state in 0..self.codes.len() {
            let row = self.symbols.iter().map(|slots| number(&slots[state]));
            transitions.push(row.collect::<Result<_, _>>()?);
        }
        let classes =
            (0..self.codes.len()).map(|state| self.class(state)).collect::<Checked<_>>()?;
        Ok(Automaton { transitions, classes, start: number(&self.start)? })
    }
}

// ---- 2 the network: elements --------------------------------------------------------------------

/// What the network makes of elements: of symbols at level 0 of a tree, else of what the file lists.
trait Elements {
    /// The places of a chunk; 0 of a recurrence.
    fn chunk(&self) -> usize;

    /// The number of elements that are listed.
    fn count(&self) -> usize;

    /// Return the same number for levels whose elements are composed alike.
    fn phase(&self, level: usize) -> usize {
        level.min(1)
    }

    /// Return the element that a chunk of a level becomes, or an element and a symbol; of no
    /// element, it is that of the empty word.
    fn compose(&mut self, level: usize, chunk: &[usize], is_edge: bool) -> Checked<usize>;

    /// Return the logits of an element at the edge of a level.
    fn logits(&self, level: usize, element: usize) -> Vec<Number>;

    /// Return the logits of the empty word, whose element a tree need not list.
    fn empty_logits(&mut self) -> Checked<Vec<Number>>;
}

/// Codes of binary memory.
struct Codes {
    network: Nodes,
    memory: Memory,
    codes: Vec<Vec<bool>>,
    vectors: Vec<Ball>,
    known: HashMap<(bool, Vec<usize>), usize>,
}

impl Codes {
    fn read(reader: &mut Reader, given: Given) -> Checked<Codes> {
        let (network, memory) = Nodes::read(given)?;
        let memory = memory.ok_or("this is not so: memory is binary")?;
        let codes = reader.field('{', "codes")?.list(Reader::text)?;
        reader.expect("}")?;
        require(!codes.is_empty() && all_differ(&codes), "every code occurs once")?;
        let codes = codes.iter().map(|code| read_code(code, memory.write.rows.len()));
        let codes: Vec<Vec<bool>> = codes.collect::<Checked<_>>()?;
        let vectors = codes.iter().map(|code| memory.recall(code)).collect();
        Ok(Codes { network, memory, codes, vectors, known: HashMap::new() })
    }
}

impl Elements for Codes {
    fn chunk(&self) -> usize {
        self.network.chunk
    }

    fn count(&self) -> usize {
        self.codes.len()
    }

    fn compose(&mut self, level: usize, chunk: &[usize], _: bool) -> Checked<usize> {
        let key = (level > 0, chunk.to_vec());
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let (symbols, vectors) = (&self.network.symbols, &self.vectors);
        let below: Vec<&Ball> = match chunk {
            [code, symbol] if self.network.chunk == 0 => vec![&vectors[*code], &symbols[*symbol]],
            _ if level == 0 => chunk.iter().map(|symbol| &symbols[*symbol]).collect(),
            _ => chunk.iter().map(|code| &vectors[*code]).collect(),
        };
        let code = self.memory.code(&(self.network.node)(&below))?;
        let number = self.codes.iter().position(|named| *named == code);
        let number = number.ok_or("this is not so: every code that follows is named")?;
        self.known.insert(key, number);
        Ok(number)
    }

    fn logits(&self, _: usize, code: usize) -> Vec<Number> {
        (self.network.answer)(&self.vectors[code])
    }

    fn empty_logits(&mut self) -> Checked<Vec<Number>> {
        let code = self.memory.code(&(self.network.node)(&[]))?;
        Ok((self.network.answer)(&self.memory.recall(&code)))
    }
}

/// A scratchpad: a transformer that writes a token after each symbol, and sees a few tokens. Tokens
/// are the symbols, the start, and then the states; -1 is before the start.
struct Contexts {
    by: Arithmetic,
    symbols: usize,
    window: usize,
    embedding: Vec<Ball>,
    layers: Vec<Layer>,
    final_norm: Vec<Vec<f64>>,
    /// From the last vector to the logits of digits, each with so many values as `base`.
    write: Matrix,
    base: usize,
    answer: Matrix,
    /// What the next step sees but for its symbol; the last token is the one that was written.
    contexts: Vec<Vec<i64>>,
}

impl Contexts {
    fn read(reader: &mut Reader, mut given: Given) -> Checked<Contexts> {
        let (by, width) = (given.by, given.count("d_model", 1)?);
        let (states, digits) = (given.count("num_states", 1)?, given.count("num_digits", 1)?);
        let bits = usize::BITS - states.leading_zeros();
        let fits = states <= 1 << 24 && digits <= bits as usize;
        require(fits, "there are at most 2^24 states, and not more digits than bits of them")?;
        let tokens_of = |base: usize| base.saturating_pow(digits as u32);
        let base = (1..=states).find(|base| tokens_of(*base) >= states).unwrap_or(states);
        let (window, heads) = (given.count("window", 2)?, given.count("num_heads", 1)?);
        let (depth, hidden) = (given.count("num_layers", 1)?, given.count("ff_factor", 1)?);
        let field = depth.saturating_mul(window - 1).saturating_add(1);
        require(field <= 32 && width % heads == 0, "steps see at most 32 tokens, heads one width")?;
        let norm = given.option("norm", "post pre none")?;
        given.activation("relu gelu")?;
        let sizes = [width, hidden.saturating_mul(width), heads, window];
        let layers = (0..depth).map(|layer| Layer::read(&mut given, layer, sizes, norm, false));
        let layers = layers.collect::<Checked<_>>()?;
        let tokens = given.symbols + 1 + tokens_of(base);
        let embedding = given.take("embedding.weight", &[tokens, width])?;
        let network = Contexts {
            by,
            symbols: given.symbols,
            window,
            embedding: embedding.iter().map(|row| Ball::exact(row)).collect(),
            layers,
            final_norm: given.norm("final_norm", width, norm == "pre")?,
            write: given.matrix("write", digits * base, width)?,
            base,
            answer: given.matrix("answer", given.classes, width)?,
            contexts: reader.field('{', "contexts")?.list(|row| row.list(Reader::number))?,
        };
        reader.expect("}")?;
        let contexts = &network.contexts;
        let whole = contexts.iter().all(|row| row.len() == field - 1) && all_differ(contexts);
        require(whole, "every context occurs once, and has the tokens that a step sees")?;
        given.end().map(|_| network)
    }

    /// Return the tokens that the next step sees, but for its symbol, after those of this one.
    fn after(&self, context: &[i64]) -> Checked<Vec<i64>> {
        let embedded = |token: &i64| self.embedding[*token.max(&0) as usize].clone();
        let mut x: Vec<Ball> = context.iter().map(embedded).collect();
        let mut absent = context.iter().take_while(|token| **token == -1).count();
        for layer in &self.layers {
            let windows = x.windows(self.window).enumerate();
            let last = |(first, window): (usize, &[Ball])| {
                layer.run(window, absent.saturating_sub(first), self.window - 1).remove(0)
            };
            x = windows.map(last).collect();
            absent = absent.saturating_sub(self.window - 1);
        }
        let numbers = self.by.affine(&self.write, &self.by.normed(&self.final_norm, &x[0])).1;
        let digits = numbers.chunks(self.base).map(class).collect::<Checked<Vec<usize>>>()?;
        let state = digits.iter().rev().fold(0, |state, digit| state * self.base + digit);
        Ok([&context[2..], &[(self.symbols + 1 + state) as i64]].concat())
    }
}

impl Elements for Contexts {
    fn chunk(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        self.contexts.len()
    }

    fn compose(&mut self, _: usize, chunk: &[usize], _: bool) -> Checked<usize> {
        let context = match chunk {
            [context, symbol] => [&self.contexts[*context][..], &[*symbol as i64]].concat(),
            _ => {
                let field = self.layers.len() * (self.window - 1);
                [vec![-1; field], vec![self.symbols as i64]].concat()
            }
        };
        let after = self.after(&context)?;
        let number = self.contexts.iter().position(|named| *named == after);
        number.ok_or("this is not so: every context that follows is named".into())
    }

    fn logits(&self, _: usize, context: usize) -> Vec<Number> {
        let written = self.contexts[context].last().map_or(0, |token| *token as usize);
        self.by.affine(&self.answer, &self.embedding[written]).1
    }

    fn empty_logits(&mut self) -> Checked<Vec<Number>> {
        let context = self.compose(0, &[], true)?;
        Ok(self.logits(0, context))
    }
}

/// A recurrence of torch whose state is snapped: after each symbol it becomes the nearest
/// representative. An element is a representative, with the class of the state before that.
struct States {
    by: Arithmetic,
    symbols: usize,
    width: usize,
    cell: &'static str,
    /// The gates of each layer.
    layers: Vec<Vec<Gate>>,
    answer: Matrix,
    representatives: Vec<Vec<f64>>,
    pairs: Vec<Vec<usize>>,
    known: HashMap<Vec<usize>, usize>,
}

/// The linear maps of what a gate reads: W a + b, U h + c, and their sum, of a, h, 1 and 1.
struct Gate {
    input: Matrix,
    recurrent: Matrix,
    both: Matrix,
}

impl Gate {
    fn new(input: Matrix, recurrent: Matrix) -> Gate {
        let rows: Vec<Vec<f64>> = input
            .rows
            .iter()
            .zip(&recurrent.rows)
            .map(|(w, u)| [&w[..], &u[..]].concat())
            .collect();
        let mut both = Matrix::new(&rows, &vec![0.0; rows.len()]);
        for (row, (b, c)) in both.rows.iter_mut().zip(input.bias.iter().zip(&recurrent.bias)) {
            row.extend([b, c]);
        }
        Gate { input, recurrent, both }
    }
}

/// Return vectors side by side, which move within their radii each.
fn beside(parts: &[&Ball]) -> Ball {
    let radii: Vec<f64> = parts.iter().map(|part| part.radius).collect();
    let centre = parts.iter().flat_map(|part| part.centre.iter().copied()).collect();
    Ball { centre, radius: norm(&radii) }
}

impl States {
    fn read(reader: &mut Reader, mut given: Given) -> Checked<States> {
        let (by, width) = (given.by, given.count("d_model", 1)?);
        let cell = given.option("cell", "elman elman-relu gru lstm")?;
        let depth = given.count("num_layers", 1)?;
        let gates = if cell == "gru" {
            3
        } else if cell == "lstm" {
            4
        } else {
            1
        };
        let rows = width.saturating_mul(gates);
        let mut layers = Vec::new();
        for layer in 0..depth {
            let below = if layer == 0 { given.symbols } else { width };
            let mut maps = |kind: &str, columns: usize| -> Checked<Vec<Matrix>> {
                let weight =
                    given.take(&format!("cell.weight_{kind}_l{layer}"), &[rows, columns])?;
                let bias = given.vector(&format!("cell.bias_{kind}_l{layer}"), rows)?;
                let cut = weight.chunks(width).zip(bias.chunks(width));
                Ok(cut.map(|(rows, bias)| Matrix::new(rows, bias)).collect())
            };
            let (input, recurrent) = (maps("ih", below)?, maps("hh", width)?);
            layers.push(input.into_iter().zip(recurrent).map(|(w, u)| Gate::new(w, u)).collect());
        }
        let answer = given.matrix("answer", given.classes, width)?;
        let vectors = read_array(reader.field('{', "representatives")?)?;
        let numbers = width * depth * if cell == "lstm" { 2 } else { 1 };
        require(vectors.1.last() == Some(&numbers), "representatives are as wide as states")?;
        let of_bits = |row: &Vec<u64>| row.iter().map(|bits| f64::from_bits(*bits)).collect();
        let representatives: Vec<Vec<f64>> =
            rows_of(vectors, "float64", 2)?.iter().map(of_bits).collect();
        let is_short = given.kind == "float32";
        let own = |x: &f64| x.is_finite() && (!is_short || f64::from(*x as f32) == *x);
        let whole = representatives.iter().flatten().all(own);
        require(whole, "representatives are numbers of the type of weights")?;
        let begun = representatives.first().map_or(false, |x| x.iter().all(|x| *x == 0.0));
        require(begun, "the first representative is 0, the state before the first symbol")?;
        let pairs = reader.field(',', "pairs")?.list(Reader::counts)?;
        reader.expect("}")?;
        let is_pair = |pair: &Vec<usize>| {
            pair.len() == 2 && pair[0] < representatives.len() && pair[1] < given.classes
        };
        let whole = pairs.iter().all(is_pair) && all_differ(&pairs);
        require(whole, "pairs are of representatives and classes, and differ")?;
        given.end()?;
        let (symbols, known) = (given.symbols, HashMap::new());
        Ok(States { by, symbols, width, cell, layers, answer, representatives, pairs, known })
    }

    /// Return the state after a symbol, and the part that the answer is read from.
    fn after(&self, state: &[f64], symbol: usize) -> (Ball, Ball) {
        let by = self.by;
        let parts: Vec<Ball> = state.chunks(self.width).map(Ball::exact).collect();
        let mut one = vec![0.0; self.symbols];
        one[symbol] = 1.0;
        let (mut below, ones) = (Ball::exact(&one), Ball::exact(&[1.0, 1.0]));
        let (mut hidden, mut cells) = (Vec::new(), Vec::new());
        for (layer, gates) in self.layers.iter().enumerate() {
            let before = &parts[layer];
            let together = beside(&[&below, before, &ones]);
            let total = |gate: usize| by.affine(&gates[gate].both, &together).0;
            let new = match self.cell {
                "lstm" => {
                    let gate = |gate: usize| by.entries(LOGISTIC, &total(gate));
                    let fresh = by.product(&gate(0), &by.entries(TANH, &total(2)), 1);
                    let kept = by.product(&gate(1), &parts[self.layers.len() + layer], 1);
                    let cell = by.sum(&kept, &fresh);
                    cells.push(cell.clone());
                    by.product(&gate(3), &by.entries(TANH, &cell), 1)
                }
                "gru" => {
                    self.gated(&gates[2], &below, before, |gate| by.entries(LOGISTIC, &total(gate)))
                }
                "elman" => by.entries(TANH, &total(0)),
                _ => by.entries(RELU, &total(0)),
            };
            hidden.push(new.clone());
            below = new;
        }
        let all: Vec<&Ball> = hidden.iter().chain(&cells).collect();
        (beside(&all), below)
    }

    /// Return n + z (h - n), or (1 - z) n + z h, with n = tanh(W a + b + r (U h + c)); the terms of
    /// the last sum may be added among each other, in any order.
    fn gated(
        &self, last: &Gate, below: &Ball, before: &Ball, gate: impl Fn(usize) -> Ball,
    ) -> Ball {
        let (by, count) = (self.by, below.centre.len() + before.centre.len() + 4);
        let input = by.affine(&last.input, below).0;
        let old = by.product(&gate(0), &by.affine(&last.recurrent, before).0, 1);
        let own = below.sizes();
        let size = |row: &Vec<f64>| dot(&absolute(row), &own);
        let sums: Vec<f64> = last.input.rows.iter().map(size).collect();
        let sums = zipped(&sums, &last.input.bias, |sum, b| sum + b.abs());
        let sizes = zipped(&sums, &old.sizes(), |a, b| a + b);
        let centre = zipped(&input.centre, &old.centre, |a, b| a + b);
        let reach = count as f64 + largest(&sizes) + own.iter().sum::<f64>();
        let total = by.ball(centre, input.radius + old.radius, &sizes, count, reach);
        let new = by.entries(TANH, &total);
        let less = Ball { centre: new.centre.iter().map(|x| -x).collect(), ..new };
        let after = by.sum(&new, &by.product(&gate(1), &by.sum(before, &less), 1));
        let sizes = zipped(&new.sizes(), &before.sizes(), |a, b| a + b);
        let reach = 4.0 * (1.0 + largest(&sizes));
        by.ball(after.centre, after.radius, &sizes, 4, reach)
    }

    /// Return the number of a representative and a class.
    fn number(&self, pair: [usize; 2]) -> Checked<usize> {
        let number = self.pairs.iter().position(|named| named[..] == pair);
        number.ok_or("this is not so: every pair that follows is named".into())
    }
}

impl Elements for States {
    fn chunk(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        self.pairs.len()
    }

    fn compose(&mut self, _: usize, chunk: &[usize], _: bool) -> Checked<usize> {
        let [element, symbol] = chunk else {
            let zero = Ball::exact(&vec![0.0; self.width]);
            return self.number([0, class(&self.by.affine(&self.answer, &zero).1)?]);
        };
        let key = vec![self.pairs[*element][0], *symbol];
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let (state, read) = self.after(&self.representatives[key[0]], *symbol);
        let class = class(&self.by.affine(&self.answer, &read).1)?;
        require(state.radius.is_finite(), "states are numbers")?;
        let apart = |x: &Vec<f64>| norm(&zipped(x, &state.centre, |a, b| a - b));
        let away: Vec<f64> = self.representatives.iter().map(apart).collect();
        let nearest = (0..away.len()).fold(0, |a, b| if away[b] < away[a] { b } else { a });
        let leads = |other: usize| {
            let doubt = 1e-9 * (away[other] + away[nearest] + 1e-9);
            away[other] - away[nearest] > 2.0 * state.radius * OUTWARD + doubt
        };
        let certain = (0..away.len()).all(|other| other == nearest || leads(other));
        require(certain, "the nearest representative is certain")?;
        let number = self.number([nearest, class])?;
        self.known.insert(key, number);
        Ok(number)
    }

    fn logits(&self, _: usize, element: usize) -> Vec<Number> {
        let class = self.pairs[element][1];
        let classes = 0..self.answer.rows.len();
        classes.map(|each| (if each == class { 1.0 } else { 0.0 }, 0.0)).collect()
    }

    fn empty_logits(&mut self) -> Checked<Vec<Number>> {
        let element = self.compose(0, &[], true)?;
        Ok(self.logits(0, element))
    }
}

/// Vectors that are snapped to representatives: tables for each level after the symbols, of its
/// interior and its edge; from the last one on, levels recur.
struct Tables {
    network: Nodes,
    levels: Vec<[Merge; 2]>,
    repeat: usize,
}

/// Representatives, and the number of the one that each chunk becomes; chunks are without pads.
struct Merge {
    representatives: Vec<Vec<f64>>,
    /// Of balls around representatives; none of vectors that are snapped.
    radii: Vec<f64>,
    is_robust: bool,
    chunks: BTreeMap<Vec<usize>, usize>,
}

impl Tables {
    fn read(reader: &mut Reader, given: Given, is_robust: bool) -> Checked<Tables> {
        let (network, memory) = Nodes::read(Given { is_tight: is_robust, ..given })?;
        require(memory.is_none(), "memory is continuous")?;
        let levels = reader.field('{', "levels")?.list(|reader| {
            let interior =
                Merge::read(reader.field('{', "interior")?, &network, [false, is_robust])?;
            let edge = Merge::read(reader.field(',', "edge")?, &network, [true, is_robust])?;
            reader.expect("}").map(|_| [interior, edge])
        })?;
        let repeat = reader.field(',', "repeat")?.number()?;
        reader.expect("}")?;
        let is_earlier = 1 <= repeat && repeat < levels.len();
        require(is_earlier, "the level that recurs is an earlier one after the symbols")?;
        let [inner, edge] = [0, 1].map(|place| {
            let of = |level: usize| &levels[level - 1][place];
            let (last, first) = (of(levels.len()), of(repeat));
            let within = zipped(&last.radii, &first.radii, |a, b| b - a).iter().all(|x| *x >= 0.0);
            last.representatives == first.representatives && within
        });
        require(inner && edge, "the last level has the representatives of the one that recurs")?;
        let tables = Tables { network, levels, repeat };
        tables.check().map(|_| tables)
    }

    /// Check what every chunk of every level becomes.
    fn check(&self) -> Checked<()> {
        let network = &self.network;
        let mut below = [network.symbols.clone(), network.symbols.clone()];
        for (level, merges) in self.levels.iter().enumerate() {
            let is_last = level + 1 == self.levels.len();
            merges[0].check(network, [&below[0], &below[0]], is_last)?;
            merges[1].check(network, [&below[0], &below[1]], is_last)?;
            below = [0, 1].map(|place| merges[place].vectors(network));
        }
        Ok(())
    }
}

impl Elements for Tables {
    fn chunk(&self) -> usize {
        self.network.chunk
    }

    fn count(&self) -> usize {
        0
    }

    /// Return the number of the table by which nodes of a level are composed.
    fn phase(&self, level: usize) -> usize {
        let (count, repeat) = (self.levels.len(), self.repeat);
        if level < count {
            level
        } else {
            repeat + (level - repeat) % (count - repeat)
        }
    }

    fn compose(&mut self, level: usize, chunk: &[usize], is_edge: bool) -> Checked<usize> {
        let table = &self.levels[self.phase(level)][is_edge as usize];
        let element = table.chunks.get(chunk).copied();
        element.ok_or("this is not so: the tables have every chunk".into())
    }

    fn logits(&self, level: usize, element: usize) -> Vec<Number> {
        let edge = &self.levels[self.phase(level - 1)][1];
        (self.network.answer)(&edge.vector(&self.network, element))
    }

    fn empty_logits(&mut self) -> Checked<Vec<Number>> {
        Ok((self.network.answer)(&(self.network.node)(&[])))
    }
}

impl Merge {
    fn read(
        reader: &mut Reader, network: &Nodes, [is_edge, is_robust]: [bool; 2],
    ) -> Checked<Merge> {
        let vectors = read_array(reader.field('{', "representatives")?)?;
        require(
            vectors.1.last() == Some(&network.width),
            "representatives are as wide as vectors",
        )?;
        let vectors = rows_of(vectors, "float64", 2)?;
        let children = read_array(reader.field(',', "children")?)?;
        require(children.1.last() == Some(&network.chunk), "chunks have the network's places")?;
        let children = rows_of(children, "int64", 2)?;
        let elements = rows_of(read_array(reader.field(',', "elements")?)?, "int64", 1)?.concat();
        let number = |bits: &u64| f64::from_bits(*bits);
        let mut radii = Vec::new();
        if is_robust {
            let bits = rows_of(read_array(reader.field(',', "radius")?)?, "float64", 1)?.concat();
            radii = bits.iter().map(number).collect();
            let whole =
                radii.len() == vectors.len() && radii.iter().all(|r| 0.0 <= *r && r.is_finite());
            require(whole, "every representative has a radius")?;
        }
        reader.expect("}")?;
        let representatives: Vec<Vec<f64>> =
            vectors.iter().map(|row| row.iter().map(number).collect()).collect();
        let finite = representatives.iter().flatten().all(|number| number.is_finite());
        require(finite, "representatives are numbers")?;
        require(children.len() == elements.len(), "every chunk has an element")?;
        let mut chunks = BTreeMap::new();
        for (row, element) in children.iter().zip(elements) {
            let row = row.iter().map(|child| *child as i64).skip_while(|child| *child == -1);
            let chunk: Option<Vec<usize>> = row.map(|child| child.try_into().ok()).collect();
            let chunk = chunk.filter(|chunk| !chunk.is_empty());
            let chunk = chunk.ok_or("this is not so: pads come before the others")?;
            require(is_edge || chunk.len() == network.chunk, "pads stand at the edge")?;
            require(element < vectors.len() as u64, "elements exist")?;
            let twice = chunks.insert(chunk, element as usize).is_some();
            require(!twice, "every chunk occurs once")?;
        }
        Ok(Merge { representatives, radii, is_robust, chunks })
    }

    /// Return a ball, or a representative, rounded to the weights' type.
    fn vector(&self, network: &Nodes, element: usize) -> Ball {
        let x = &self.representatives[element];
        if self.is_robust {
            return Ball { centre: x.clone(), radius: self.radii[element] };
        }
        network.by.ball(x.clone(), 0.0, &absolute(x), 1, 4.0)
    }

    fn vectors(&self, network: &Nodes) -> Vec<Ball> {
        (0..self.representatives.len()).map(|element| self.vector(network, element)).collect()
    }

    /// Check that the vectors of every chunk are in its ball; or that its vector is nearer to its
    /// representative than any is to another one, and that every representative is such a vector,
    /// but for those of the last level. Where there is one, no vector is farther from it than 0 is.
    fn check(&self, network: &Nodes, below: [&Vec<Ball>; 2], is_last: bool) -> Checked<()> {
        let mut are_met = vec![is_last || self.is_robust; self.representatives.len()];
        let (mut spread, mut gap) = (0.0, f64::INFINITY);
        for (chunk, element) in &self.chunks {
            let child = |(place, child): (usize, &usize)| below[(place == 0) as usize].get(*child);
            let parts: Option<Vec<&Ball>> = chunk.iter().enumerate().map(child).collect();
            let image = (network.node)(&parts.ok_or("this is not so: children exist")?);
            let apart = |x: &Vec<f64>| norm(&zipped(x, &image.centre, |a, b| a - b));
            let own = apart(&self.representatives[*element]);
            if self.is_robust {
                let far = (own + image.radius) * (1.0 + 1e-15);
                require(far <= self.radii[*element], "balls hold their images")?;
                continue;
            }
            let others = self.representatives.iter().enumerate();
            let others = others.filter(|(other, _)| other != element).map(|(_, x)| apart(x));
            let nearest = others.fold(f64::INFINITY, f64::min) * (1.0 - 4e-9) - image.radius;
            let far = (own + image.radius) * OUTWARD;
            require(far < nearest, "the nearest representative is taken")?;
            are_met[*element] |= own <= image.radius;
            (spread, gap) = (far.max(spread), nearest.min(gap));
            let alone = self.representatives.len() == 1;
            let size = norm(&self.representatives[*element]) + image.radius;
            require(!alone || own <= size, "vectors are near their representative")?;
        }
        require(spread < gap, "vectors are nearer to theirs than any is to another one")?;
        let met = are_met.iter().all(|is_met| *is_met);
        require(met, "every representative is a vector of the network")
    }
}

// ---- 3 to 6 the induction -----------------------------------------------------------------------

/// Elements, each with what its words do to states (of the interior: a map of all states; at the
/// edge: the one state to which they lead from the start), and the length of the shortest.
type Pairs = BTreeMap<(usize, Vec<usize>), u64>;

/// Return the signs of numbers, which no rounding may change.
fn signs(numbers: &[Number]) -> Checked<Vec<bool>> {
    require(numbers.iter().all(|(x, radius)| x.abs() > *radius), "every sign is certain")?;
    Ok(numbers.iter().map(|(number, _)| *number >= 0.0).collect())
}

/// Return the class with the largest logit, which no rounding may change; all are numbers, also
/// that of the only class.
fn class(logits: &[Number]) -> Checked<usize> {
    let best = (0..logits.len()).fold(0, |a, b| if logits[b].0 > logits[a].0 { b } else { a });
    let ahead = |i: usize| logits[best].0 - logits[i].0 > logits[best].1 + logits[i].1;
    let is_certain = |i: usize| (logits[i].0 + logits[i].1).is_finite() && (i == best || ahead(i));
    require((0..logits.len()).all(is_certain), "every answer is certain")?;
    Ok(best)
}

/// Return the class that the network gives to a word.
fn classify(elements: &mut dyn Elements, word: &[usize]) -> Checked<usize> {
    let (mut nodes, mut level, chunk) = (word.to_vec(), 0, elements.chunk());
    if word.is_empty() {
        return class(&elements.empty_logits()?);
    }
    if chunk == 0 {
        let start = elements.compose(0, &[], true)?;
        let step = |before: usize, symbol: &usize| elements.compose(0, &[before, *symbol], true);
        nodes = vec![word.iter().try_fold(start, step)?];
    }
    while chunk > 0 && (nodes.len() > 1 || level == 0) {
        let (edge, inner) = nodes.split_at((nodes.len() - 1) % chunk + 1);
        let mut above = vec![elements.compose(level, edge, true)?];
        for each in inner.chunks(chunk) {
            above.push(elements.compose(level, each, false)?);
        }
        nodes = above;
        level += 1;
    }
    class(&elements.logits(level, nodes[0]))
}

/// Return the pairs, of words that lead some state to a good one, of chunks of one pair of
/// `firsts`, which are of the edge or not, and `more` of `inner`.
fn follow(
    elements: &mut dyn Elements, level: usize, (firsts, is_edge): (&Pairs, bool), inner: &Pairs,
    more: u32, good: &[bool],
) -> Checked<Pairs> {
    let (inner, mut found) = (inner.iter().collect::<Vec<_>>(), Pairs::new());
    let times = |chunks: u128, _| chunks.saturating_mul(inner.len() as u128);
    let few = (0..more).fold(firsts.len() as u128, times) <= 20_000_000;
    require(few, "a level has few enough chunks")?;
    for ((first, does), length) in firsts {
        for mut index in 0..inner.len().pow(more) {
            let (mut chunk, mut map, mut length) = (vec![*first], does.clone(), *length);
            for _ in 0..more {
                let ((element, does), symbols) = inner[index % inner.len()];
                index /= inner.len();
                chunk.push(*element);
                map.iter_mut().for_each(|state| *state = does[*state]);
                length += symbols;
            }
            if map.iter().any(|state| good[*state]) {
                let element = elements.compose(level, &chunk, is_edge)?;
                let least = found.entry((element, map)).or_insert(length);
                *least = length.min(*least);
            }
        }
    }
    Ok(found)
}

/// For each state, those to which words of some length lead.
type Steps = Vec<BTreeSet<usize>>;

fn power(steps: &Steps, exponent: usize) -> Steps {
    let step = |reached: &BTreeSet<usize>| {
        reached.iter().flat_map(|state| steps[*state].iter().copied()).collect()
    };
    (1..exponent).fold(steps.clone(), |power, _| power.iter().map(step).collect())
}

/// Return the states from which some number of steps can end inside.
fn leading(steps: &Steps, inside: &[bool]) -> Vec<bool> {
    let mut good = inside.to_vec();
    loop {
        let before = good.clone();
        let leads = |state: usize| steps[state].iter().any(|next| before[*next]);
        (0..good.len()).for_each(|state| good[state] |= leads(state));
        if good == before {
            return good;
        }
    }
}

/// Check that the levels follow from the network, and that they prove the claim. A recurrence is
/// like a tree of which only the edge grows, by a symbol.
fn check_levels(claim: &Claim, elements: &mut dyn Elements) -> Checked<()> {
    let (machine, chunk) = (&claim.automata[0], elements.chunk());
    let (states, is_tree, count) = (machine.classes.len(), chunk > 0, claim.levels.len());
    let whole = |map: &Vec<usize>| map.len() == states && map.iter().all(|next| *next < states);
    let whole = claim.maps.iter().all(whole) && all_differ(&claim.maps);
    require(whole, "state maps lead from all states to states, and differ")?;
    let few = count > 0 && (chunk as f64).powi(count as i32) < 4.6e18;
    require(few, "there is a level, and there are few enough")?;

    let inside: Vec<bool> =
        machine.classes.iter().map(|class| *class < claim.names.len()).collect();
    let step = |row: &Vec<usize>| row.iter().copied().collect();
    let mut steps: Vec<Steps> = vec![machine.transitions.iter().map(step).collect()];
    let mut good = leading(&steps[0], &inside);
    let map = |symbol: usize| machine.transitions.iter().map(|row| row[symbol]).collect();
    let symbols = 0..machine.transitions[0].len();
    let mut symbols: Pairs = symbols.map(|symbol| ((symbol, map(symbol)), 1)).collect();
    symbols.retain(|(_, map), _| map.iter().any(|state| good[*state]));
    let (mut interior, mut edge) = (Pairs::new(), Pairs::new());
    if is_tree {
        let begun = symbols.keys().map(|(symbol, map)| ((*symbol, vec![map[machine.start]]), 1));
        edge = begun.filter(|((_, map), _)| good[map[0]]).collect();
        interior = symbols.clone();
    } else {
        edge.insert((elements.compose(0, &[], true)?, vec![machine.start]), 0);
    }
    // the length of the shortest wrong word, and the pairs of a recurrence
    let is_wrong = inside[machine.start]
        && class(&elements.empty_logits()?)? != machine.classes[machine.start];
    let (mut wrong, mut seen) = (is_wrong.then_some(0), BTreeSet::new());
    for (level, pairs) in claim.levels.iter().enumerate() {
        if level > 0 {
            require(wrong.is_none(), "no word is wrong before the last level")?;
            let inner = if is_tree { interior.clone() } else { symbols.clone() };
            if is_tree {
                steps.push(power(&steps[level - 1], chunk));
                good = leading(&steps[level], &inside);
                let more = chunk as u32 - 1;
                interior = follow(elements, level - 1, (&inner, false), &inner, more, &good)?;
            }
            let mut begun = Pairs::new();
            for more in if is_tree { 0..chunk as u32 } else { 1..2 } {
                let found = follow(elements, level - 1, (&edge, true), &inner, more, &good)?;
                for (pair, length) in found {
                    let (state, ends) = (pair.1[0], more > 0 || level == 1); // in one node
                    let is_asked = ends && inside[state];
                    if is_asked && class(&elements.logits(level, pair.0))? != machine.classes[state]
                    {
                        wrong = Some(wrong.map_or(length, |least| length.min(least)));
                    }
                    let least = begun.entry(pair).or_insert(length);
                    *least = length.min(*least);
                }
            }
            edge = begun;
        }
        edge.retain(|pair, _| is_tree || seen.insert(pair.clone()));
        let number = |map: &Vec<usize>| claim.maps.iter().position(|known| known == map);
        let inner = interior.keys().map(|(element, map)| Some(vec![*element, number(map)?]));
        let inner: Option<BTreeSet<Vec<usize>>> = inner.collect();
        let edge = edge.keys().map(|(element, map)| vec![*element, map[0]]);
        let same =
            inner.map_or(false, |inner| inner.iter().eq(&pairs[0])) && edge.eq(pairs[1].clone());
        require(same, &format!("the pairs of level {level} are what follows"))?;
    }

    check_verdict(claim, wrong, |word| classify(elements, word))?;
    let (first, last) = (claim.repeats.unwrap_or(0), count - 1);
    if wrong.is_some() {
        require(claim.repeats.is_none(), "a counterexample repeats nothing")?;
    } else if is_tree {
        require(1 <= first && first < last, "a level repeats an earlier one after the symbols")?;
        let same = claim.levels[first] == claim.levels[last] && steps[first] == steps[last];
        require(same, "levels that repeat have the same pairs, and lead to the same states")?;
        let alike = elements.phase(first) == elements.phase(last);
        require(alike, "levels that repeat are composed alike")?;
    } else {
        require(claim.repeats.is_none() && edge.is_empty(), "nothing new follows the last level")?;
    }
    let met: BTreeSet<usize> = seen.iter().map(|pair| pair.0).collect();
    let all = claim.maps.is_empty() && met.len() == elements.count();
    require(is_tree || all, "a recurrence has no maps, and every element that is named occurs")
}

/// Check that a shortest wrong word is what is claimed, given its length and the network's answers.
fn check_verdict(
    claim: &Claim, wrong: Option<u64>, mut classify: impl FnMut(&[usize]) -> Checked<usize>,
) -> Checked<()> {
    let length = claim.wrong.as_ref().map(|claimed| claimed.0.len() as i64);
    require(wrong.map(|n| n as i64) == length, "the shortest wrong word is as long as is claimed")?;
    require(claim.checked_length == length.map(|n| n - 1), "shorter words were checked, or all")?;
    if let Some((word, model, language)) = &claim.wrong {
        let (machine, names) = (&claim.automata[0], &claim.names);
        let (given, class) = (classify(word)?, machine.classes[machine.after(word)]);
        require(class < names.len() && given != class, "the word is in the domain, and wrong")?;
        require([&names[given], &names[class]] == [model, language], "the word has these classes")?;
    }
    Ok(())
}

// ---- 3 to 6 of slots ----------------------------------------------------------------------------

/// Check that the network composes maps of states, and that the automaton whose maps these are
/// proves the claim: the machine, or the one that is written in the weights.
fn check_slots(claim: &Claim, network: &Slots) -> Checked<()> {
    let (machine, outside) = (&claim.automata[0], claim.names.len());
    let empty = claim.maps.is_empty() && claim.levels.is_empty() && claim.repeats.is_none();
    require(empty, "a structural certificate lists no maps and no levels")?;
    network.check_products()?;
    if network.check_written(machine, outside).is_ok() {
        return check_verdict(claim, None, |_| Err("there is no wrong word".into()));
    }
    let own = network.own_machine()?;
    let wrong = shortest_wrong(&own, machine, outside)?;
    check_verdict(claim, wrong, |word| Ok(own.classes[own.after(word)]))
}

/// Return the length of the shortest word of the domain to which two automata give two classes.
fn shortest_wrong(own: &Automaton, machine: &Automaton, outside: usize) -> Checked<Option<u64>> {
    let (mut ends, mut length) = (BTreeSet::from([[own.start, machine.start]]), 0);
    let mut seen = ends.clone();
    while !ends.is_empty() {
        let is_wrong = |[mine, theirs]: &[usize; 2]| {
            let class = machine.classes[*theirs];
            class != outside && class != own.classes[*mine]
        };
        if ends.iter().any(is_wrong) {
            return Ok(Some(length));
        }
        let after = |[mine, theirs]: &[usize; 2]| {
            let rows = own.transitions[*mine].iter().zip(&machine.transitions[*theirs]);
            rows.map(|(a, b)| [*a, *b]).collect::<Vec<_>>()
        };
        ends = ends.iter().flat_map(after).filter(|pair| seen.insert(*pair)).collect();
        require(seen.len() <= 1_000_000, "the automata are small enough to walk")?;
        length += 1;
    }
    Ok(None)
}

// ---- 5 additions step by step -------------------------------------------------------------------

/// Letters of the cells: the bits of two numbers, the carries, and the sum.
const CELLS: &str = "abce";
/// The content of a cell that there is not, or not yet.
const BLANK: usize = 2;
/// Most that the weights of a head can differ from those of the cell that it points to, added up.
const READ_ERROR: f64 = 1.0 / 65_536.0;

/// The letter that is written, and of each letter the cells before it and at its number.
type Row = (usize, Vec<usize>);
type Bits = Vec<usize>;

/// A decoder with pointers: to write a cell it reads eight, and what a file says of its bits.
struct Rule {
    by: Arithmetic,
    is_short: bool,
    read: Matrix,
    written: Vec<Vec<f64>>,
    answer: Matrix,
    verdict: String,
    table: BTreeMap<Row, usize>,
    wrong: Option<(Bits, Bits)>,
}

impl Rule {
    fn read(content: &[u8]) -> Checked<Rule> {
        let reader = &mut Reader { rest: signed(content)? };
        let format = reader.field('{', "format")?.text()?;
        require_handled(format == "addition by a local rule, 1", &format)?;
        let verdict = reader.field(',', "verdict")?.text()?;
        let mut given = Given::weights(reader)?;
        let width = given.arrays.get("written").map_or(0, |array| array.1[array.1.len() - 1]);
        require(width > 0, "weights have a width")?;
        let inputs = given.take("read", &[CELLS.len(), 2, BLANK + 1, width])?;
        let columns = |place: usize| inputs.iter().map(|row| row[place]).collect();
        let columns: Vec<Vec<f64>> = (0..width).map(columns).collect();
        let read = Matrix::new(&columns, &vec![0.0; width]);
        let (written, answer) =
            (given.take("written", &[CELLS.len(), width])?, given.matrix("answer", BLANK, width)?);
        given.end()?;
        let rows = reader.field(',', "table")?.list(|reader| {
            let letter = reader.field('{', "writes")?.text()?;
            let read = reader.field(',', "reads")?.counts()?;
            let bit = reader.field(',', "bit")?.number()?;
            let number = CELLS.find(&letter).filter(|_| letter.len() == 1);
            let row = (number.ok_or("rows write a letter")?, read);
            reader.expect("}").map(|_| (row, bit))
        })?;
        require(rows.windows(2).all(|two| two[0].0 < two[1].0), "rows are in order, and differ")?;
        let wrong = reader.field(',', "wrong")?.maybe(|reader| {
            reader.expect("[")?;
            let first = reader.counts()?;
            reader.expect(",")?;
            let second = reader.counts()?;
            reader.expect("]").map(|_| (first, second))
        })?;
        let margin = reader.field(',', "margin")?.maybe(Reader::number::<String>)?;
        let is_float = margin.map_or(true, |text| float(&text).is_some());
        require(is_float && reader.rest.is_empty(), "a margin ends the file")?;
        let (by, is_short) = (given.by, given.kind == "float32");
        Ok(Rule {
            by,
            is_short,
            read,
            written,
            answer,
            verdict,
            table: rows.into_iter().collect(),
            wrong,
        })
    }

    /// Return the bit that is written in a row, if it is certain.
    fn bit(&self, (letter, read): &Row) -> Option<usize> {
        let mut contents = vec![0.0; CELLS.len() * 2 * (BLANK + 1)];
        read.iter().enumerate().for_each(|(at, value)| contents[at * (BLANK + 1) + value] = 1.0);
        let radius = READ_ERROR * (read.len() as f64).sqrt() * OUTWARD;
        let seen = self.by.affine(&self.read, &Ball { centre: contents, radius }).0;
        let hidden =
            self.by.entries(RELU, &self.by.sum(&seen, &Ball::exact(&self.written[*letter])));
        let logits = self.by.affine(&self.answer, &hidden).1;
        let ahead = logits[1].0 - logits[0].0;
        (ahead.abs() > (logits[0].1 + logits[1].1) * OUTWARD).then_some((ahead > 0.0) as usize)
    }

    fn check(&self) -> Checked<String> {
        require(self.verdict != "not-closed", "the certificate claims something")?;
        let right = additions();
        for row in right.keys() {
            match (self.bit(row), self.table.get(row)) {
                (None, Some(_)) => require(false, "every answer is certain")?,
                (Some(_), None) => require(false, "every certain row is in the table")?,
                (own, claimed) => {
                    require(own.as_ref() == claimed, "the table follows from the weights")?
                }
            }
        }
        let known = self.table.keys().all(|row| right.contains_key(row));
        require(known, "rows are those of an addition")?;
        let told = if self.table == right { "equivalent" } else { "counterexample" };
        require(self.verdict == told, "the verdict follows from the weights")?;
        let wrong = if self.table == right { None } else { self.first_wrong(&right) };
        let is_claimed = self.wrong == wrong && (wrong.is_some() || self.table == right);
        require(is_claimed, "the numbers that are added wrong follow from the weights")?;
        Ok(self.statement())
    }

    /// Return the first numbers of at most three bits for which a wrong cell is certain.
    fn first_wrong(&self, right: &BTreeMap<Row, usize>) -> Option<(Bits, Bits)> {
        let bits = |all: usize, n: usize| (0..n).rev().map(|at| all >> at & 1).collect::<Bits>();
        let pairs = (1..=3).flat_map(|n| (0..1 << 2 * n).map(move |all| (n, all)));
        let pairs = pairs.map(|(n, all)| (bits(all >> n, n), bits(all, n)));
        let is_wrong = |(a, b): &(Bits, Bits)| {
            let own = added(a, b, |row| self.bit(row));
            own.is_some() && own != added(a, b, |row| right.get(row).copied())
        };
        pairs.into_iter().find(is_wrong)
    }

    fn statement(&self) -> String {
        let who = "The pointer-decoder with these weights, for steps:addition with order=carries,";
        let Some((a, b)) = &self.wrong else {
            let short = if self.is_short { "in float32 to 2,895, " } else { "" };
            return format!(
                "{who} writes the carries and the sum modulo 2^n of every two n-bit numbers: in real \
                 arithmetic for every n, {short}in float64 to 67,108,863 bits."
            );
        };
        let number = |bits: &Bits| bits.iter().rev().fold(0, |all, bit| 2 * all + bit);
        let (first, second, size) = (number(a), number(b), a.len());
        let noun = if size == 1 { "bit" } else { "bits" };
        format!(
            "{who} writes a wrong carry or a wrong sum for {first} + {second}, numbers of {size} \
             {noun}."
        )
    }
}

/// Return the cells that a rule writes, carries before the sum, or nothing if it does not say.
fn added(a: &Bits, b: &Bits, rule: impl Fn(&Row) -> Option<usize>) -> Option<Bits> {
    let count = a.len();
    let mut cells = HashMap::new();
    for (letter, bits) in [a, b].into_iter().enumerate() {
        bits.iter().enumerate().for_each(|(at, bit)| drop(cells.insert((letter, at + 1), *bit)));
    }
    let carries = (2..=count + 1).map(|number| (2, number));
    let order: Vec<(usize, usize)> = carries.chain((1..=count).map(|number| (3, number))).collect();
    for (letter, number) in &order {
        let around = (0..CELLS.len()).flat_map(|tape| [(tape, number - 1), (tape, *number)]);
        let read = around.map(|cell| *cells.get(&cell).unwrap_or(&BLANK)).collect();
        cells.insert((*letter, *number), rule(&(*letter, read))?);
    }
    Some(order.iter().map(|cell| cells[cell]).collect())
}

/// Return the rows that occur in additions, met in all numbers of at most three bits, and their bits.
fn additions() -> BTreeMap<Row, usize> {
    let rows = std::cell::RefCell::new(BTreeMap::new());
    for (count, all) in (1..=3).flat_map(|n| (0..1usize << 2 * n).map(move |all| (n, all))) {
        let (a, b) = (all >> count, all & ((1 << count) - 1));
        let bits = |number: usize| (0..count).map(|at| number >> at & 1).collect::<Bits>();
        let sum = a + b;
        // the carry into a bit is where the sum differs from that without carries
        let (carries, turn) = (sum ^ a ^ b, std::cell::Cell::new(0));
        added(&bits(a), &bits(b), |row| {
            let at = turn.get();
            turn.set(at + 1);
            let bit = if at < count { carries >> (at + 1) } else { sum >> (at - count) } & 1;
            rows.borrow_mut().insert(row.clone(), bit);
            Some(bit)
        });
    }
    rows.into_inner()
}
