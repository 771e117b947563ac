// A recurrent network, run from its weights symbol by symbol: Elman's, GRU and LSTM in torch's form, and
// those whose memory between symbols is bits. Sums are of 64 bits, so logits differ from the network's own by
// rounding alone.

const MOST_PRODUCTS = 5e8;
const MOST_KEPT = 3.2e6;
const SLICE_MS = 40;
const NORM_EPSILON = 1e-5;
const GATES = { elman: 1, "elman-relu": 1, relu: 1, gru: 3, lstm: 4 };

function floatsOf(text) {
  return new Float32Array(bytesOf(text).buffer);
}

function sigmoid(x) {
  return 1 / (1 + Math.exp(-x));
}

class RecurrentNetwork {
  constructor(values) {
    Object.assign(this, { cell: values.cell, width: values.width, bits: values.bits, plane: values.plane });
    const at = (name) => floatsOf(values.weights[name]);
    this.layers = Array.from({ length: values.layers }, (_, k) => this.bits
      ? { rows: at("cell.symbols.weight"), recurrent: at("cell.recurrent.weight"), bias: at("cell.recurrent.bias"), inputBias: null }
      : { rows: at(`cell.weight_ih_l${k}`), recurrent: at(`cell.weight_hh_l${k}`), bias: at(`cell.bias_hh_l${k}`), inputBias: at(`cell.bias_ih_l${k}`) });
    this.answerWeight = at("answer.weight");
    this.answerBias = at("answer.bias");
    if (!this.bits) return;
    const hasNorm = "memory.norm.weight" in values.weights;
    this.memory = {
      start: at("start"), write: at("memory.write.weight"), writeBias: at("memory.write.bias"),
      read: at("memory.read.weight"), readBias: at("memory.read.bias"),
      norm: hasNorm ? [at("memory.norm.weight"), at("memory.norm.bias")] : null,
    };
  }

  // Symbols of the longest word that it reads in a few seconds, by its multiplications for a symbol.
  get longest() {
    const work = this.layers.reduce((sum, layer, k) => sum + layer.recurrent.length + (k ? layer.rows.length : 0), 2 * this.bits * this.width);
    return Math.floor(Math.min(MOST_PRODUCTS / work, MOST_KEPT / this.width));
  }

  // The state before the first symbol: vectors of the layers, `c` of an LSTM, and the code if there is one.
  start() {
    if (this.bits) return this.recalled(this.memory.start);
    const zeros = () => this.layers.map(() => new Float64Array(this.width));
    return { h: zeros(), c: this.cell === "lstm" ? zeros() : null, code: null };
  }

  step(state, symbol) {
    const [hidden, cells] = [[], []];
    this.layers.forEach((layer, k) => {
      const gates = GATES[this.cell] * this.width;
      const inputs = k === 0 ? layer.rows.subarray(symbol * gates, (symbol + 1) * gates)
        : product(layer.rows, hidden[k - 1], null);
      const before = state.h[k];
      const mapped = product(layer.recurrent, before, layer.bias);
      const given = Float64Array.from(inputs, (value, at) => value + (layer.inputBias ? layer.inputBias[at] : 0));
      const [after, cell] = this.turned(given, mapped, before, state.c && state.c[k]);
      hidden.push(after);
      cells.push(cell);
    });
    if (this.bits) return this.recalled(hidden[0]);
    return { h: hidden, c: this.cell === "lstm" ? cells : null, code: null };
  }

  // The vector after a symbol, from the sums of the inputs, those of the vector before, and that vector.
  turned(given, mapped, before, cell) {
    const { width } = this;
    const sum = (gate, at) => given[gate * width + at] + mapped[gate * width + at];
    const all = (value) => Float64Array.from({ length: width }, (_, at) => value(at));
    if (this.cell === "elman") return [all((at) => Math.tanh(sum(0, at))), null];
    if (this.cell !== "gru" && this.cell !== "lstm") return [all((at) => Math.max(0, sum(0, at))), null];
    if (this.cell === "gru") {
      return [all((at) => {
        const fresh = Math.tanh(given[2 * width + at] + sigmoid(sum(0, at)) * mapped[2 * width + at]);
        return fresh + sigmoid(sum(1, at)) * (before[at] - fresh);
      }), null];
    }
    const next = all((at) => sigmoid(sum(1, at)) * cell[at] + sigmoid(sum(0, at)) * Math.tanh(sum(2, at)));
    return [all((at) => sigmoid(sum(3, at)) * Math.tanh(next[at])), next];
  }

  // What memory keeps of a vector: its bits, and the vector that they stand for.
  recalled(vector) {
    const { write, writeBias, read, readBias, norm } = this.memory;
    const code = product(write, vector, writeBias).map((each) => (each >= 0 ? 1 : 0));
    let h = product(read, code, readBias);
    if (norm !== null) {
      const mean = h.reduce((total, each) => total + each, 0) / h.length;
      const variance = h.reduce((total, each) => total + (each - mean) ** 2, 0) / h.length;
      h = h.map((each, at) => ((each - mean) / Math.sqrt(variance + NORM_EPSILON)) * norm[0][at] + norm[1][at]);
    }
    return { h: [h], c: null, code };
  }

  // The vector that the answer is read from.
  read(state) {
    return state.h[state.h.length - 1];
  }

  logits(state) {
    return product(this.answerWeight, this.read(state), this.answerBias);
  }
}

// A matrix, row by row, times a vector, plus a bias.
function product(matrix, vector, bias) {
  const [width, rows] = [vector.length, matrix.length / vector.length];
  const result = new Float64Array(rows);
  for (let row = 0, at = 0; row < rows; row++) {
    let sum = bias === null ? 0 : bias[row];
    for (let column = 0; column < width; column++, at++) sum += matrix[at] * vector[column];
    result[row] = sum;
  }
  return result;
}

// The first of the largest.
function largest(logits) {
  return logits.reduce((best, each, at) => (each > logits[best] ? at : best), 0);
}

// Runs a network over a word and keeps what it holds after each prefix: its answer, the margin of that, the
// vector and the code. Long words are read in slices, and given up as soon as `isWanted` says no.
async function readBy(network, word, isWanted) {
  if (word.length > network.longest) {
    throw new Error(`this page runs a network of this size on at most ${counted(network.longest, "symbol")}, but this word has ${word.length.toLocaleString("en")}. Give the run's folder to lengthwise explore.`);
  }
  const vectors = new Float32Array((word.length + 1) * network.width);
  const [answers, margins, codes] = [[], [], []];
  let state = network.start();
  let begun = performance.now();
  for (let at = 0; at <= word.length; at++) {
    if (at > 0) state = network.step(state, word[at - 1]);
    const logits = network.logits(state);
    const best = largest(logits);
    answers.push(best);
    margins.push(logits[best] - Math.max(...logits.filter((_, other) => other !== best), -Infinity));
    codes.push(state.code === null ? null : state.code.join(""));
    vectors.set(network.read(state), at * network.width);
    if (performance.now() - begun > SLICE_MS) {
      await new Promise((resolve) => { setTimeout(resolve); });
      if (!isWanted()) throw new Error("another word was typed.");
      begun = performance.now();
    }
  }
  return { answers, margins, codes, vector: (at) => vectors.subarray(at * network.width, (at + 1) * network.width) };
}
