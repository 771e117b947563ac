// A function, as its carry runs: the states of its automata between the symbols of an input, and the
// output symbols that follow from them. A sequential function is read once; of a bimachine the automaton
// that reads from the right comes first.

const COLUMNS = 24;
const STEPS_PER_SECOND = 5;

// Encodes an input: symbols, or two numbers of one length with their sign between them, as `95 + 17`.
function encodeInput(values, text) {
  const { left: machine, sign } = values;
  const [first, second, more] = sign ? text.replace(/\s/gu, "").split(sign).map((part) => Array.from(part)) : [];
  if (second === undefined || more !== undefined) return encode(machine, text);
  if (first.length !== second.length) {
    return { error: `two numbers have the same length, but these have ${first.length} and ${counted(second.length, "digit")}. Pad the shorter one with zeros.` };
  }
  const number = new Map(machine.alphabet.map((symbol, at) => [symbol, at]));
  const word = first.map((digit, at) => number.get(`${digit}${sign}${second[at]}`));
  const wrong = word.indexOf(undefined);
  if (wrong >= 0) return { error: `'${cut(first[wrong] + sign + second[wrong], 10)}' is not a pair of digits of this function.` };
  return { word };
}

// The states before each symbol from the left, after each one from the right, and the outputs.
function runFunction({ left, right, table }, word) {
  const lefts = [0];
  for (const symbol of word) lefts.push(left.transitions[lefts[lefts.length - 1]][symbol]);
  const rights = [0];
  for (const symbol of [...word].reverse()) rights.push(right === null ? 0 : right.transitions[rights[rights.length - 1]][symbol]);
  rights.reverse();
  return { lefts, rights, outputs: word.map((symbol, at) => table[lefts[at]][symbol][rights[at + 1]]) };
}

function showFunction(values) {
  const place = section("function-section", "A function, symbol by symbol");
  place.hidden = !values;
  if (!values) return;
  const { left, right, sign } = values;
  const isBoth = right !== null;
  place.append(el("p", { class: "sub" }, isBoth
    ? "An output depends on the state that has read what is before its symbol, and on the state that has read what follows, from the end. The automaton from the right runs first."
    : "An output depends on its symbol and on the state before it, such as a carry. So outputs are written while the input is read."));
  const typed = el("input", { id: "input", type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", dir: "auto" });
  typed.value = values.first;
  const play = el("button", { type: "button", id: "run-function" }, "Run");
  const slider = el("input", { type: "range", id: "position", min: 0, max: 0, step: 1 });
  const said = el("p", { id: "written", role: "status", "aria-live": "polite" });
  const strip = el("div", { id: "strip" });
  const drawn = [left, ...(isBoth ? [right] : [])].map((each) => automatonDrawing(each));
  const names = isBoth ? ["From the left", "From the right"] : ["Its automaton: a/b reads a and writes b"];
  const label = sign ? `Input: symbols, or two numbers with ${sign} between them, in the order in which they are read` : "Input";
  place.append(
    el("div", { class: "field" }, el("label", { for: "input" }, label), typed),
    el("div", { class: "row" }, play, el("span", { class: "field grow" }, el("label", { for: "position" }, "Symbols read"), slider)),
    said, strip,
    el("div", { class: "boxes" }, ...drawn.map(({ drawing }, at) => el("figure", {}, drawing, el("figcaption", {}, names[at])))));

  let found = null;
  let playing = 0;
  // After `time` symbols were read; of a bimachine the first n are read from the right.
  function light(time) {
    slider.value = time;
    const { word, lefts, rights, outputs } = found;
    const count = word.length;
    const fromRight = isBoth ? Math.min(time, count) : count; // symbols that the right automaton has read
    const fromLeft = isBoth ? Math.max(0, time - count) : time;
    const isLeft = !isBoth || time > count || count === 0;
    const at = isLeft ? Math.max(0, fromLeft - 1) : count - fromRight; // the symbol that was read last
    const begin = Math.max(0, Math.min(at - Math.floor(COLUMNS / 2), count - COLUMNS));
    const shown = Array.from({ length: Math.min(COLUMNS, count) }, (_, column) => begin + column);
    const isKnown = (each) => each < fromLeft;
    const line = (title, cell, kind) => el("tr", { class: kind }, el("th", { scope: "row" }, title),
      ...shown.map((each) => {
        const text = cell(each);
        return el("td", { class: text !== null && each === at && time > 0 ? "now" : null }, text === null ? "" : cut(text, 8));
      }));
    const rows = [
      line("input", (each) => left.alphabet[word[each]], "inputs"),
      line(isBoth ? "state from the left" : "state before", (each) => (each < fromLeft || (each === fromLeft && isLeft) ? String(lefts[each]) : null), "states"),
    ];
    if (isBoth) rows.push(line("state from the right", (each) => (each >= count - fromRight - 1 ? String(rights[each + 1]) : null), "states"));
    rows.push(line("output", (each) => (isKnown(each) ? values.outputs[outputs[each]] : null), "outputs"));
    const cutOff = count > COLUMNS ? el("p", { class: "note" }, `positions ${begin + 1} to ${begin + shown.length} of ${count.toLocaleString("en")}`) : null;
    strip.replaceChildren(...[scrolled(el("table", { "aria-label": "Input, states and output" }, el("tbody", {}, ...rows)), "Input, states and output"), cutOff].filter(Boolean));
    drawn[0].light(isLeft ? lefts[fromLeft] : -1);
    if (isBoth) drawn[1].light(isLeft ? (fromLeft > 0 ? rights[fromLeft] : -1) : rights[count - fromRight]);
    const joint = values.outputs.some((each) => Array.from(each).length > 1) ? " " : "";
    said.className = "";
    said.replaceChildren(time === Number(slider.max) ? "The output is " : "Written so far: ",
      quoted(outputs.slice(0, fromLeft).map((each) => values.outputs[each]).join(joint), 400), ".");
  }
  function rest() {
    cancelAnimationFrame(playing);
    playing = 0;
    play.textContent = "Run";
  }
  function read() {
    rest();
    const { word, error } = encodeInput(values, typed.value);
    const refusal = error || (word.length > LONGEST_DRAWN ? `an input has at most ${counted(LONGEST_DRAWN, "symbol")} here, but this has ${word.length.toLocaleString("en")}.` : null);
    typed.setAttribute("aria-invalid", String(Boolean(refusal)));
    play.disabled = slider.disabled = Boolean(refusal);
    if (refusal) {
      said.className = "bad";
      said.textContent = refusal;
      strip.replaceChildren();
      drawn.forEach((each) => each.light(-1));
      return;
    }
    found = { word, ...runFunction(values, word) };
    slider.max = word.length * (isBoth ? 2 : 1);
    light(Number(slider.max));
  }
  play.addEventListener("click", () => {
    const last = Number(slider.max);
    if (playing) return rest();
    if (CALM.matches || last === 0) return light(last);
    const seconds = Math.min(MOST_SECONDS, last / STEPS_PER_SECOND);
    let begun = null;
    let shown = -1;
    const step = (now) => {
      if (begun === null) begun = now;
      const time = Math.min(last, Math.floor(((now - begun) / 1000 / seconds) * last));
      if (time !== shown) light((shown = time));
      if (time < last) playing = requestAnimationFrame(step);
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
  typed.addEventListener("input", read);
  read();
}
