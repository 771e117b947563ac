// The path of a recurrent network's state, symbol by symbol, in the plane of its principal components, with
// the symbols around the one that is read and the numbers that are held.

const PATH_SIDE = 200; // half of the drawing's side
const TRAIL = 40;
const SYMBOLS_AROUND = 12;
const MOST_BARS = 64;

const PATH_NOTE =
  "This network reads symbol by symbol. Each point is the state that it holds after a word; its place is that of the vector from " +
  "which the answer is read, and its colour is the state of the language's automaton. The line is the path of the last 40 symbols.";

// Draws what was read; `light(t)` shows what is held after t symbols.
function pathDrawing(found, network, machine, word, states) {
  const { middle, axes, scale, points } = network.plane;
  const placed = (x, y) => [(x / scale) * PATH_SIDE, (-y / scale) * PATH_SIDE];
  const placeOf = (t) => {
    const vector = found.vector(t);
    return placed(...axes.map((axis) => axis.reduce((sum, each, at) => sum + each * (vector[at] - middle[at]), 0)));
  };
  const dot = ([x, y], state, radius, kind) => {
    const circle = svg("circle", { cx: x, cy: y, r: radius, class: kind });
    circle.style.setProperty("--hue", hue(state));
    return circle;
  };
  const cloud = points.map((point, at) => dot(placed(...point), network.plane.states[at], 3.5, "point faint"));
  const trail = svg("path", { class: "trail" });
  const marks = svg("g");
  const side = 2 * PATH_SIDE + 40;
  const drawing = svg("svg", { viewBox: `${-side / 2} ${-side / 2} ${side} ${side}`, width: side, height: side, class: "film path", role: "img" },
    svg("rect", { x: 1 - side / 2, y: 1 - side / 2, width: side - 2, height: side - 2, class: "frame" }), ...cloud, trail, marks);
  const around = el("p", { class: "symbols" });
  const held = el("div", { class: "panel", id: "held" });
  return {
    element: el("div", { class: "beside" }, scrolled(drawing, "Path of the state"), el("div", {}, around, held)),
    light(t) {
      const first = Math.max(0, t - TRAIL);
      const places = Array.from({ length: t - first + 1 }, (_, at) => placeOf(first + at));
      trail.setAttribute("d", `M${places.join(" L")}`);
      marks.replaceChildren(...places.map((place, at) => dot(place, states[first + at], at === places.length - 1 ? 9 : 4, at === places.length - 1 ? "point now" : "point")));
      const name = cut(machine.class_names[found.answers[t]], 30);
      drawing.setAttribute("aria-label", `State after ${counted(t, "symbol")} of ${word.length}: the network says class ${name}`);
      around.replaceChildren(...symbolsAround(machine, word, t));
      held.replaceChildren(...heldAt(found, network, machine, states, t));
    },
  };
}

// The symbols around place t, of which those that are read are marked.
function symbolsAround(machine, word, t) {
  const from = Math.max(0, t - SYMBOLS_AROUND);
  const shown = word.slice(from, t + SYMBOLS_AROUND);
  return [from > 0 ? "… " : "", ...shown.flatMap((symbol, at) => [
    el("bdi", { class: from + at === t - 1 ? "now" : from + at < t ? "" : "soft" }, cut(machine.alphabet[symbol], 12)), " "]),
  from + shown.length < word.length ? "…" : ""];
}

// What is held after t symbols, and what the network would answer.
function heldAt(found, network, machine, states, t) {
  const vector = Array.from(found.vector(t).slice(0, MOST_BARS));
  const top = Math.max(1e-9, ...vector.map(Math.abs));
  const bars = vector.map((value, at) => svg("rect", {
    x: 5 * at, width: 4, y: value > 0 ? 25 - (24 * value) / top : 25, height: Math.max(0.5, (24 * Math.abs(value)) / top), class: "bar",
  }, svg("title", {}, `number ${at + 1}: ${value.toPrecision(4)}`)));
  const right = machine.classes[states[t]];
  const said = el("span", {}, quoted(machine.class_names[found.answers[t]], 30));
  if (right < machine.num_classes && right !== found.answers[t]) said.append(" ", el("strong", { class: "bad" }, "which is wrong"));
  const margin = found.margins[t];
  const rest = network.width > MOST_BARS ? `, the first ${MOST_BARS} of ${network.width}` : "";
  const width = 5 * vector.length;
  return [facts([
    ["the network says", said],
    ["margin", margin === Infinity ? "there is one class" : `${margin.toPrecision(3)}${margin < 1e-4 ? ", so near that rounding may decide" : ""}`],
    ...(found.codes[t] === null ? [] : [["code", found.codes[t].replaceAll("0", "−").replaceAll("1", "+")]]),
  ]),
  el("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Numbers of the state" },
    svg("svg", { viewBox: `0 0 ${width} 50`, width, height: 50, role: "img", "aria-label": `Numbers of the state${rest}, from ${(-top).toPrecision(2)} to ${top.toPrecision(2)}` },
      svg("path", { d: `M0,25 H${width}`, class: "axis" }), ...bars))];
}
