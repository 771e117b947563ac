// The tables of a trained network: a chunk of elements becomes an element of the next level. With
// binary memory elements are codes, and the tables are the network itself.

const NO_ENTRY = 65535;
const OUTSIDE = "the word is outside the language's domain, where this network answers nothing.";

function bytesOf(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function numbersOf(text) {
  const bytes = bytesOf(text);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, at) => bytes[2 * at] | (bytes[2 * at + 1] << 8));
}

// Numbers of codes, the same in tables, proofs and answers of the server.
class Codes {
  constructor() {
    this.numbers = new Map();
  }

  number(code) {
    if (!this.numbers.has(code)) this.numbers.set(code, this.numbers.size);
    return this.numbers.get(code);
  }

  name(code) {
    return `c${this.number(code)}`;
  }
}

function bitsOf(code, count) {
  const bits = Array.from(code, (digit) => parseInt(digit, 16).toString(2).padStart(4, "0")).join("");
  return bits.slice(0, count).replaceAll("0", "−").replaceAll("1", "+");
}

class TableAlgebra {
  constructor(values, machine, codes, actions) {
    Object.assign(this, { machine, codes, actions, chunkSize: values.chunk_size, repeat: values.repeat, empty: values.empty });
    this.numBits = values.num_bits;
    this.numHeads = values.num_heads;
    this.levels = values.levels.map((level) => ({ ...level, tables: level.tables.map(numbersOf) }));
    this.attention = values.attention && values.attention.map((level) => level.map(bytesOf));
    this.written = values.codes;
  }

  phase(level) {
    const count = this.levels.length;
    return level < count ? level : this.repeat + ((level - this.repeat) % (count - this.repeat));
  }

  // The table that a chunk stands in, and its place there. Of codes there are tables by the number of
  // children; of vectors the table of the interior is the first.
  entry(level, children, edge) {
    const { inner, tables } = this.levels[this.phase(level)];
    const first = tables.length > this.chunkSize && !edge ? 0 : children.length - (tables.length > this.chunkSize ? 0 : 1);
    return [first, children.reduce((place, child) => place * inner + child, 0)];
  }

  compose(level, children, edge) {
    const [number, place] = this.entry(level, children, edge);
    const found = this.levels[this.phase(level)].tables[number][place];
    if (found === NO_ENTRY) throw new Error(OUTSIDE);
    return found;
  }

  read(level, element) {
    return this.levels[this.phase(level - 1)].classes[element];
  }

  code(level, element, edge) {
    return this.written === null ? null : this.written[element];
  }

  label(level, element, edge) {
    const code = this.code(level, element, edge);
    return code === null ? `${edge ? "e" : "v"}${element}` : this.codes.name(code);
  }

  colour(level, element, edge) {
    const code = this.code(level, element, edge);
    return hue(code === null ? element + (edge ? 40 : 0) : this.codes.number(code));
  }

  describe(level, element, edge, children) {
    const code = this.code(level, element, edge);
    const said = [];
    if (code === null) said.push(["vector", `representative ${this.label(level, element, edge)} of level ${level}`]);
    else said.push(["code", `${this.codes.name(code)} = ${bitsOf(code, this.numBits)}`]);
    if (edge) said.push(["read as", quoted(this.machine.class_names[this.read(level, element)])]);
    const does = code === null ? null : this.actions.of(level, code, edge);
    if (does) said.push([edge ? "paired with state" : "paired with the map", does]);
    if (children.length) {
      const names = children.map((child) => level === 1 ? this.machine.alphabet[child.element] : this.label(level - 1, child.element, child.edge));
      said.push(["row of the table", quoted(`level ${level - 1}${edge ? ", edge" : ""}: ${names.join(" · ")} ↦ ${this.label(level, element, edge)}`, 200)]);
      const weights = this.weights(level - 1, children.map((child) => child.element), edge);
      if (weights) said.push(["attention inside the chunk", weights]);
    }
    return said;
  }

  // The attention weights of a chunk: a row for each head, a column for each position.
  weights(level, children, edge) {
    if (this.attention === null) return null;
    const [number, place] = this.entry(level, children, edge);
    const all = this.attention[this.phase(level)][number];
    const at = (position, head) => all[(place * this.chunkSize + position) * this.numHeads + head];
    const rows = Array.from({ length: this.numHeads }, (_, head) => el("tr", {}, el("th", { scope: "row" }, `head ${head + 1}`),
      ...Array.from({ length: this.chunkSize }, (_, position) => {
        const share = Math.round((at(position, head) / 255) * 100);
        const bar = el("span", { class: "weight" });
        bar.style.width = `${share * 0.6}px`;
        return el("td", {}, bar, ` ${share} %`);
      })));
    const columns = Array.from({ length: this.chunkSize }, (_, position) => {
      const child = position - (this.chunkSize - children.length);
      return el("th", { scope: "col" }, child < 0 ? "pad" : `child ${child + 1}`);
    });
    return el("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Attention weights" },
      el("table", { class: "attention" }, el("thead", {}, el("tr", {}, el("td"), ...columns)), el("tbody", {}, ...rows)));
  }
}

// Codes as the server computed them, node by node, for a network whose tables are not in the page.
class RecordedAlgebra {
  constructor(found, machine, codes, actions, numBits, chunkSize) {
    Object.assign(this, { found, machine, codes, actions, numBits, chunkSize, next: 0, level: 0 });
    this.empty = found.levels[0][0];
  }

  compose(level, children, edge) {
    if (edge) this.next = 0;
    return this.found.levels[level][this.next++];
  }

  read() {
    return this.found.answer;
  }

  label(level, code) {
    return this.codes.name(code);
  }

  colour(level, code) {
    return hue(this.codes.number(code));
  }

  describe(level, code, edge) {
    const said = [["code", `${this.codes.name(code)} = ${bitsOf(code, this.numBits)}`]];
    const does = this.actions.of(level, code, edge);
    return does ? [...said, [edge ? "paired with state" : "paired with the map", does]] : said;
  }
}
