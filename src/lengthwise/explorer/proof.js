// The proof of a run, or the search for one, level by level: pairs of what the network holds and what the language needs.

const VERDICTS = {
  equivalent: ["proved at every length", "good"],
  counterexample: ["wrong on some word", "bad"],
  "not-closed": ["not proved", "soft"],
};

// What the elements of a proof do, by level and code.
class Actions {
  constructor(proof) {
    this.proof = proof;
    this.known = new Map();
  }

  phase(level) {
    const count = this.proof.levels.length - 1;
    const { repeats } = this.proof;
    return level < count || repeats === null ? level : repeats + ((level - repeats) % (count - repeats));
  }

  of(level, code, edge) {
    if (!this.proof || !this.proof.codes || this.proof.is_recurrent) return null;
    const place = edge ? "edge" : "interior";
    const key = `${this.phase(level)} ${place}`;
    if (!this.known.has(key)) {
      const found = new Map();
      const values = this.proof.levels[this.phase(level)];
      for (const [element, action] of (values && values[place].pairs) || []) {
        const name = this.proof.codes[element];
        found.set(name, [...(found.get(name) || []), edge ? String(action) : mapText(this.proof.maps[action])]);
      }
      this.known.set(key, found);
    }
    const all = this.known.get(key).get(code);
    return all ? all.join(" or ") : null;
  }
}

function mapText(map) {
  const text = map.map((to, from) => `${from}→${to}`).join(" ");
  return cut(text, 120);
}

function showRun(run, machine, codes, tables) {
  const place = section("run-section", "Network and proof");
  const made = run.certificate;
  place.append(el("p", {}, quoted(run.name, 200), ", ", run.about[0][1]));
  place.append(facts(run.about.slice(1).map(([name, text]) => [name, quoted(text, 200)])));
  if (made === null) {
    place.append(el("p", { class: "note" }, `No proof is known of such a network: ${run.no_certificate}`));
  } else {
    const [verdict, tone] = made.refused ? ["not proved", "bad"] : VERDICTS[made.verdict];
    const about = [
      ...(made.strength === "snapped" ? ["with snapped vectors"] : []),
      ...(made.precision !== "weights" ? [`in ${made.precision}`] : []),
      ...(made.is_own ? [] : ["for another language"]),
    ];
    const name = made.refused ? verdict : [verdict, ...about].join(", ");
    place.append(el("p", { id: "verdict" }, el("strong", { class: `badge ${tone}` }, name), " ", quoted(made.statement, 2000)));
    if (made.refused) place.append(el("p", { class: "bad" }, made.refused));
    if (!made.is_own) place.append(el("p", { class: "note" }, "The certificate is about another language than the run was trained on."));
    if (made.facts.length) place.append(facts(made.facts));
    if (made.wrong) {
      place.append(facts([
        ["the network says", quoted(made.wrong.model)],
        ["the language says", quoted(made.wrong.language)],
        ...wrongPair(made.wrong.word, machine, tables),
      ]));
      place.append(el("button", { type: "button", id: "wrong", onclick: () => readWord(made.wrong.word) }, "Read the wrong word"));
    }
    place.append(el("details", {}, el("summary", {}, "Provided that …"), el("ul", {}, ...made.terms.map((term) => el("li", {}, term)))));
    if (!made.is_stored) place.append(el("p", { class: "note" }, "Certified for this page; lengthwise certify writes a certificate into the folder."));
  }
  if (run.tables === null && run.recurrent === null && run.slots === null) place.append(el("p", { class: "note" }, `Its tables are not in this page: ${run.no_tables}`));
  else if (run.tables !== null && run.tables.note) place.append(el("p", { class: "note" }, `Note: ${run.tables.note}.`));
  if (run.proof) place.append(levelsOf(run.proof, machine, codes, made));
}

