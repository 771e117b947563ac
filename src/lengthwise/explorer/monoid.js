// The syntactic monoid as egg boxes: one box for each D-class, a row for each R-class, a column for
// each L-class, and a star at each idempotent. Products of elements never stand in a higher box.

function eggBoxes(monoid) {
  const idempotent = new Set(monoid.idempotent);
  const boxes = monoid.boxes.map((box, number) => {
    const rows = box.cells.map((row) => el("tr", {}, ...row.map((cell) => {
      const shown = el("td", cell.some((each) => idempotent.has(each)) ? { class: "starred" } : {});
      cell.forEach((each, at) => {
        if (at) shown.append(" ");
        if (idempotent.has(each)) shown.append(el("span", { class: "star", "aria-label": "idempotent" , role: "img" }, "★"));
        shown.append(quoted(monoid.words[each], 24));
      });
      return shown;
    })));
    const size = `${counted(box.rows, "R-class", "R-classes")} × ${counted(box.columns, "L-class", "L-classes")}`;
    return el("figure", {},
      scrolled(el("table", { class: "box" }, el("tbody", {}, ...rows)), `D-class ${number + 1}: ${size}`),
      el("figcaption", {}, `${size}, ${counted(box.elements, "element")}${box.is_group ? ", with groups in it" : ""}`));
  });
  return el("div", { class: "boxes" }, ...boxes);
}

function boxSizes(monoid) {
  const rows = monoid.boxes.map((box, number) =>
    [number + 1, box.rows, box.columns, box.per_cell, box.elements, box.idempotents].map((each) => each.toLocaleString("en")));
  return scrolled(
    table(["D-class", "rows (R)", "columns (L)", "in a cell (H)", "elements", "idempotents"], rows, "Sizes of the D-classes"),
    "Sizes of the D-classes");
}

function showMonoid(monoid) {
  const place = section("monoid-section", "Monoid");
  if (!monoid) {
    place.hidden = true;
    return;
  }
  if (monoid.refusal) {
    place.append(el("p", { class: "note" }, monoid.refusal));
    return;
  }
  const kind = monoid.is_group ? "it is a group" : monoid.is_aperiodic ? "all groups in it are trivial" : "it has groups in it, but is none";
  place.append(el("p", { class: "sub" },
    `What words do to the states: ${counted(monoid.size, "element")}, ${counted(monoid.num_idempotents, "idempotent")}; ${kind}.`));
  if (monoid.words === null) {
    place.append(boxSizes(monoid));
    if (monoid.num_boxes > monoid.boxes.length) {
      place.append(el("p", { class: "note" }, `The first ${monoid.boxes.length} of ${counted(monoid.num_boxes, "D-class", "D-classes")}.`));
    }
    return;
  }
  place.append(el("p", { class: "note" },
    "Each element is the shortest word that does it. Rows are R-classes, columns L-classes, ★ marks idempotents."), eggBoxes(monoid));
  if (monoid.num_boxes > monoid.boxes.length) {
    place.append(el("p", { class: "note" }, `The first ${monoid.boxes.length} of ${counted(monoid.num_boxes, "D-class", "D-classes")}.`));
  }
}
