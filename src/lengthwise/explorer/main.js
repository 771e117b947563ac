// The page begins here: its data stands in it.

const DATA = JSON.parse(document.getElementById("data").textContent);
showForm(DATA);
requestAnimationFrame(() => setTimeout(() => { // after the first paint
  showHeads();
  showCircuit(DATA.circuit);
}));
