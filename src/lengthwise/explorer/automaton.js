// The minimal automaton: states on a circle, as the package's drawings have them. Arrows are blue,
// states of class 1 of recognisers are double circles, and states outside the domain are dashed.

const MOST_STATES = 30;
const MOST_ARROWS = 120;
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

// A loop points away from the middle, but that of the start state upwards: its arrow comes from the left.
function loopPath([x, y], isStart) {
  const length = Math.hypot(x, y);
  const [ux, uy] = isStart || length < 1 ? [0, -1] : [x / length, y / length];
  const at = (along, aside) => [x + ux * along - uy * aside, y + uy * along + ux * aside];
  return {
    path: `M${at(16, -12)} C${at(52, -26)} ${at(52, 26)} ${at(22, 14)}`,
    label: at(60, 0),
  };
}

// An arrow and its label. `name` tells the arrow heads of one drawing from those of another.
function arrowShapes({ state, target, symbols }, places, start, name) {
  const from = places[state];
  const { path, label } = state === target ? loopPath(from, state === start) : arrowPath(from, places[target]);
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
  const arrows = machine.transitions === null ? [] : arrowsOf(machine);
  const tooMany = machine.num_states > MOST_STATES || arrows.length > MOST_ARROWS;
  if (tooMany || machine.transitions === null) {
    const known = arrows.length ? ` and ${counted(arrows.length, "arrow")}` : "";
    return {
      drawing: el("p", { class: "note" }, `${counted(machine.num_states, "state")}${known}: too many to draw.`),
      light() {},
    };
  }
  const places = placesOf(machine.num_states);
  const drawn = svg("g", {}, ...arrows.flatMap((arrow) => arrowShapes(arrow, places, machine.start, "shown")));
  const states = places.map(([x, y], state) => {
    const group = svg("g", { class: "state" });
    const kind = machine.classes[state];
    group.append(svg("circle", { cx: x, cy: y, r: RADIUS, class: kind >= machine.num_classes ? "outside" : "" }));
    if (isRecogniser(machine) && kind === 1) group.append(svg("circle", { cx: x, cy: y, r: RADIUS - 4 }));
    group.append(svg("text", { x, y: y + 4, class: "label" }, cut(machine.class_names[kind], 6)));
    group.append(svg("title", {}, `state ${state}, class ${cut(machine.class_names[kind])}`));
    return group;
  });
  drawn.append(startShape(places[machine.start], "shown"), ...states);
  const [across, up] = [0, 1].map((axis) => Math.max(...places.map((place) => Math.abs(place[axis]))) + 74);
  const drawing = svg("svg", {
    viewBox: `${-across} ${-up} ${2 * across} ${2 * up}`,
    width: Math.round(Math.min(560, 2 * across)),
    class: "automaton",
    role: "img",
    "aria-label": `Minimal automaton with ${counted(machine.num_states, "state")} over ${counted(machine.alphabet.length, "symbol")}`,
  }, arrowHeads("shown"), drawn);
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
