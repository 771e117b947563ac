// Finitely many elements for all sub-words, and the tree that a word becomes. A word is cut from the
// right into chunks of C, level by level, until one node is left; the first chunk of a level, the
// edge, may have fewer children, and pads fill it.

// The language's own monoid: an element is what its sub-word does to every state.
class MonoidAlgebra {
  constructor(machine, monoid, chunkSize) {
    this.machine = machine;
    this.chunkSize = chunkSize;
    this.words = null;
    this.maps = [];
    this.numbers = new Map();
    this.products = new Map();
    if (monoid && monoid.maps) {
      monoid.maps.forEach((map) => this.number(map));
      this.words = monoid.words;
    }
    const states = machine.transitions.map((_, state) => state);
    this.empty = this.number(states);
    this.symbols = machine.alphabet.map((_, symbol) => this.number(states.map((state) => machine.transitions[state][symbol])));
  }

  number(map) {
    const key = map.join(",");
    if (!this.numbers.has(key)) {
      this.numbers.set(key, this.maps.length);
      this.maps.push(map);
    }
    return this.numbers.get(key);
  }

  compose(level, children, edge) {
    const elements = level === 0 ? children.map((symbol) => this.symbols[symbol]) : children;
    return elements.reduce((left, right) => {
      const key = left * 0x4000000 + right;
      let product = this.products.get(key);
      if (product === undefined) {
        const [first, second] = [this.maps[left], this.maps[right]];
        product = this.number(first.map((state) => second[state]));
        this.products.set(key, product);
      }
      return product;
    });
  }

  read(level, element) {
    return this.machine.classes[this.maps[element][this.machine.start]];
  }

  label(level, element, edge) {
    return this.words === null ? `#${element}` : this.words[element];
  }

  colour(level, element, edge) {
    return hue(element);
  }

  describe(level, element, edge) {
    const map = this.maps[element];
    const said = [["does what this word does", this.label(level, element, edge)]];
    if (map.length <= 24) said.push(["takes state", map.map((to, from) => `${from}→${to}`).join(" ")]);
    if (edge) said.push(["so the word so far is in state", String(map[this.machine.start])]);
    return said;
  }
}

// The nodes of all levels of a word: `{nodes, symbols}`, the lowest level first. Nodes of level l
// have an element, children `[from, to)` in the level below, and the symbols `[start, end)`.
function grow(algebra, word) {
  const levels = [];
  let below = Array.from(word, (symbol, at) => ({ element: symbol, start: at, end: at + 1, edge: at === 0 }));
  const symbols = below;
  for (let level = 0; level === 0 || below.length > 1; level++) {
    const first = below.length ? ((below.length - 1) % algebra.chunkSize) + 1 : 0;
    const nodes = [];
    for (let to = first, from = 0; to <= below.length; from = to, to += algebra.chunkSize) {
      const children = [];
      for (let at = from; at < to; at++) children.push(below[at].element);
      const edge = from === 0;
      nodes.push({
        element: children.length ? algebra.compose(level, children, edge) : algebra.empty,
        from,
        to,
        start: to > from ? below[from].start : 0,
        end: to > from ? below[to - 1].end : 0,
        pads: algebra.chunkSize - (to - from),
        edge,
      });
      if (to === below.length) break;
    }
    levels.push(nodes);
    below = nodes;
  }
  const root = below[0];
  return { symbols, levels, answer: algebra.read(levels.length, root.element) };
}

// The states that a machine goes through: `word.length + 1` of them.
function statesOf(machine, word) {
  const states = new Int32Array(word.length + 1);
  states[0] = machine.start;
  for (let at = 0; at < word.length; at++) states[at + 1] = machine.transitions[states[at]][word[at]];
  return states;
}

// The numbers of a written word's symbols, as `Language.encode` reads them, or an error in one line.
// Line breaks of pasted text count as spaces.
function encode(machine, text) {
  const index = new Map(machine.alphabet.map((symbol, number) => [symbol, number]));
  const word = [];
  const parts = text.replace(/[\r\n]/g, " ").matchAll(machine.spaced ? /[^ ]+/gu : /[^ ]/gu);
  for (const part of parts) {
    const number = index.get(part[0]);
    if (number === undefined) {
      const column = Array.from(text.slice(0, part.index)).length + 1;
      const known = machine.alphabet.slice(0, 20).map((each) => cut(each, 20)).join(" ");
      return { error: `column ${column}: symbol '${cut(part[0], 40)}' is not in the alphabet. Use: ${known}` };
    }
    word.push(number);
  }
  return { word };
}

function decode(machine, word) {
  return word.map((symbol) => machine.alphabet[symbol]).join(machine.spaced ? " " : "");
}
