// A run: its language, its proof, and words as the network reads them.

const CODES = new Codes();

const RUN_NOTE =
  "The tree as this network computes it: each node is the code that its memory holds, and equal colours are equal codes. " +
  "Dashed squares are pads at the left edge.";
const PLAIN_NOTE = "This network makes no tree of codes here; the tree is that of the language, and the answer that of the network.";

const SLOT_NOTE =
  "The tree as this network computes it: a node is what its slots hold, and equal colours are equal nodes. " +
  "Dashed squares are pads at the left edge.";
const FILE_NOTE =
  "This page is a file and cannot run the network. The tree and the answer are those of the language; " +
  "give the run's folder to lengthwise explore, without --out, and the network reads the word.";

async function asked(text) {
  const query = `word=${addressed(text)}`;
  if (query.length > LONGEST_ADDRESS) throw new Error("the word is too long to send to the server. Shorten it.");
  const response = await fetch(`/api/word?${query}`);
  const found = await response.json();
  if (found.error) throw new Error(found.error);
  return found;
}

function showNetwork(run, machine, monoid, drawn) {
  const actions = new Actions(run.proof);
  const plain = new MonoidAlgebra(machine, monoid, 2);
  const network = run.recurrent && new RecurrentNetwork(run.recurrent);
  const slots = run.slots && new SlotAlgebra(run.slots, machine);
  const tables = run.tables && new TableAlgebra(run.tables, machine, CODES, actions);
  const within = tables || slots;
  const isAlone = !within && !network && !DATA.served;
  showRun(run, machine, CODES, tables);
  showReader({
    machine,
    network,
    note: network ? PATH_NOTE : slots ? SLOT_NOTE : isAlone ? FILE_NOTE : tables || run.num_bits ? RUN_NOTE : PLAIN_NOTE,
    chunks: [within ? within.chunkSize : run.chunk_size || 2],
    first: run.certificate && run.certificate.wrong ? run.certificate.wrong.word : firstWord(machine),
    async grow(word, text) {
      const end = machine.classes[statesOf(machine, word)[word.length]];
      if (end >= machine.num_classes) throw new Error(OUTSIDE);
      const algebra = within || (isAlone && plain);
      if (algebra) return { algebra, tree: grow(algebra, word) };
      if (network && (word.length <= network.longest || !DATA.served)) {
        const path = await readBy(network, word, () => reader.word === text);
        return { path, tree: { answer: path.answers[word.length] } };
      }
      const found = await asked(text);
      if (!found.levels) return { algebra: plain, tree: { ...grow(plain, word), answer: found.answer } };
      const recorded = new RecordedAlgebra(found, machine, CODES, actions, run.num_bits, run.chunk_size);
      return { algebra: recorded, tree: grow(recorded, word) };
    },
    light: drawn.light,
    answer(word, answer, state) {
      const right = machine.classes[state];
      if (isAlone) return [`The language says class `, quoted(machine.class_names[right]), ` of the word of ${counted(word.length, "symbol")}.`];
      const said = [`The network says class `, quoted(machine.class_names[answer]), ` of the word of ${counted(word.length, "symbol")}; `];
      if (right === answer) return [...said, "so does the language."];
      return [...said, el("strong", { class: "bad" }, "the language says class ", quoted(machine.class_names[right])), "."];
    },
  });
  showFilm(run, machine);
}

function readWord(text) {
  const typed = document.getElementById("word");
  typed.value = text;
  typed.dispatchEvent(new Event("input"));
  document.getElementById("word-section").scrollIntoView({ block: "start" });
  typed.focus();
}
