// PARITY's and FIRST's heads (Chiang & Cholak 2022, sections 3 and 4), computed here number by number:
// the residual stream of each position, two layers, and the attention of CLS, which is position 0. Layer norm is
// that of doubled vectors (x, -x): it multiplies the vector of a position by one number. After each operation
// numbers are rounded to the precision that is chosen; the network itself may round sums in another order.

const FLOATS = new Float32Array(1);
const BITS = new Uint32Array(FLOATS.buffer);

const PRECISIONS = {
  float64: (x) => x,
  float32: Math.fround,
  bfloat16(x) {
    FLOATS[0] = x;
    if (!Number.isFinite(x)) return x;
    BITS[0] = (BITS[0] + 0x7fff + ((BITS[0] >>> 16) & 1)) & 0xffff0000;
    return FLOATS[0];
  },
};

// The norm of half a doubled vector, and what it multiplied by.
function normed(x, epsilon, round) {
  const factor = 1 / Math.sqrt(x.reduce((sum, each) => sum + each * each, 0) / x.length + epsilon);
  return [x.map((each) => round(each * factor)), factor];
}

// Softmax over positions, rounded.
function attended(logits, round) {
  const top = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = logits.map((each) => Math.exp(each - top));
  const total = powers.reduce((sum, each) => sum + each, 0);
  return powers.map((each) => round(each / total));
}

function weighed(weights, values, round) {
  return round(weights.reduce((sum, weight, i) => sum + weight * values[i], 0));
}

// Both constructions: `mark(x)` is layer 1 at a position, `heads` ask for numbers of the stream.
function computed(stream, { epsilon, norm, round }, mark, heads) {
  const product = stream.map(() => 1);
  const through = (x, i) => {
    if (!norm) return x;
    const [after, factor] = normed(x, epsilon, round);
    product[i] *= factor;
    return after;
  };
  const inside = stream.map((x, i) => through(mark(through(x, i)), i));
  const found = heads.map(({ ask, value, sign }) => {
    const weights = attended(inside.map((x) => round(ask(inside[0], x))), round);
    return { weights, moved: sign * weighed(weights, inside.map((x) => value(x)), round) };
  });
  const [last] = inside;
  const answer = last.length - 1;
  const cls = last.map((each, at) => (at === answer ? round(each + round(found.reduce((sum, head) => sum + head.moved, 0))) : each));
  const [once] = norm ? normed(cls, epsilon, round) : [cls];
  const [twice] = norm ? normed(once, epsilon, round) : [once];
  return { logit: twice[answer], heads: found.map((head) => head.weights), factors: product };
}

// PARITY of a word of n - 1 symbols with k ones. The stream: zero, one, CLS, i/n, cos(i pi), k/n, 1/n, [i = k]/n, s.
function parityHeads({ n, k, sharpness, ...options }) {
  const { round } = options;
  const uniform = round(1 / n);
  const stream = Array.from({ length: n }, (_, i) => [
    i > k ? 1 : 0, i > 0 && i <= k ? 1 : 0, i === 0 ? 1 : 0, round(i / n), i % 2 ? -1 : 1, round(k * uniform), uniform, 0, 0]);
  const mark = (x) => {
    const beyond = (shift) => round(Math.max(0, x[5] - x[3] + shift * x[6]));
    const only = round(Math.max(0, x[6] - 0.75 * (x[0] + x[1] + x[2])));
    return [...x.slice(0, 7), round(beyond(-1) - 2 * beyond(0) + beyond(1)), round(-only)];
  };
  const heads = [-1, 1].map((side) => ({
    ask: (cls, x) => sharpness * cls[2] * side * x[4],
    value: (x) => x[7],
    sign: -side,
  }));
  return computed(stream, options, mark, heads);
}

