//! JSON in canonical bytes, base 64 and SHA-256.

use std::collections::HashSet;

/// What is computed, or the reason why a certificate is refused.
pub type Checked<T> = Result<T, String>;

pub fn require(holds: bool, what: &str) -> Checked<()> {
    if holds {
        Ok(())
    } else {
        Err(format!("this is not so: {what}"))
    }
}

#[derive(Debug, PartialEq)]
pub enum Json {
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
pub struct Reader<'a> {
    pub text: &'a str,
    pub at: usize,
}

pub const DEEPEST: usize = 16;

impl<'a> Reader<'a> {
    pub fn peek(&self) -> u8 {
        *self.text.as_bytes().get(self.at).unwrap_or(&0)
    }

    pub fn takes(&mut self, token: &str) -> bool {
        let found = self.text[self.at..].starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    pub fn expect(&mut self, token: &str) -> Checked<()> {
        let at = self.at;
        require(self.takes(token), &format!("canonical JSON has {token:?} at byte {at}"))
    }

    pub fn value(&mut self, depth: usize) -> Checked<Json> {
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

    pub fn object(&mut self, depth: usize) -> Checked<Json> {
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

    pub fn string(&mut self) -> Checked<String> {
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

    pub fn escaped(&mut self) -> Checked<char> {
        for (token, c) in [
            ("\"", '"'),
            ("\\", '\\'),
            ("n", '\n'),
            ("r", '\r'),
            ("t", '\t'),
            ("b", '\x08'),
            ("f", '\x0c'),
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

    pub fn number(&mut self) -> Checked<Json> {
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
pub fn shortest(number: f64) -> String {
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
    pub fn fields(&self, names: &[&str]) -> Checked<Vec<&Json>> {
        let fields = self.object()?;
        let same = fields.iter().map(|(name, _)| name.as_str()).eq(names.iter().copied());
        require(same, &format!("an object has the names {}, in this order", names.join(", ")))?;
        Ok(fields.iter().map(|(_, value)| value).collect())
    }

    pub fn object(&self) -> Checked<&[(String, Json)]> {
        if let Json::Object(fields) = self {
            Ok(fields)
        } else {
            Err("no object".to_string())
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_ok()
    }

    pub fn get(&self, name: &str) -> Checked<&Json> {
        let found = self.object()?.iter().find(|(each, _)| each == name);
        found.map(|(_, value)| value).ok_or_else(|| format!("there is no {name}"))
    }

    /// Check that an object has just these names, in any order.
    pub fn require_names(&self, names: &[&str]) -> Checked<()> {
        let fields = self.object()?;
        let known = fields.iter().all(|(name, _)| names.contains(&name.as_str()));
        require(known && fields.len() == names.len(), &format!("settings are {}", names.join(", ")))
    }

    /// Return a setting that is a whole number.
    pub fn setting(&self, name: &str, least: usize) -> Checked<usize> {
        let found = self.get(name)?.count()?;
        require(least <= found && found <= 1 << 62, &format!("{name} is within its limits"))?;
        Ok(found)
    }

    pub fn option(&self, name: &str, options: &[&str]) -> Checked<&str> {
        let found = self.get(name)?.text()?;
        require(options.contains(&found), &format!("{name} is one of {}", options.join(", ")))?;
        Ok(found)
    }

    pub fn float(&self, name: &str) -> Checked<f64> {
        match self.get(name)? {
            Json::Float(number) => Ok(*number),
            _ => Err(format!("{name} is no float")),
        }
    }

    pub fn text(&self) -> Checked<&str> {
        if let Json::Text(text) = self {
            Ok(text)
        } else {
            Err("a value is no text".to_string())
        }
    }

    pub fn whole(&self) -> Checked<i64> {
        match self {
            Json::Whole(text) => {
                text.parse().map_err(|_| "a whole number is too large".to_string())
            }
            _ => Err("a value is no whole number".to_string()),
        }
    }

    /// Return a whole number from 0.
    pub fn count(&self) -> Checked<usize> {
        usize::try_from(self.whole()?).map_err(|_| "a number is below 0".to_string())
    }

    pub fn list<T>(&self, each: impl Fn(&Json) -> Checked<T>) -> Checked<Vec<T>> {
        match self {
            Json::List(items) => items.iter().map(each).collect(),
            _ => Err("a value is no list".to_string()),
        }
    }

    pub fn counts(&self) -> Checked<Vec<usize>> {
        self.list(Json::count)
    }

    pub fn texts(&self) -> Checked<Vec<String>> {
        self.list(|each| each.text().map(str::to_string))
    }

    pub fn maybe<T>(&self, read: impl Fn(&Json) -> Checked<T>) -> Checked<Option<T>> {
        if *self == Json::Null {
            Ok(None)
        } else {
            read(self).map(Some)
        }
    }
}

// ---- bytes ---------------------------------------------------------------------------------------

/// Decode base 64 with padding, in which unused bits are 0.
pub fn base64(text: &str) -> Checked<Vec<u8>> {
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

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of FIPS 180-4; its constants are the first bits of roots of primes.
pub fn sha256(content: &[u8]) -> String {
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
            let first =
                [mixed, choice, constants[t], w[t]].iter().fold(s[7], |x, y| x.wrapping_add(*y));
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
