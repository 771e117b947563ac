// The page begins here: its data stands in it.

const DATA = JSON.parse(document.getElementById("data").textContent);
showForm(DATA);
requestAnimationFrame(() => setTimeout(showHeads)); // after the first paint
