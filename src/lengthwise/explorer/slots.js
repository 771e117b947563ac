// A network of slots: a node is the value of each slot, and two nodes become one by attention from the
// slots of the left one to those of the right one. Nodes are composed here as the network does it.

class SlotAlgebra {
  constructor(values, machine) {
    Object.assign(this, { values, machine, chunkSize: values.chunk_size });
    this.weights = floatsOf(values.weights);
    this.nodes = [];
    this.numbers = new Map();
    this.products = new Map();
    this.symbols = values.symbols.map((node) => this.number(node));
    this.pad = this.number(values.pad);
    this.empty = this.joined(Array(this.chunkSize).fill(this.pad));
  }

  number(node) {
    const key = node.join(",");
    if (!this.numbers.has(key)) {
      this.numbers.set(key, this.nodes.length);
      this.nodes.push(node);
    }
    return this.numbers.get(key);
  }

  // The value that a slot of some value finds in a node.
  found(value, node) {
    const { slots, bits, write, shift } = this.values;
    const seen = Array(bits).fill(0);
    for (let slot = 0; slot < slots; slot++) {
      const weight = this.weights[value * slots + slot];
      for (let bit = 0; bit < bits; bit++) seen[bit] += (node[slot] >> bit) & 1 ? weight : -weight;
    }
    return write.reduce((sum, row, bit) => sum + (row.reduce((y, each, at) => y + each * seen[at], shift[bit]) >= 0 ? 2 ** bit : 0), 0);
  }

  joined(nodes) {
    return nodes.reduce((left, right) => {
      const key = left * 0x4000000 + right;
      if (!this.products.has(key)) {
        const [first, second] = [this.nodes[left], this.nodes[right]];
        const once = new Map();
        for (const value of first) if (!once.has(value)) once.set(value, this.found(value, second));
        this.products.set(key, this.number(first.map((value) => once.get(value))));
      }
      return this.products.get(key);
    });
  }

  compose(level, children, edge) {
    const elements = level === 0 ? children.map((symbol) => this.symbols[symbol]) : children;
    return this.joined([...Array(this.chunkSize - elements.length).fill(this.pad), ...elements]);
  }

  read(level, element) {
    return this.values.classes[this.found(this.values.start, this.nodes[element])];
  }

  label(level, element) {
    return `n${element}`;
  }

  colour(level, element) {
    return hue(element);
  }

  describe(level, element, edge) {
    const written = (value) => Array.from({ length: this.values.bits }, (_, bit) => ((value >> bit) & 1 ? "+" : "−")).join("");
    const held = this.nodes[element].slice(0, 24).map((value, slot) => `${slot}: ${written(value)}`).join(", ");
    const said = [["slots hold", this.values.slots > 24 ? `${held}, …` : held]];
    return edge ? [...said, ["read as", quoted(this.machine.class_names[this.read(level, element)])]] : said;
  }
}
