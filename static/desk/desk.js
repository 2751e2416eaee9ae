// Keys of an offering's screen, and care for what was typed. Everything works without them.
const claims = [...document.querySelectorAll("[data-claim]")];

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Where something can be typed, a letter is a letter.
  const at = event.target.closest("input, select, textarea") ? null : event.target.closest("[data-claim]");
  if (!at) return;
  if (event.key === "c" && !event.repeat) at.querySelector("[data-confirm]")?.click();
  const step = { j: 1, k: -1 }[event.key];
  if (step) claims[claims.indexOf(at) + step]?.focus();
}

document.addEventListener("keydown", onKey);

// Another button than the form's own would lose what was typed into it.
const entry = document.getElementById("entry");
let typed = false;
entry?.addEventListener("input", () => { typed = true; });
entry?.addEventListener("submit", () => { typed = false; });
window.addEventListener("beforeunload", (event) => { if (typed) event.preventDefault(); });
