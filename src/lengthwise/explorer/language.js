// The language: typed as a specification, answered by the server, and drawn.

const LONGEST_ADDRESS = 60000;

const MONOID_NOTE =
  "The tree of a network with chunks that is right at every length. Each node holds what its sub-word does " +
  "to the states, an element of the monoid, shown as the shortest word that does the same; colours are elements. " +
  "Dashed squares are pads at the left edge.";

function showForm(data) {
  const place = section("language-section", "Language");
  const typed = el("input", { id: "spec", type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off", dir: "auto" });
  const alphabet = el("input", { id: "alphabet", type: "text", spellcheck: "false", autocomplete: "off", size: 6, placeholder: "its own" });
  const examples = data.served ? data.examples : data.languages.map((each) => each.automaton.spec);
  const select = (spec) => {
    typed.value = spec;
    alphabet.value = "";
    ask();
  };
  const buttons = examples.map((spec) => el("button", { type: "button", class: "example", onclick: () => select(spec) }, quoted(spec)));
  const form = el("form", { id: "ask" },
    el("span", { class: "field grow" }, el("label", { for: "spec" }, "Regular expression (regex:…), name, group:… or function, such as add[base=10]"), typed),
    el("span", { class: "field" }, el("label", { for: "alphabet" }, "Alphabet"), alphabet),
    el("button", { type: "submit", id: "show" }, "Show"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  let machine = null; // the one that is shown
  if (data.served) place.append(form);
  place.append(el("div", { class: "row examples", role: "group", "aria-label": "Languages to show" }, ...buttons));
  if (data.served) place.append(automatonEditor(askDrawn, () => machine));
  showFunction(null); // its section stands before that of the word
  place.append(document.getElementById("status"), el("div", { id: "automaton" }));

  function ask() {
    const stored = data.languages.find((each) => each.automaton.spec === typed.value);
    if (stored && !alphabet.value) {
      latest += 1;
      show(stored);
    } else askServer(`spec=${addressed(typed.value)}&alphabet=${addressed(alphabet.value)}`, refuse);
  }

  function askDrawn(values) {
    askServer(`drawn=${addressed(JSON.stringify(values))}`, (found) => say(found.error, true), DRAWN_NAME);
  }

  let latest = 0;
  // Asks for a language and shows it, unless another is asked for in the meantime.
  async function askServer(query, refused, name = null) {
    const number = ++latest;
    if (query.length > LONGEST_ADDRESS) {
      refused({ error: `a language is too long to ask for: ${counted(query.length, "character")}. Shorten it.`, column: null });
      return;
    }
    say("…");
    let found;
    try {
      found = await (await fetch(`/api/language?${query}`)).json();
    } catch (error) {
      found = { error: "the server does not answer. Is lengthwise explore still running?", column: null };
    }
    if (number !== latest) return;
    if (found.error) {
      refused(found);
      return;
    }
    if (name !== null) found.automaton.spec = name;
    show(found);
  }

  function refuse(found) {
    typed.setAttribute("aria-invalid", "true");
    say(found.error, true);
    if (found.column === null || found.column === undefined) return;
    const head = /^\w+(\[.*?\])?:/.exec(typed.value);
    const before = Array.from(typed.value.slice(head ? head[0].length : 0)).slice(0, found.column - 1).join("");
    const place = (head ? head[0].length : 0) + before.length;
    typed.focus();
    typed.setSelectionRange(place, place + 1);
  }

  function show(found) {
    typed.setAttribute("aria-invalid", "false");
    const isOfRun = data.run !== null && found === data.languages[0];
    machine = found.automaton;
    showLanguage(found, isOfRun ? data.run : null);
    const { monoid } = found;
    say(found.stopped || `${counted(machine.num_states, "state")}${monoid && monoid.size ? `, monoid of ${counted(monoid.size, "element")}` : ""}`, Boolean(found.stopped));
  }

  typed.value = data.languages[0].automaton.spec;
  show(data.languages[0]);
}

function showLanguage(found, run) {
  const { automaton: machine, monoid, ladder } = found;
  for (const id of ["run-section", "film-section"]) {
    const about = document.getElementById(id);
    if (about !== null) about.hidden = run === null;
  }
  document.getElementById("subtitle").replaceChildren(quoted(machine.spec || "a language", 200));
  const drawn = automatonDrawing(machine);
  const sizes = facts([
    ["minimal automaton", `${counted(machine.num_states, "state")}${machine.num_classes < machine.class_names.length ? ", with those outside the domain" : ""}`],
    ["alphabet", listed(machine.alphabet)],
    ["classes", listed(machine.class_names.slice(0, machine.num_classes))],
  ]);
  document.getElementById("automaton").replaceChildren(
    el("div", { class: "beside" }, el("div", { class: "wide" }, drawn.drawing), sizes),
    ...[transitionTable(machine), machine.att && asFile(machine.att)].filter(Boolean));
  showFunction(machine.function);
  if (machine.transitions === null) {
    section("word-section", "A word, read").append(el("p", { class: "note" },
      `An automaton with ${counted(machine.num_states, "state")} is too large to read words in the page.`));
  } else if (run) showNetwork(run, machine, monoid, drawn);
  else showWords(machine, monoid, drawn);
  showMonoid(monoid);
  showLadder(ladder);
}

function showWords(machine, monoid, drawn) {
  const algebras = new Map();
  showReader({
    machine,
    note: MONOID_NOTE,
    chunks: [2, 3, 4],
    first: firstWord(machine),
    grow(word, text, chunkSize) {
      if (!algebras.has(chunkSize)) algebras.set(chunkSize, new MonoidAlgebra(machine, monoid, chunkSize));
      const algebra = algebras.get(chunkSize);
      return { algebra, tree: grow(algebra, word) };
    },
    light: drawn.light,
    answer(word, answer) {
      const who = `The word of ${counted(word.length, "symbol")} `;
      return answer < machine.num_classes ? [who, "has class ", quoted(machine.class_names[answer]), "."] : [who, "is outside the domain."];
    },
  });
}

// The automaton that was drawn as the text of a file, which the command line reads.
function asFile(text) {
  return el("details", { id: "as-file" }, el("summary", {}, "As a file, to train a network on it"),
    el("p", { class: "note" }, "Save this text as machine.att. Then: lengthwise train att:machine.att --out runs/mine"),
    el("textarea", { readonly: true, rows: 5, "aria-label": "The automaton in the AT&T format", dir: "auto" }, text));
}

// A text as a part of an address; halves of characters, which none can hold, are replaced.
function addressed(text) {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd"));
}

function listed(names) {
  const list = el("span");
  names.slice(0, 12).forEach((name) => list.append(quoted(name, 20), " "));
  if (names.length > 12) list.append(`… (${names.length} in all)`);
  return list;
}

// A word of 13 symbols, or the next shorter length that has one, that looks drawn at random and is the
// same each time.
function firstWord(machine) {
  let seed = 88172645;
  const draw = () => {
    for (const shift of [13, -17, 5]) seed ^= shift > 0 ? seed << shift : seed >>> -shift;
    return (seed >>> 0) / 4294967296;
  };
  for (let length = 13; length > 0; length--) {
    const word = drawnWord(machine, length, draw);
    if (word !== null) return word;
  }
  return "";
}
