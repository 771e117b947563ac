// The minimal automaton, in the shapes that the package lays out, and arrows of the drawing by hand.
// Arrows are blue, states of class 1 of recognisers are double circles, and states outside the domain
// are dashed.

const MOST_STATES = 30;
const RADIUS = 20;

function isRecogniser(machine) {
  return machine.num_classes === 2 && machine.class_names[0] === "0" && machine.class_names[1] === "1";
}

function arrowsOf(machine) {
  const arrows = new Map();
  machine.transitions.forEach((row, state) => row.forEach((target, symbol) => {
    if (target === null) return;
    const key = state * machine.num_states + target;
    if (!arrows.has(key)) arrows.set(key, { state, target, symbols: [] });
    arrows.get(key).symbols.push(machine.alphabet[symbol]);
  }));
  return [...arrows.values()];
}

function placesOf(count) {
  const around = Math.max(84, (count * 96) / (2 * Math.PI));
  return Array.from({ length: count }, (_, i) => {
    const angle = Math.PI + (2 * Math.PI * i) / count;
    return count === 1 ? [0, 0] : [around * Math.cos(angle), around * Math.sin(angle)];
  });
}

// The path of an arrow and the place of its label; `bend` is how far it leaves the straight line.
function arrowPath(from, to) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [nx, ny] = [dy / length, -dx / length];
  const bend = 0.16 * length + 6;
  const middle = [(from[0] + to[0]) / 2 + nx * bend, (from[1] + to[1]) / 2 + ny * bend];
  const edge = (point, gap) => {
    const [ex, ey] = [middle[0] - point[0], middle[1] - point[1]];
    const size = Math.hypot(ex, ey) || 1;
    return [point[0] + (ex / size) * gap, point[1] + (ey / size) * gap];
  };
  const [start, end] = [edge(from, RADIUS), edge(to, RADIUS + 7)];
  return {
    path: `M${start} Q${middle} ${end}`,
    label: [(start[0] + end[0]) / 4 + middle[0] / 2 + nx * 9, (start[1] + end[1]) / 4 + middle[1] / 2 + ny * 9],
  };
}

// A loop is above its state, or below one at the upper edge.
function loopPath([x, y]) {
  const up = y < 90 - CANVAS_HEIGHT / 2 ? 1 : -1;
  const at = (along, aside) => [x + aside, y + up * along];
  return {
    path: `M${at(18, -8)} C${at(54, -26)} ${at(54, 26)} ${at(25, 11)}`,
    label: at(56, 0),
  };
}

// An arrow and its label. `name` tells the arrow heads of one drawing from those of another.
function arrowShapes({ state, target, symbols }, places, name) {
  const from = places[state];
  const { path, label } = state === target ? loopPath(from) : arrowPath(from, places[target]);
  return [svg("path", { d: path, class: "arrow", "marker-end": `url(#${name}-head)` }),
    svg("text", { x: label[0], y: label[1] + 4, class: "label" }, cut(symbols.join(", "), 14))];
}

function startShape([x, y], name) {
  return svg("path", { d: `M${x - 52},${y} L${x - RADIUS - 7},${y}`, class: "start", "marker-end": `url(#${name}-start)` });
}

function arrowHeads(name) {
  return svg("defs", {}, ...["head", "start"].map((kind) =>
    svg("marker", { id: `${name}-${kind}`, viewBox: "0 0 8 8", refX: 1, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      svg("path", { d: "M0,0 L8,4 L0,8 z", class: kind }))));
}

// Draws a machine; `light(state)` shows the state that it is in.
function automatonDrawing(machine) {
  const { drawing: shapes } = machine;
  if (!shapes) {
    return {
      drawing: el("p", { class: "note" }, `${counted(machine.num_states, "state")}, with too many arrows to draw or too many states.`),
      light() {},
    };
  }
  const label = ({ x, y, text }) => svg("text", { x, y, class: "label" }, text);
  const drawn = svg("g", {}, ...shapes.arrows.flatMap((arrow) => [
    svg("path", { d: arrow.line, class: "arrow" }), svg("path", { d: arrow.head, class: "head" }), label(arrow)]));
  drawn.append(svg("path", { d: shapes.start.line, class: "start" }), svg("path", { d: shapes.start.head, class: "tip" }));
  const states = [];
  for (const shape of shapes.states) {
    const group = svg("g", { class: "state" });
    for (const inset of shape.is_double ? [0, 3.5] : [0]) {
      const height = 2 * (17 - inset);
      group.append(svg("rect", {
        x: shape.left + inset, y: shape.top + inset, width: shape.width - 2 * inset, height, rx: height / 2,
        class: shape.is_dashed ? "outside" : "",
      }));
    }
    group.append(label(shape), svg("title", {}, `state ${shape.state}, class ${cut(machine.class_names[machine.classes[shape.state]])}`));
    states[shape.state] = group;
    drawn.append(group);
  }
  const [left, top, right, bottom] = shapes.box;
  const width = Math.round(right - left);
  const drawing = svg("svg", {
    viewBox: `${left} ${top} ${right - left} ${bottom - top}`,
    width,
    class: "automaton",
    role: "img",
    "aria-label": `Minimal automaton with ${counted(machine.num_states, "state")} over ${counted(machine.alphabet.length, "symbol")}`,
  }, drawn);
  drawing.style.minWidth = `${Math.round(0.75 * width)}px`; // a style attribute is not allowed here
  let lit = -1;
  return {
    drawing,
    light(state) {
      if (state === lit) return;
      if (lit >= 0) states[lit].classList.remove("lit");
      if (state >= 0) states[state].classList.add("lit");
      lit = state;
    },
  };
}

// The table of transitions, which says the same to those who do not see the drawing.
function transitionTable(machine) {
  if (machine.transitions === null || machine.num_states > MOST_STATES || machine.alphabet.length > 20) return null;
  const rows = machine.transitions.map((row, state) => [
    `${state}${state === machine.start ? " (start)" : ""}`,
    cut(machine.class_names[machine.classes[state]], 12),
    ...row.map(String),
  ]);
  const columns = ["state", "class", ...machine.alphabet.map((symbol) => cut(symbol, 12))];
  return el("details", {}, el("summary", {}, "Transitions as a table"),
    scrolled(table(columns, rows, "Transitions of the minimal automaton"), "Table of transitions"));
}
