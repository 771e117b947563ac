// Elements of the page. Texts enter as text nodes only, so that nothing a user types is ever markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// A drawing that scrolls in its own box, also by keyboard, so that the page never scrolls sideways.
function scrolled(drawing, label) {
  return el("div", { class: "wide", tabindex: 0, role: "group", "aria-label": label }, drawing);
}

function counted(number, noun, plural = noun + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

// A text of at most so many characters; direction marks of a user cannot turn what follows it.
function cut(text, longest = 60) {
  const whole = Array.from(text);
  return whole.length <= longest ? text : whole.slice(0, longest - 1).join("") + "…";
}

// A user's text: as it is, isolated from the direction of the text around it.
function quoted(text, longest = 60) {
  return el("bdi", { class: "user" }, cut(text, longest) || "ε");
}

function facts(pairs) {
  const list = el("dl");
  for (const [name, value] of pairs) {
    const shown = el("dd");
    shown.append(value);
    list.append(el("dt", {}, name), shown);
  }
  return list;
}

function table(columns, rows, label) {
  const head = el("tr", {}, ...columns.map((name) => el("th", { scope: "col" }, name)));
  const body = rows.map((row) =>
    el("tr", {}, ...row.map((cell) => {
      const shown = el("td");
      shown.append(cell);
      return shown;
    }))
  );
  return el("table", { "aria-label": label }, el("thead", {}, head), el("tbody", {}, ...body));
}

// The section of the page with this id, emptied; a new one stands after those that were made before.
function section(id, title) {
  let found = document.getElementById(id);
  if (found === null) {
    found = el("section", { id, "aria-labelledby": `${id}-title` });
    document.getElementById("main").append(found);
  }
  found.replaceChildren(el("h2", { id: `${id}-title` }, title));
  found.hidden = false;
  return found;
}

function say(text, isBad = false) {
  const status = document.getElementById("status");
  status.textContent = text;
  status.classList.toggle("bad", isBad);
}

const CALM = window.matchMedia("(prefers-reduced-motion: reduce)");

// The colour of an element by its number: neighbours differ by the golden angle.
function hue(number) {
  return Math.round((number * 137.508 + 210) % 360);
}
