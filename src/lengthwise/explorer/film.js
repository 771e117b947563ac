// The film of training: each point is the code of a word, projected to two axes that are the same for
// all frames. Colours are the states that words lead to. With reduced motion points jump, on request.

const FRAME_SECONDS = 0.3;
const FILM_SIDE = 1000;

const filming = { playing: 0, frames: [] };

function showFilm(run, machine) {
  const place = section("film-section", "Training, as a film");
  const { film } = run;
  if (film === null) {
    place.hidden = !run.no_film;
    place.append(el("p", { class: "note" }, run.no_film));
    return;
  }
  const last = film.frames.length - 1;
  const drawn = pointsDrawing(film, machine);
  const slider = el("input", { id: "frame", type: "range", min: 0, max: last, step: 1, value: last });
  const play = el("button", { type: "button", id: "play-film" });
  const said = el("p", { id: "film-figures", role: "status", "aria-live": "polite" });
  const timing = el("p", { id: "film-timing", class: "note" });
  place.append(
    el("p", { class: "sub" }, `The codes of ${counted(film.words.length, "word")} while the network learned them. A point is a word, a colour the state that it leads to. ` +
      "A code has one answer, so words of different classes need different codes."),
    el("div", { class: "beside" }, scrolled(drawn.drawing, "Codes of words"), el("div", {}, said, stateKey(film, machine))),
    el("div", { class: "row" }, play, el("span", { class: "field grow" }, el("label", { for: "frame" }, "Frame"), slider)),
    timing,
    el("p", { class: "note" }, `The axes are the two principal components of all frames together, with ${(100 * film.explained).toFixed(0)} % of the variance of the codes before they are rounded to bits.`),
    el("details", {}, el("summary", {}, "Frames as a table"), scrolled(table(
      ["step", "accuracy", "codes", "of several classes"],
      film.frames.map((frame) => [frame.step.toLocaleString("en"), accuracyOf(frame), String(frame.codes), String(frame.mixed)]),
      "Frames of the film"), "Frames of the film")));

  function still(number) {
    halt();
    slider.value = number;
    drawn.at(number);
    tell(number);
  }
  function tell(number) {
    const frame = film.frames[number];
    said.textContent = `Step ${frame.step.toLocaleString("en")}: ${frame.accuracy === null ? "before training" : `${accuracyOf(frame)} right in validation`}, ${counted(frame.codes, "code")}, ${frame.mixed} of them with words of several classes.`;
    slider.setAttribute("aria-valuetext", `step ${frame.step}, ${accuracyOf(frame)}`);
  }
  function halt() {
    if (filming.playing) cancelAnimationFrame(filming.playing);
    filming.playing = 0;
    said.setAttribute("aria-live", "polite");
    play.textContent = CALM.matches ? "Next frame" : "Play";
  }
  function start(from) {
    const times = [];
    let shown = -1;
    play.textContent = "Pause";
    timing.textContent = "";
    said.setAttribute("aria-live", "off"); // a moving film says nothing; its end does
    const step = (now) => {
      times.push(now);
      const at = Math.min(last, from + (now - times[0]) / 1000 / FRAME_SECONDS);
      drawn.at(at);
      if (Math.floor(at) !== shown) {
        shown = Math.floor(at);
        slider.value = shown;
        tell(shown);
      }
      if (at < last) filming.playing = requestAnimationFrame(step);
      else {
        filming.frames = times.slice(1).map((each, i) => each - times[i]).sort((a, b) => a - b);
        still(last);
        if (filming.frames.length) timing.textContent = `${counted(times.length, "frame")} drawn, the middle one in ${filming.frames[Math.floor(filming.frames.length / 2)].toFixed(1)} ms`;
      }
    };
    filming.playing = requestAnimationFrame(step);
  }
  slider.addEventListener("input", () => still(slider.valueAsNumber));
  play.addEventListener("click", () => {
    const now = slider.valueAsNumber;
    if (filming.playing) still(now);
    else if (CALM.matches) still(now === last ? 0 : now + 1);
    else start(now === last ? 0 : now);
  });
  CALM.addEventListener("change", () => still(slider.valueAsNumber));
  still(last);
}

function accuracyOf(frame) {
  return frame.accuracy === null ? "not measured" : `${(100 * frame.accuracy).toFixed(1)} %`;
}

// Draws the words; `at(number)` shows a frame, or a place between two.
function pointsDrawing(film, machine) {
  const recognises = isRecogniser(machine);
  const points = film.words.map((word, at) => {
    const state = film.states[at];
    const kind = machine.classes ? machine.classes[state] : 0;
    const circle = svg("circle", { r: 13, class: recognises && kind === 1 ? "point accepted" : "point" },
      svg("title", {}, `${cut(word, 40) || "ε"}: state ${state}${machine.classes ? `, class ${cut(machine.class_names[kind], 20)}` : ""}`));
    circle.style.setProperty("--hue", hue(state));
    return circle;
  });
  const drawing = svg("svg", { viewBox: `-40 -40 ${FILM_SIDE + 80} ${FILM_SIDE + 80}`, width: 420, height: 420, class: "film", role: "img" },
    svg("rect", { x: -38, y: -38, width: FILM_SIDE + 76, height: FILM_SIDE + 76, class: "frame" }), ...points);
  return {
    drawing,
    at(number) {
      const [from, share] = [Math.floor(number), number - Math.floor(number)];
      const [before, after] = [film.frames[from], film.frames[Math.min(from + 1, film.frames.length - 1)]];
      points.forEach((point, at) => {
        const [x, y] = [0, 1].map((axis) => before.points[at][axis] * (1 - share) + after.points[at][axis] * share);
        point.setAttribute("cx", x);
        point.setAttribute("cy", FILM_SIDE - y);
      });
      drawing.setAttribute("aria-label", `Codes of ${counted(film.words.length, "word")} at step ${before.step}: ${counted(before.codes, "code")}, ${before.mixed} with words of several classes`);
    },
  };
}

// The states that the words lead to, with their colours.
function stateKey(film, machine) {
  const counts = new Map();
  film.states.forEach((state) => counts.set(state, (counts.get(state) || 0) + 1));
  const rows = [...counts].sort(([one], [two]) => one - two).slice(0, MOST_STATES).map(([state, count]) => {
    const swatch = el("span", { class: "swatch" });
    swatch.style.setProperty("--hue", hue(state));
    return [el("span", {}, swatch, ` ${state}`), machine.classes ? quoted(machine.class_names[machine.classes[state]], 20) : "", String(count)];
  });
  return table(["state", "class", "words"], rows, "Colours of the states");
}
