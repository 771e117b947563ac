// An automaton that is drawn by hand: states with a name and a place, and at most one transition for
// each state and symbol. `targets` and `start` are states themselves, so nothing is numbered again
// when a state goes. What cannot be is refused in one line.

const MOST_SYMBOLS = 20;
const LONGEST_WRITTEN = 40;
const CANVAS_HEIGHT = 340;

class Drawn {
  constructor(symbols = ["a", "b"]) {
    Object.assign(this, { symbols, states: [], start: null });
  }

  // A copy of its own, for undoing.
  copy() {
    return Object.assign(new Drawn(), structuredClone({ ...this }));
  }

  add(place, name = this.freeName()) {
    if (this.states.length >= MOST_STATES) {
      throw new Error(`a drawing has at most ${MOST_STATES} states, and it has them. Write a larger automaton as a file, for lengthwise explore att:FILE.`);
    }
    const state = { name, accepts: false, place, targets: this.symbols.map(() => null) };
    this.states.push(state);
    if (this.start === null) this.start = state;
    return state;
  }

  freeName(wanted = null) {
    const names = new Set(this.states.map((state) => state.name));
    if (wanted !== null && !names.has(wanted)) return wanted;
    for (let number = 0; ; number++) {
      const name = wanted === null ? String(number) : `${wanted} ${number}`;
      if (!names.has(name)) return name;
    }
  }

  // Removes a state and all transitions to it; if it was the start, the first state is.
  remove(state) {
    this.states = this.states.filter((each) => each !== state);
    for (const each of this.states) each.targets = each.targets.map((target) => (target === state ? null : target));
    if (this.start === state) this.start = this.states[0] || null;
  }

  rename(state, name) {
    const written = allowed(name.trim(), "a name");
    if (this.states.some((each) => each !== state && each.name === written)) {
      throw new Error(`names of states differ, but another state is called '${cut(written, 20)}'. Take another name.`);
    }
    state.name = written;
  }

  addSymbol(text) {
    const symbol = allowed(text, "a symbol");
    if (/\s/u.test(symbol)) throw new Error("a symbol is a string without spaces. Add one symbol at a time.");
    if (this.symbols.includes(symbol)) throw new Error(`symbols differ, but '${cut(symbol, 20)}' is there. Take another one.`);
    if (this.symbols.length >= MOST_SYMBOLS) throw new Error(`a drawing has at most ${MOST_SYMBOLS} symbols, and it has them.`);
    this.symbols.push(symbol);
    for (const state of this.states) state.targets.push(null);
  }

  removeSymbol(number) {
    this.symbols.splice(number, 1);
    for (const state of this.states) state.targets.splice(number, 1);
  }

  // The pairs of a state and a symbol that have no transition.
  missing() {
    return this.states.flatMap((state) => this.symbols.filter((_, at) => state.targets[at] === null).map((symbol) => [state, symbol]));
  }

  unreachable() {
    const reached = new Set(this.start ? [this.start] : []);
    for (const state of reached) state.targets.forEach((target) => target && reached.add(target));
    return this.states.filter((state) => !reached.has(state));
  }

  // Leads every missing transition to a new state that is never left.
  addSink(place) {
    const sink = this.add(place, this.freeName("sink"));
    for (const state of this.states) state.targets = state.targets.map((target) => target || sink);
  }

  // The arrows of the drawing, by numbers of states.
  arrows() {
    const number = new Map(this.states.map((state, at) => [state, at]));
    const rows = this.states.map((state) => state.targets.map((target) => (target ? number.get(target) : null)));
    return arrowsOf({ transitions: rows, num_states: rows.length, alphabet: this.symbols });
  }

  // The whole automaton as the server reads it.
  values() {
    const number = new Map(this.states.map((state, at) => [state, at]));
    return {
      alphabet: this.symbols,
      transitions: this.states.map((state) => state.targets.map((target) => number.get(target))),
      classes: this.states.map((state) => (state.accepts ? 1 : 0)),
      start: number.get(this.start),
    };
  }

  // A drawing of a recogniser that the page shows, on a circle within a box of this width.
  static of(machine, width) {
    const [most, symbols] = [machine.num_states, machine.alphabet.length];
    if (!isRecogniser(machine) || machine.class_names.length > 2) {
      throw new Error("a drawing has states that accept and states that do not, but this language has other classes.");
    }
    if (machine.transitions === null || most > MOST_STATES || symbols > MOST_SYMBOLS) {
      throw new Error(`a drawing has at most ${MOST_STATES} states and ${MOST_SYMBOLS} symbols, but this automaton has ${most.toLocaleString("en")} and ${symbols.toLocaleString("en")}.`);
    }
    const made = new Drawn([...machine.alphabet]);
    const places = placesOf(most);
    const shrink = Math.min(1, (Math.min(width, CANVAS_HEIGHT) / 2 - 60) / Math.max(1, ...places.map(([x, y]) => Math.hypot(x, y))));
    for (const [x, y] of places) made.add([x * shrink, y * shrink]);
    made.start = made.states[machine.start];
    made.states.forEach((state, at) => {
      state.accepts = machine.classes[at] === 1;
      state.targets = machine.transitions[at].map((target) => made.states[target]);
    });
    return made;
  }

  // A place that is free, around the middle.
  freePlace() {
    for (let at = 0; ; at++) {
      const [angle, away] = [at * 2.39996 + Math.PI, 100 + 8 * Math.sqrt(at)];
      const place = [1.3 * away * Math.cos(angle), Math.max(-140, Math.min(140, away * Math.sin(angle)))];
      const gap = Math.min(...this.states.map((state) => Math.hypot(state.place[0] - place[0], state.place[1] - place[1])));
      if (gap > 3 * RADIUS || at > 200) return place;
    }
  }
}

function allowed(text, what) {
  const { length } = Array.from(text);
  if (length === 0) throw new Error(`${what} has at least one character. Write one.`);
  if (length > LONGEST_WRITTEN) throw new Error(`${what} has at most ${LONGEST_WRITTEN} characters here, but this has ${length.toLocaleString("en")}. Shorten it.`);
  return text;
}
