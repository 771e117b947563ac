// The tree of chunks of a word. Nodes light up as soon as their last symbol is read. Of a long word
// the top levels are drawn.

const MOST_LEAVES = 256;
const MOST_ON_TOP = 48;
const ROW = 46;

// The levels that are drawn: `rows[0]` are the symbols, or the lowest level that is narrow enough.
function rowsOf(tree) {
  const rows = [tree.symbols, ...tree.levels];
  if (tree.symbols.length <= MOST_LEAVES) return { rows, lowest: 0 };
  const lowest = rows.findIndex((row) => row.length <= MOST_ON_TOP);
  return { rows: rows.slice(lowest), lowest };
}

function widthOf(leaves) {
  return leaves <= 16 ? 48 : leaves <= 32 ? 34 : leaves <= 64 ? 22 : leaves <= 128 ? 14 : 11;
}

// Draws a tree; `light(t)` shows what is known after t symbols, and `onpick` is told of the node that
// is chosen by the mouse or by the arrow keys.
function treeDrawing(tree, algebra, machine, onpick) {
  const { rows, lowest } = rowsOf(tree);
  const width = widthOf(rows[0].length);
  const left = width * algebra.chunkSize;
  const bottom = 24 + ROW * (rows.length - 1);
  const xs = [rows[0].map((_, at) => left + at * width)];
  for (const row of rows.slice(1)) {
    const below = xs[xs.length - 1];
    xs.push(row.map((node) => (node.to > node.from ? (below[node.from] + below[node.to - 1]) / 2 : left)));
  }
  const lines = svg("g", { class: "lines" });
  const nodes = svg("g");
  const drawn = [];
  const groups = rows.map((row, at) => row.map((node, number) => {
    const level = lowest + at;
    const [x, y] = [xs[at][number], bottom - ROW * at];
    const group = svg("g", { class: "node" });
    if (level === 0) {
      group.append(svg("text", { x, y: y + 5, class: width < 14 ? "symbol tiny" : "symbol" },
        cut(machine.alphabet[node.element], Math.max(1, Math.floor(width / 9)))));
    } else {
      const radius = Math.min(9, width * 0.62 + at);
      const circle = svg("circle", { cx: x, cy: y, r: radius });
      circle.style.setProperty("--hue", algebra.colour(level, node.element, node.edge));
      group.append(circle);
      const space = (row.length > 1 ? width * algebra.chunkSize ** at : 120) / 7.5;
      if (space >= 3) {
        group.append(svg("text", { x: x + radius + 3, y: y - 3, class: "label" }, cut(algebra.label(level, node.element, node.edge), Math.min(12, Math.floor(space)))));
      }
      if (at > 0) {
        const ends = xs[at - 1].slice(node.from, node.to);
        for (let pad = 1; pad <= node.pads; pad++) {
          const px = (ends.length ? ends[0] : left) - pad * Math.min(width, 26);
          const py = bottom - ROW * (at - 1);
          nodes.append(svg("rect", { x: px - 4, y: py - 4, width: 8, height: 8, class: "pad" }));
          lines.append(svg("path", { d: `M${px},${py - 5} L${x},${y + radius}`, class: "pad" }));
        }
        const path = svg("path", { d: ends.map((cx) => `M${cx},${y + ROW - 10} L${x},${y + radius}`).join(" ") || "M0,0" });
        lines.append(path);
        drawn.push([node.end, path]);
      }
    }
    group.addEventListener("click", () => pick(at, number));
    nodes.append(group);
    drawn.push([node.end, group]);
    return group;
  }));
  if (lowest > 0) {
    nodes.append(svg("text", { x: left, y: bottom + 34, class: "below" },
      `${counted(tree.symbols.length, "symbol")} and ${counted(lowest - 1, "level")} below`));
  }
  drawn.sort((one, two) => one[0] - two[0]);
  const across = left + rows[0].length * width + 12;
  const label = `Tree of ${counted(tree.levels.length, "level")} over ${counted(tree.symbols.length, "symbol")}. Arrow keys walk through its nodes.`;
  const drawing = svg("svg", {
    viewBox: `0 0 ${across} ${bottom + 48}`, width: across, height: bottom + 48, class: "tree", role: "group",
    tabindex: 0, "aria-label": label,
  }, lines, nodes);

  let picked = null;
  function pick(at, number) {
    if (picked) groups[picked[0]][picked[1]].classList.remove("picked");
    picked = [at, number];
    groups[at][number].classList.add("picked");
    onpick(lowest + at, rows[at][number], lowest + at > 0 ? childrenOf(lowest + at, rows[at][number]) : []);
  }
  function childrenOf(level, node) {
    const below = level === 1 ? tree.symbols : tree.levels[level - 2];
    return below.slice(node.from, node.to);
  }
  drawing.addEventListener("keydown", (event) => {
    const [at, number] = picked || [rows.length - 1, 0];
    const node = rows[at][number];
    const next = {
      ArrowLeft: [at, number - 1],
      ArrowRight: [at, number + 1],
      ArrowUp: [at + 1, at + 1 < rows.length ? rows[at + 1].findIndex((up) => up.from <= number && number < up.to) : 0],
      ArrowDown: at > 0 ? [at - 1, node.from] : null,
      Home: [rows.length - 1, 0],
    }[event.key];
    if (!next || !rows[next[0]] || !rows[next[0]][next[1]]) return;
    event.preventDefault();
    pick(...next);
    groups[next[0]][next[1]].scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  let shown = 0;
  return {
    drawing,
    lowest,
    light(t) {
      while (shown < drawn.length && drawn[shown][0] <= t) drawn[shown++][1].classList.add("on");
      while (shown > 0 && drawn[shown - 1][0] > t) drawn[--shown][1].classList.remove("on");
    },
  };
}
