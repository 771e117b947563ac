// The word: typed or pasted, cut into a tree, and read symbol by symbol.

const LONGEST_WORD = 1000000;
const LONGEST_DRAWN = 20000;
const SYMBOLS_PER_SECOND = 40;
const MOST_SECONDS = 6;

const reader = { subject: null, word: null, answer: null, frames: [], playing: 0 };

// A word of the domain: each symbol is drawn from those after which the word can still end there.
// Null if no word of this length does.
function drawnWord(machine, length, draw) {
  const { alphabet, classes, transitions } = machine;
  const hasDomain = machine.num_classes < machine.class_names.length;
  const alive = [classes.map((each) => each < machine.num_classes)];
  for (let left = 1; hasDomain && left <= length; left++) {
    alive.push(transitions.map((row) => row.some((target) => alive[left - 1][target])));
  }
  if (hasDomain && !alive[length][machine.start]) return null;
  const word = [];
  let state = machine.start;
  for (let left = length - 1; left >= 0; left--) {
    const row = transitions[state];
    const open = hasDomain ? row.map((_, symbol) => symbol).filter((symbol) => alive[left][row[symbol]]) : row;
    const at = Math.floor(draw() * open.length);
    const symbol = hasDomain ? open[at] : at;
    word.push(symbol);
    state = row[symbol];
  }
  return decode({ alphabet, spaced: machine.spaced }, word);
}

