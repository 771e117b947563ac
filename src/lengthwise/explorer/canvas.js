// The drawing of an automaton that is edited by the mouse or a finger: states are dragged, and arrows
// are drawn from one state to another.

// Makes the drawing. `editor` has `current()`, `symbol()` ("move" or the number of a symbol),
// `picked()`, `pick(what)` and `change(action)`.
function drawingCanvas(editor) {
  const shapes = svg("g");
  const drawing = svg("svg", { class: "automaton drawn", id: "canvas", role: "img", height: CANVAS_HEIGHT }, arrowHeads("drawn"), shapes);
  const element = el("div", { class: "canvas" }, drawing);
  const width = () => Math.max(300, element.clientWidth || 700);
  let gesture = null; // {state, symbol, before, at}: the state that is moved or that an arrow begins at

  function inside([x, y]) {
    const within = (value, half) => Math.max(RADIUS + 2 - half, Math.min(half - RADIUS - 2, value));
    return [within(x, width() / 2), within(y, CANVAS_HEIGHT / 2)];
  }

  function pointOf(event) {
    const box = drawing.getBoundingClientRect();
    return inside([event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2]);
  }

  function stateAt([x, y]) {
    return editor.current().states.findLast((state) => Math.hypot(state.place[0] - x, state.place[1] - y) <= RADIUS + 4) || null;
  }

  function draw() {
    const { states, start } = editor.current();
    const across = width();
    drawing.setAttribute("width", across);
    drawing.setAttribute("viewBox", `${-across / 2} ${-CANVAS_HEIGHT / 2} ${across} ${CANVAS_HEIGHT}`);
    states.forEach((state) => { state.place = inside(state.place); });
    const arrows = editor.current().arrows();
    const places = states.map((state) => state.place);
    drawing.setAttribute("aria-label", `Drawing of ${counted(states.length, "state")} and ${counted(arrows.length, "arrow")}. The table below says the same.`);
    shapes.replaceChildren(...arrows.map((arrow) => arrowGroup(arrow, places, states)),
      ...(start ? [startShape(start.place, "drawn")] : []), ...preview(), ...states.map(stateGroup));
  }

  function arrowGroup(arrow, places, states) {
    const ends = [states[arrow.state], states[arrow.target]];
    const [line, label] = arrowShapes(arrow, places, "drawn");
    const hit = svg("path", { d: line.getAttribute("d"), class: "hit" });
    const { arrow: own } = editor.picked() || {};
    const group = svg("g", { class: own && own[0] === ends[0] && own[1] === ends[1] ? "edge picked" : "edge" }, line, hit, label);
    group.addEventListener("pointerdown", () => editor.pick({ arrow: ends }));
    return group;
  }

  function stateGroup(state) {
    const [x, y] = state.place;
    return svg("g", { class: state === editor.picked() ? "state picked" : "state" },
      svg("circle", { cx: x, cy: y, r: RADIUS }),
      ...(state.accepts ? [svg("circle", { cx: x, cy: y, r: RADIUS - 4 })] : []),
      svg("text", { x, y: y + 4, class: "label" }, cut(state.name, 5)), svg("title", {}, state.name));
  }

  // The arrow that is being drawn.
  function preview() {
    if (gesture === null || gesture.symbol === "move") return [];
    return [svg("path", { d: `M${gesture.state.place} L${gesture.at}`, class: "arrow preview" })];
  }

  drawing.addEventListener("pointerdown", (event) => {
    const at = pointOf(event);
    const state = stateAt(at);
    if (state === null) {
      if (event.target === drawing) editor.pick(null);
      return;
    }
    gesture = { state, at, symbol: editor.symbol(), from: state.place };
    drawing.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  drawing.addEventListener("pointermove", (event) => {
    if (gesture === null) return;
    gesture.at = pointOf(event);
    if (gesture.symbol === "move") gesture.state.place = gesture.at;
    draw();
  });
  drawing.addEventListener("pointerup", (event) => {
    if (gesture === null) return;
    const { state, symbol, from, at } = gesture;
    const target = stateAt(pointOf(event));
    gesture = null;
    if (symbol === "move") {
      state.place = from; // so that undoing brings it back here
      if (at[0] !== from[0] || at[1] !== from[1]) editor.change(() => { state.place = at; });
      editor.pick(state);
    } else if (target !== null) {
      editor.change(() => { state.targets[symbol] = target; });
    } else draw();
  });
  drawing.addEventListener("pointercancel", () => {
    if (gesture && gesture.symbol === "move") gesture.state.place = gesture.from;
    gesture = null;
    draw();
  });
  drawing.addEventListener("dblclick", (event) => {
    const at = pointOf(event);
    if (stateAt(at) === null) editor.change(() => editor.current().add(at));
  });
  return { element, draw, width };
}