// FIRST of a word of n - 1 symbols that begins with 1 or not. The stream: zero, one, CLS, first, match, s.
function firstHeads({ n, begins, sharpness, ...options }) {
  const { round, norm } = options;
  const stream = Array.from({ length: n }, (_, i) => {
    const one = i === 1 && begins ? 1 : 0;
    return [i > 0 && !one ? 1 : 0, one, i === 0 ? 1 : 0, i === 1 ? 1 : 0, 0, 0];
  });
  const mark = (x) => [...x.slice(0, 4), round(Math.max(0, x[3] - x[0] - x[2])), 0];
  const heads = [{
    ask: (cls, x) => sharpness * cls[2] * x[3],
    value: (x) => x[4] - 0.5 * x[3] - (norm ? 0.125 : 0) * x[2],
    sign: 1,
  }];
  return computed(stream, options, mark, heads);
}

const CONSTRUCTIONS = {
  parity: {
    name: "PARITY: the number of ones is odd",
    second: "Ones",
    heads: ["odd positions", "even positions"],
    run: (length, ones, options) => parityHeads({ n: length + 1, k: ones, ...options }),
    truth: (ones) => ones % 2 === 1,
    mostly: (length) => Math.floor(length / 2),
    focus: (ones) => ones,
  },
  first: {
    name: "FIRST: the word begins with 1",
    second: "First symbol",
    heads: ["position 1"],
    run: (length, one, options) => firstHeads({ n: length + 1, begins: length > 0 && one === 1, ...options }),
    truth: (one, length) => length > 0 && one === 1,
    mostly: () => 1,
    focus: () => 1,
  },
};

const LENGTHS = [1, 2, 3, 5, 8, 12, 20, 33, 55, 90, 150, 250, 400, 700, 1200, 2000, 3500];
const WINDOW = 33;

function showHeads() {
  const place = section("heads-section", "Two languages by computed weights, and what layer norm does to them");
  place.append(el("p", { class: "sub" },
    "The exact constructions of Chiang and Cholak (2022): CLS answers by the sign of a logit. The longer the word, the smaller the logit, and the sooner rounding decides."));
  const choices = (id, label, names) => el("span", { class: "field" }, el("label", { for: id }, label),
    el("select", { id }, ...Object.entries(names).map(([value, name]) => el("option", { value }, name))));
  const slider = (id, label, value, max) => {
    const output = el("output", { for: id });
    return el("span", { class: "field grow" }, el("label", { for: id }, label, " ", output), el("input", { id, type: "range", min: 0, max, value }));
  };
  place.append(
    el("div", { class: "row" },
      choices("which", "Construction", { parity: CONSTRUCTIONS.parity.name, first: CONSTRUCTIONS.first.name }),
      choices("norm", "Layer norm", { post: "after each branch", none: "none" }),
      choices("precision", "Precision", { float64: "float64", float32: "float32", bfloat16: "bfloat16" })),
    el("div", { class: "row" }, slider("symbols", "Symbols", 12, 3500), slider("second", "Ones", 5, 12)),
    el("p", { id: "verdict-heads", role: "status", "aria-live": "polite" }),
    el("div", { id: "heads" }), el("div", { id: "curve" }));
  const at = (id) => document.getElementById(id);
  const options = (norm, precision) => ({ sharpness: 1, epsilon: 1e-5, norm, round: PRECISIONS[precision] });

  function draw(isOther) {
    const chosen = CONSTRUCTIONS[at("which").value];
    const length = at("symbols").valueAsNumber;
    const second = at("second");
    second.max = at("which").value === "first" ? 1 : length;
    second.labels[0].firstChild.data = chosen.second;
    second.labels[0].lastChild.value = second.value;
    at("symbols").labels[0].lastChild.value = at("symbols").value;
    const value = second.valueAsNumber;
    const [norm, precision] = [at("norm").value === "post", at("precision").value];
    const found = chosen.run(length, value, options(norm, precision));
    const right = found.logit > 0 === chosen.truth(value, length);
    at("verdict-heads").replaceChildren(`The logit is ${found.logit.toExponential(3)}: `,
      el("strong", { class: right ? "good" : "bad" }, right ? "right" : "wrong"),
      norm ? `. Layer norm multiplies CLS by ${found.factors[0].toFixed(4)} and position ${chosen.focus(value)} by ${(found.factors[chosen.focus(value)] || 0).toFixed(4)}.` : ".");
    at("heads").replaceChildren(...found.heads.map((weights, head) => headDrawing(weights, chosen.focus(value), `Head that looks at ${chosen.heads[head]}`)));
    if (isOther) at("curve").replaceChildren(curveDrawing(chosen, options, precision));
  }
  for (const id of ["which", "norm", "precision"]) at(id).addEventListener("change", () => draw(true));
  for (const id of ["symbols", "second"]) at(id).addEventListener("input", () => draw(false));
  draw(true);
}

