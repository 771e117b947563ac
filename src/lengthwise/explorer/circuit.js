// A circuit that lights up gate by gate, in the order in which a transformer writes their values.

const GATES_PER_SECOND = 6;

function gateValue(gate, values) {
  return gate.table[gate.sources.reduce((place, source) => 2 * place + values[source], 0)];
}

// The values of all signals, inputs first.
function signalsOf(circuit, bits) {
  const values = [...bits];
  for (const gate of circuit.gates) values.push(gateValue(gate, values));
  return values;
}

// Columns by depth: inputs, then gates one further than their deepest input.
function circuitPlaces(circuit) {
  const depth = circuit.inputs.map(() => 0);
  for (const gate of circuit.gates) depth.push(1 + Math.max(0, ...gate.sources.map((source) => depth[source])));
  const filled = [];
  return depth.map((column) => {
    filled[column] = (filled[column] || 0) + 1;
    return [40 + 84 * column, 30 + 44 * (filled[column] - 1) + (column % 2) * 16];
  });
}

function showCircuit(circuit) {
  const place = section("circuit-section", "A circuit, gate by gate");
  place.append(el("p", { class: "sub" }, quoted(circuit.name, 200),
    `: ${counted(circuit.inputs.length, "input")}, ${counted(circuit.gates.length, "gate")}. A transformer that works step by step writes one gate's value after the other.`));
  const boxes = circuit.inputs.map((name, at) => el("input", { type: "checkbox", id: `input-${at}`, checked: at === 0 }));
  const inputs = el("fieldset", { class: "row" }, el("legend", {}, "Inputs that are 1"),
    ...boxes.map((box, at) => el("span", {}, box, " ", el("label", { for: box.id }, quoted(circuit.inputs[at], 20)))));
  const play = el("button", { type: "button", id: "run-circuit" }, "Light up");
  const slider = el("input", { type: "range", id: "gates", min: 0, max: circuit.gates.length, value: circuit.gates.length });
  const said = el("p", { id: "outputs", role: "status", "aria-live": "polite" });
  const places = circuitPlaces(circuit);
  const wires = svg("g", { class: "wires" });
  const count = circuit.inputs.length;
  const signals = places.map(([x, y], number) => {
    const gate = number < count ? null : circuit.gates[number - count];
    const lines = (gate ? gate.sources : []).map((source) => {
      const [fx, fy] = places[source];
      return svg("path", { d: `M${fx + 22},${fy} C${fx + 44},${fy} ${x - 44},${y} ${x - 22},${y}` });
    });
    wires.append(...lines);
    const value = svg("text", { x: x + 30, y: y - 8, class: "value" });
    const group = svg("g", { class: "signal" },
      svg("rect", { x: x - 22, y: y - 13, width: 44, height: 26, rx: gate ? 5 : 13 }),
      svg("text", { x, y: y + 4 }, cut(gate ? gate.kind.replace("CONST", "") : circuit.inputs[number], 6)), value);
    if (gate) group.append(svg("title", {}, `${cut(gate.name, 40)} = ${gate.kind}`));
    return { group, lines, value };
  });
  const width = Math.max(...places.map(([x]) => x)) + 60;
  const height = Math.max(...places.map(([, y]) => y)) + 30;
  const words = `Circuit of ${counted(circuit.gates.length, "gate")}`;
  place.append(inputs, el("div", { class: "row" }, play, el("span", { class: "field grow" },
    el("label", { for: "gates" }, "Gates computed"), slider)), said,
  scrolled(svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "circuit", role: "img", "aria-label": words },
    wires, ...signals.map((each) => each.group)), words));

  let playing = 0;
  function light(known) {
    slider.value = known;
    const values = signalsOf(circuit, boxes.map((box) => (box.checked ? 1 : 0)));
    signals.forEach(({ group, lines, value }, number) => {
      const isKnown = number < count + known;
      group.classList.toggle("known", isKnown);
      group.classList.toggle("one", isKnown && values[number] === 1);
      lines.forEach((line) => line.classList.toggle("known", isKnown));
      value.textContent = isKnown ? String(values[number]) : "";
    });
    const outputs = circuit.outputs.map((number, at) =>
      `${cut(circuit.output_names[at], 20)} = ${number < count + known ? values[number] : "?"}`);
    said.replaceChildren(quoted(outputs.join(", "), 2000));
  }
  function rest() {
    cancelAnimationFrame(playing);
    playing = 0;
    play.textContent = "Light up";
  }
  play.addEventListener("click", () => {
    if (playing) return rest();
    if (CALM.matches) return light(circuit.gates.length);
    const seconds = Math.min(MOST_SECONDS, circuit.gates.length / GATES_PER_SECOND);
    let begun = null;
    let shown = -1;
    const step = (now) => {
      if (begun === null) begun = now;
      const known = Math.min(circuit.gates.length, Math.floor(((now - begun) / 1000 / seconds) * circuit.gates.length));
      if (known !== shown) light((shown = known));
      if (known < circuit.gates.length) playing = requestAnimationFrame(step);
      else rest();
    };
    play.textContent = "Stop";
    playing = requestAnimationFrame(step);
    return undefined;
  });
  slider.addEventListener("input", () => {
    rest();
    light(slider.valueAsNumber);
  });
  boxes.forEach((box) => box.addEventListener("change", () => light(slider.valueAsNumber)));
  light(circuit.gates.length);
}