// Shows the form for words of a subject: `{machine, chunks, grow(word, text, chunkSize),
// light(state), answer(word, class, state), first, note}`. `grow` gives a tree and its algebra, or a path of
// the `network`.
function showReader(subject) {
  stop();
  reader.subject = subject;
  const place = section("word-section", "A word, read");
  place.append(el("p", { class: "sub" }, subject.note));
  const { machine } = subject;
  const typed = el("textarea", { id: "word", rows: 2, spellcheck: "false", autocomplete: "off", autocapitalize: "off", dir: "auto" });
  const old = reader.word !== null && !encode(machine, reader.word).error ? reader.word : null;
  typed.value = old === null ? subject.first : old;
  const chunk = el("select", { id: "chunk" }, ...subject.chunks.map((each) => el("option", { value: each }, String(each))));
  const slider = el("input", { id: "progress", type: "range", min: 0, max: 0, step: 1 });
  const play = el("button", { type: "button", id: "play" }, "Read");
  const answer = el("p", { id: "answer", role: "status", "aria-live": "polite" });
  const at = el("p", { id: "at", class: "note" });
  const drawing = el("div", { id: "tree" });
  const chosen = el("div", { id: "node", class: "panel", "aria-live": "polite" });
  const timing = el("p", { id: "timing", class: "note" });
  const length = el("input", { id: "length", type: "number", min: 0, max: LONGEST_DRAWN, value: 24 });
  const draw = el("button", { type: "button", id: "random" }, "Random word");

  place.append(
    el("div", { class: "field" }, el("label", { for: "word" }, "Word"), typed),
    el("div", { class: "row" },
      el("span", { class: "field" }, el("label", { for: "length" }, "of length"), length), draw,
      subject.chunks.length > 1 ? el("span", { class: "field" }, el("label", { for: "chunk" }, "chunks of"), chunk) : null),
    answer,
    el("div", { class: "row" }, play,
      el("span", { class: "field grow" }, el("label", { for: "progress" }, "Symbols read"), slider)),
    at, drawing, chosen, timing);

  let states = null;
  let drawn = null;
  function light(t) {
    slider.value = t;
    drawn.light(t);
    subject.light(states[t]);
    const name = cut(machine.class_names[machine.classes[states[t]]], 40);
    at.textContent = `after ${counted(t, "symbol")}: state ${states[t]}, class ${name}`;
  }

  let latest = 0;
  async function grown(animated) {
    stop();
    const number = ++latest;
    reader.word = typed.value;
    const { word, error } = encode(machine, typed.value);
    if (error) return refuse(error);
    if (word.length > LONGEST_WORD) {
      return refuse(`a word has at most ${counted(LONGEST_WORD, "symbol")} here, but this has ${word.length.toLocaleString("en")}.`);
    }
    let found;
    try {
      found = subject.grow(word, typed.value, Number(chunk.value));
      if (found instanceof Promise) found = await found;
    } catch (problem) {
      return number === latest ? refuse(problem.message) : undefined;
    }
    if (number !== latest) return undefined;
    show(word, found);
    if (animated && !CALM.matches) animate(word.length);
    else light(word.length);
    return undefined;
  }

  function refuse(message) {
    typed.setAttribute("aria-invalid", "true");
    answer.className = "bad";
    answer.textContent = message;
    reader.answer = null;
  }

  function show(word, { tree, algebra, path }) {
    typed.setAttribute("aria-invalid", "false");
    states = statesOf(machine, word);
    reader.answer = machine.class_names[tree.answer];
    chosen.hidden = Boolean(path);
    if (path) {
      drawn = pathDrawing(path, subject.network, machine, word, states);
      drawing.replaceChildren(drawn.element);
    } else {
      drawn = treeDrawing(tree, algebra, machine, (level, node, children) => showNode(chosen, algebra, machine, level, node, children));
      drawing.replaceChildren(scrolled(drawn.drawing, "Tree of chunks"));
      chosen.replaceChildren(el("p", { class: "note" }, "Click a node, or walk through the tree with the arrow keys, to see what it holds."));
    }
    timing.textContent = "";
    slider.max = word.length;
    answer.className = "";
    answer.replaceChildren(...subject.answer(word, tree.answer, states[word.length]));
  }

  function animate(symbols) {
    const seconds = Math.min(MOST_SECONDS, symbols / SYMBOLS_PER_SECOND);
    const frames = [];
    let begun = null;
    play.textContent = "Stop";
    light(0);
    const step = (now) => {
      if (begun === null) begun = now;
      frames.push(now);
      const t = Math.min(symbols, Math.floor(((now - begun) / 1000 / seconds) * symbols));
      light(t);
      if (t < symbols) reader.playing = requestAnimationFrame(step);
      else {
        const times = frames.slice(1).map((each, i) => each - frames[i]).sort((a, b) => a - b);
        reader.frames = times;
        if (times.length) {
          const middle = times[Math.floor(times.length / 2)];
          timing.textContent = `${counted(frames.length, "frame")}, the middle one of ${middle.toFixed(1)} ms`;
        }
        stop();
      }
    };
    reader.playing = seconds > 0 ? requestAnimationFrame(step) : 0;
    if (seconds === 0) stop();
  }

  typed.addEventListener("input", () => grown(false));
  chunk.addEventListener("change", () => grown(false));
  play.addEventListener("click", () => {
    if (reader.playing) {
      stop();
      light(slider.valueAsNumber);
    } else grown(true);
  });
  slider.addEventListener("input", () => {
    stop();
    if (drawn) light(slider.valueAsNumber);
  });
  draw.addEventListener("click", () => {
    const wanted = Math.max(0, Math.min(LONGEST_DRAWN, Math.floor(length.valueAsNumber) || 0));
    const word = drawnWord(machine, wanted, Math.random);
    if (word === null) {
      refuse(`no word of ${counted(wanted, "symbol")} is in the domain. Ask for another length.`);
      return;
    }
    typed.value = word;
    grown(false);
  });
  grown(false);
}

function stop() {
  if (reader.playing) cancelAnimationFrame(reader.playing);
  reader.playing = 0;
  const play = document.getElementById("play");
  if (play) play.textContent = "Read";
}

function showNode(place, algebra, machine, level, node, children) {
  const span = node.end - node.start;
  const where = span === 0 ? "no symbols" : span === 1 ? `symbol ${node.end}` : `symbols ${node.start + 1} to ${node.end}`;
  if (level === 0) {
    place.replaceChildren(facts([["symbol", quoted(machine.alphabet[node.element])], ["place", where]]));
    return;
  }
  const names = el("span");
  if (node.pads) names.append(el("span", { class: "soft" }, "pad ".repeat(Math.min(node.pads, 8))));
  for (const child of children) {
    const name = level === 1 ? machine.alphabet[child.element] : algebra.label(level - 1, child.element, child.edge);
    names.append(quoted(name, 24), " ");
  }
  place.replaceChildren(facts([
    ["node", `level ${level}, ${node.edge ? "at the left edge" : "interior"}, ${where}`],
    ["chunk", names],
    ...algebra.describe(level, node.element, node.edge, children),
  ]));
}