// The pair at the root of the wrong word: what the network holds there, and the state it stands beside.
function wrongPair(text, machine, tables) {
  const { word } = encode(machine, text);
  if (!tables || !word) return [];
  const { levels, answer } = grow(tables, word);
  const state = statesOf(machine, word)[word.length];
  const held = tables.label(levels.length, levels[levels.length - 1][0].element, true);
  const name = (number) => cut(machine.class_names[number], 30);
  return [["the pair that fails",
    `level ${levels.length}, left edge: ${held} is read as ${name(answer)}, beside state ${state} of class ${name(machine.classes[state])}`]];
}

function levelsOf(proof, machine, codes, made) {
  const what = proof.is_recurrent ? "prefixes of this length" : "level";
  const rows = proof.levels.map((level, number) => [
    String(number), level.interior.count.toLocaleString("en"), level.edge.count.toLocaleString("en"), remark(proof, number, made)]);
  const columns = proof.is_recurrent ? [what, "", "new pairs", ""] : [what, "interior pairs", "edge pairs", ""];
  const picked = el("input", { id: "level", type: "range", min: 0, max: proof.levels.length - 1, value: proof.levels.length - 1 });
  const detail = el("div", { id: "level-detail", "aria-live": "polite" });
  const show = () => detail.replaceChildren(...levelDetail(proof, machine, codes, picked.valueAsNumber));
  picked.addEventListener("input", show);
  show();
  return el("div", {},
    el("h3", {}, made.verdict === "equivalent" && !made.refused ? "The proof, level by level" : "What was explored, level by level"),
    el("p", { class: "note" }, proof.is_recurrent
      ? "A pair is what the network keeps after a prefix, with the state that the prefix leads to."
      : "A pair is what a node of the network holds, with what its sub-word does to the states (interior) or the state it leads to (edge). The pairs of a level follow from those of the level below."),
    scrolled(table(columns, rows, "Levels of the proof"), "Levels of the proof"),
    el("div", { class: "field" }, el("label", { for: "level" }, proof.is_recurrent ? "Length of prefixes" : "Level"), picked),
    detail);
}

function remark(proof, number, made) {
  const last = proof.levels.length - 1;
  if (number === 0) return proof.is_recurrent ? "the empty word" : "symbols";
  if (number !== last) return "";
  if (made.verdict === "counterexample") return "the first with a wrong pair";
  if (proof.is_recurrent && made.verdict === "equivalent") return "nothing new: every longer prefix has been seen";
  return proof.repeats === null ? "" : `has the pairs of level ${proof.repeats}: every later level has been seen`;
}

function levelDetail(proof, machine, codes, number) {
  const name = (element) => number === 0 && !proof.is_recurrent ? machine.alphabet[element]
    : proof.codes ? codes.name(proof.codes[element]) : `${element}`;
  const shown = [];
  for (const [place, head, say] of [
    ["interior", "takes state", (map) => mapText(proof.maps[map])],
    ["edge", "state and its class", (state) => `${state}, class ${cut(machine.class_names[machine.classes[state]], 30)}`],
  ]) {
    const { pairs, count } = proof.levels[number][place];
    if (count === 0) continue;
    const where = proof.is_recurrent ? `Prefixes of ${counted(number, "symbol")}` : `level ${number}`;
    const title = proof.is_recurrent ? where : place === "interior" ? `Interior of ${where}` : `Left edge of ${where}`;
    if (pairs === null) {
      shown.push(el("p", { class: "note" }, `${title}: ${counted(count, "pair")}, too many to list.`));
      continue;
    }
    const rows = pairs.slice(0, 200).map(([element, action]) => [quoted(name(element), 30), say(action)]);
    const heading = el("h4", {}, `${title}, ${counted(count, "pair")}${count > 200 ? " (the first 200)" : ""}`);
    shown.push(el("div", { class: "pairs" }, heading,
      scrolled(table([number === 0 && !proof.is_recurrent ? "symbol" : "element", head], rows, title), title)));
  }
  return [el("div", { class: "beside top" }, ...shown)];
}
