// The ladder of classes: which transformer can carry the language, and the reasons.

function showLadder(ladder) {
  const place = section("ladder-section", "Which transformer can carry it");
  if (!ladder) {
    place.hidden = true;
    return;
  }
  place.append(facts(ladder.advice));
  const said = { true: "yes", false: "no", null: "not decided" };
  const rows = ladder.verdicts.map((verdict) => [
    verdict.name,
    el("span", { class: verdict.holds === true ? "good" : "soft" }, said[verdict.holds]),
    verdict.says,
  ]);
  place.append(el("details", {}, el("summary", {}, "All classes, with the reasons"),
    table(["class", "is it", "because"], rows, "Classes of the language")));
}
