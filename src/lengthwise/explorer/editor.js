// The editor of an automaton: a drawing for the mouse, and a table of its transitions that takes the
// same changes by keyboard. Both show one `Drawn`, and every change goes through `change`.

const DRAWN_NAME = "an automaton drawn by hand";
const EDITOR_NOTE =
  "Double-click an empty place for a state; drag from one state to another for a transition by the chosen symbol. " +
  "The table below shows the same automaton and takes the same changes, without a mouse.";

// Makes the editor; `onshow(values)` asks for the automaton, `shown()` is the machine that the page shows.
function automatonEditor(onshow, shown) {
  let drawn = new Drawn();
  let picked = null; // a state, or an arrow by its two states
  const past = [];
  const status = el("p", { id: "drawing-status", class: "status", role: "status", "aria-live": "polite" });
  const tools = el("span", { id: "drawing-tools", class: "row" });
  const grid = el("div", { id: "drawing-table" });
  const symbol = el("input", { id: "new-symbol", type: "text", size: 4, spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
  const button = (id, text, action) => el("button", { type: "button", id, onclick: action }, text);
  const canvas = drawingCanvas({
    current: () => drawn,
    symbol: () => (tools.querySelector("input:checked") || { value: "move" }).value,
    picked: () => picked,
    pick(what) {
      picked = what;
      show();
    },
    change,
  });
  const undo = button("undo", "Undo", () => {
    drawn = past.pop();
    picked = null;
    rebuild();
    show();
  });
  const chosen = el("span", { class: "row", id: "chosen" });
  const sink = button("sink", "Lead what is missing to a sink", () => change(() => drawn.addSink(drawn.freePlace())));

  // Takes an action on the automaton, unless it is refused.
  function change(action) {
    const before = drawn.copy();
    try {
      action();
    } catch (problem) {
      show(problem.message);
      return;
    }
    past.push(before);
    if (!drawn.states.includes(picked)) picked = null;
    rebuild();
    show();
  }

  let built = "";
  let followers = [];
  // Makes the table again if it has other rows or columns; otherwise its controls follow the automaton,
  // so that none is gone before a click on it has ended.
  function rebuild() {
    const shape = [drawn.states.length, ...drawn.symbols].join(" ");
    if (shape === built && followers.owner === drawn) return;
    built = shape;
    const focused = document.activeElement && document.activeElement.id;
    const inside = grid.contains(document.activeElement);
    const made = transitionEditor(() => drawn, change);
    followers = Object.assign(made.followers, { owner: drawn });
    grid.replaceChildren(made.element);
    const tool = tools.querySelector("input:checked");
    tools.replaceChildren(...toolChoices(drawn.symbols, tool ? tool.value : "move"));
    if (inside) (document.getElementById(focused) || document.getElementById("add-state")).focus();
  }

  function show(refusal = null) {
    canvas.draw();
    followers.forEach((follow) => follow());
    undo.disabled = past.length === 0;
    sink.hidden = drawn.missing().length === 0;
    chosen.replaceChildren(...choicesAbout(drawn, picked, change));
    status.classList.toggle("bad", refusal !== null);
    status.replaceChildren(...(refusal === null ? standing(drawn) : [refusal]));
  }

  const form = el("form", { class: "row" },
    el("span", { class: "field" }, el("label", { for: "new-symbol" }, "New symbol"), symbol),
    el("button", { type: "submit", id: "add-symbol" }, "Add symbol"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    change(() => drawn.addSymbol(symbol.value));
    symbol.value = "";
  });
  const element = el("details", { id: "draw" }, el("summary", {}, "Draw an automaton"),
    el("p", { class: "note" }, EDITOR_NOTE),
    el("fieldset", {}, el("legend", {}, "Dragging from a state"), tools),
    canvas.element,
    el("div", { class: "row" },
      button("add-state", "Add a state", () => change(() => drawn.add(drawn.freePlace()))), undo,
      button("copy-shown", "Copy the automaton shown", () => change(() => { drawn = Drawn.of(shown(), canvas.width()); })), chosen),
    grid, form, status,
    el("div", { class: "row" }, sink, button("show-drawn", "Show its minimal automaton", () => {
      if (drawn.states.length === 0 || drawn.symbols.length === 0 || drawn.missing().length) {
        show("an automaton has a state, and a transition by every symbol from each. Add what is missing, or lead it to a sink.");
      } else onshow(drawn.values());
    })));
  element.addEventListener("toggle", () => show());
  rebuild();
  show();
  return element;
}

function toolChoices(symbols, chosen) {
  return ["move", ...symbols.map((_, at) => String(at))].map((value) => el("label", {},
    el("input", { type: "radio", name: "drawing-tool", value, checked: value === chosen }),
    ...(value === "move" ? [" moves it"] : [" draws ", quoted(symbols[value], 12)])));
}

// Buttons about the state or the arrow that is picked in the drawing.
function choicesAbout(drawn, picked, change) {
  if (picked === null) return [];
  const button = (text, action) => el("button", { type: "button", onclick: () => change(action) }, ...text);
  if (!picked.arrow) {
    const name = quoted(picked.name, 12);
    return [button(["Start in ", name], () => { drawn.start = picked; }),
      button([picked.accepts ? "Do not accept in " : "Accept in ", name.cloneNode(true)], () => { picked.accepts = !picked.accepts; }),
      button(["Delete ", name.cloneNode(true)], () => drawn.remove(picked))];
  }
  const [from, to] = picked.arrow;
  return [button(["Delete ", quoted(from.name, 12), " → ", quoted(to.name, 12)], () => {
    from.targets = from.targets.map((target) => (target === to ? null : target));
  })];
}

// What an automaton lacks, or that it is complete.
function standing(drawn) {
  if (drawn.states.length === 0) return ["There is no state yet."];
  if (drawn.symbols.length === 0) return ["There is no symbol yet."];
  const missing = drawn.missing();
  const named = (states) => states.flatMap((state, at) => [at ? ", " : "", quoted(state.name, 20)]);
  if (missing.length === 0) {
    const lost = drawn.unreachable();
    const about = `It is complete: ${counted(drawn.states.length, "state")}, ${counted(drawn.symbols.length, "symbol")}.`;
    return lost.length ? [about, " No word leads to ", ...named(lost.slice(0, 6)), lost.length > 6 ? ", …" : "."] : [about];
  }
  const list = missing.slice(0, 6).flatMap(([state, symbol], at) => [at ? ", " : "", quoted(state.name, 20), " by ", quoted(symbol, 20)]);
  return [`${counted(missing.length, "transition")} missing: from `, ...list, missing.length > 6 ? ", …" : "."];
}

// The table: a row for each state, a column for each symbol. `followers` set its controls to what holds.
function transitionEditor(current, change) {
  const followers = [];
  const control = (made, follow, take) => {
    followers.push(() => follow(made));
    made.addEventListener("change", () => {
      take(made);
      follow(made);
    });
    return made;
  };
  const { states, symbols } = current();
  const rows = states.map((state, number) => [
    control(el("input", { type: "text", id: `drawn-name-${number}`, size: 8, spellcheck: "false", dir: "auto", "aria-label": `Name of state ${number + 1}` }),
      (made) => { made.value = state.name; }, (made) => change(() => current().rename(state, made.value))),
    control(el("input", { type: "radio", name: "drawn-start", id: `drawn-start-${number}` }), (made) => {
      made.checked = current().start === state;
      made.setAttribute("aria-label", `Start in ${cut(state.name, 20)}`);
    }, () => change(() => { current().start = state; })),
    control(el("input", { type: "checkbox", id: `drawn-accepts-${number}` }), (made) => {
      made.checked = state.accepts;
      made.setAttribute("aria-label", `Accept in ${cut(state.name, 20)}`);
    }, (made) => change(() => { state.accepts = made.checked; })),
    ...symbols.map((symbol, at) => control(
      el("select", { id: `drawn-${number}-${at}` }, el("option", { value: "" }, "missing"), ...states.map((_, value) => el("option", { value }))),
      (made) => {
        states.forEach((target, value) => { made.options[value + 1].textContent = cut(target.name, 12); });
        made.value = state.targets[at] === null ? "" : String(states.indexOf(state.targets[at]));
        made.setAttribute("aria-label", `From ${cut(state.name, 20)} by ${cut(symbol, 20)} to`);
      },
      (made) => change(() => { state.targets[at] = made.value === "" ? null : states[Number(made.value)]; }))),
    control(el("button", { type: "button", id: `drawn-delete-${number}`, onclick: () => change(() => current().remove(state)) }, "Delete"),
      (made) => made.setAttribute("aria-label", `Delete state ${cut(state.name, 20)}`), () => {}),
  ]);
  const heads = symbols.map((symbol, at) => el("span", {}, quoted(symbol, 12), " ",
    el("button", { type: "button", class: "example", "aria-label": `Remove symbol ${cut(symbol, 20)}`, onclick: () => change(() => current().removeSymbol(at)) }, "×")));
  const made = table(["state", "start", "accepts", ...heads, ""], rows, "Transitions of the drawing");
  return { element: scrolled(made, "Table of the drawing"), followers };
}