// The weights of CLS at up to 33 positions around the one that counts.
function headDrawing(weights, focus, title) {
  const first = Math.max(0, Math.min(weights.length - WINDOW, focus - Math.floor(WINDOW / 2)));
  const shown = Array.from(weights.slice(first, first + WINDOW));
  const top = Math.max(...shown);
  const bars = shown.map((weight, at) => svg("rect", {
    x: 4 + 16 * at, width: 12, y: 70 - 62 * (weight / top), height: 62 * (weight / top), class: first + at === focus ? "bar focus" : "bar",
  }, svg("title", {}, `position ${first + at}: ${weight.toPrecision(4)}`)));
  const width = 16 * shown.length + 4;
  const words = `${title}: positions ${first} to ${first + shown.length - 1}, weight ${(weights[focus] || 0).toPrecision(4)} at position ${focus}`;
  return el("figure", {}, scrolled(svg("svg", { viewBox: `0 0 ${width} 74`, width, height: 74, role: "img", "aria-label": words },
    svg("path", { d: `M0,70 H${width}`, class: "axis" }), ...bars), title), el("figcaption", {}, words));
}

// The size of the logit by length, with and without layer norm; crosses mark wrong answers.
function curveDrawing(chosen, options, precision) {
  const [width, height] = [520, 220];
  const x = (length) => 46 + (Math.log10(length) / Math.log10(LENGTHS[LENGTHS.length - 1])) * (width - 70);
  const lines = [true, false].map((norm) => LENGTHS.map((length) => {
    const value = chosen.mostly(length);
    const { logit } = chosen.run(length, value, options(norm, precision));
    return { length, size: Math.abs(logit), right: logit > 0 === chosen.truth(value, length) };
  }));
  const sizes = lines.flat().map((each) => each.size).filter((each) => each > 0);
  const [low, high] = [Math.floor(Math.log10(Math.min(...sizes))), Math.ceil(Math.log10(Math.max(...sizes)))];
  const y = (size) => (size > 0 ? 12 + ((high - Math.log10(size)) / Math.max(1, high - low)) * (height - 44) : height - 26);
  const drawn = lines.map((points, at) => svg("g", { class: at ? "without" : "with" },
    svg("path", { d: "M" + points.map((each) => `${x(each.length)},${y(each.size)}`).join(" L") }),
    ...points.map((each) => each.right
      ? svg("circle", { cx: x(each.length), cy: y(each.size), r: 2.6 })
      : svg("path", { class: "cross", d: `M${x(each.length) - 4},${y(each.size) - 4} l8,8 m0,-8 l-8,8` }))));
  const marks = [];
  for (let power = low; power <= high; power += Math.max(1, Math.ceil((high - low) / 5))) {
    marks.push(svg("text", { x: 40, y: y(10 ** power) + 4, class: "end" }, `1e${power}`));
  }
  for (const length of [1, 10, 100, 1000]) marks.push(svg("text", { x: x(length), y: height - 6 }, String(length)));
  const wrong = lines.map((points) => points.filter((each) => !each.right).length);
  const words = `Size of the logit by length, in ${precision}: ${wrong[0]} of ${LENGTHS.length} lengths are wrong with layer norm, ${wrong[1]} without.`;
  return el("figure", {}, scrolled(svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "curve", role: "img", "aria-label": words },
    ...drawn, ...marks), "Logit by length"), el("figcaption", {},
    el("span", { class: "key with" }, "●"), " with layer norm, ", el("span", { class: "key without" }, "●"), ` without. ${words} Crosses are wrong answers.`));
}
