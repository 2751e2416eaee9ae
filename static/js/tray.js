// What is ticked to compare: kept through swaps, in the order of ticking, six at most.
(() => {
  const LIMIT = 6;
  // "provider/offering" → name, also of rows that filters have taken off the page.
  const picked = new Map();

  const byId = (id) => document.getElementById(id);
  const boxes = () => document.querySelectorAll("#matrix [form=tray]");

  // An entry of the tray: a ticked box of its own, to take the offering away again.
  function entry([key, name]) {
    const item = document.createElement("li");
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: key });
    box.defaultChecked = true;
    label.append(box, name);
    item.append(label);
    return item;
  }

  function draw() {
    const tray = byId("tray");
    if (!tray) return;
    const full = picked.size >= LIMIT;
    for (const box of boxes()) {
      box.checked = picked.has(box.value);
      box.disabled = full && !box.checked;
    }
    tray.querySelector("ul").replaceChildren(...[...picked].map(entry));
    tray.querySelector("b").textContent = picked.size;
    tray.querySelector(".full").hidden = !full;
  }

  function say() {
    const tray = byId("tray");
    const full = tray.querySelector(".full");
    byId("announce").textContent =
      tray.querySelector("[type=submit]").textContent + (full.hidden ? "" : `. ${full.textContent}`);
  }

  function pick(box) {
    if (box.checked) picked.set(box.value, box.getAttribute("aria-label"));
    else picked.delete(box.value);
  }

  document.addEventListener("change", ({ target }) => {
    if (target.form?.id !== "tray") return;
    const inTray = target.closest("#tray");
    pick(target);
    draw();
    // The entry that was unticked is gone, and the focus with it.
    if (inTray) (byId("tray").querySelector("li input") ?? byId("results")).focus();
    say();
  });

  // What is sent is all that was ticked, in that order, and not the boxes that happen to be there.
  document.addEventListener("formdata", ({ target, formData }) => {
    if (target.id !== "tray") return;
    const rest = [...formData].filter(([name]) => name !== "o");
    for (const name of new Set(formData.keys())) formData.delete(name);
    for (const [name, value] of [...[...picked.keys()].map((key) => ["o", key]), ...rest]) formData.append(name, value);
  });

  document.addEventListener("reset", ({ target }) => {
    if (target.id !== "tray") return;
    picked.clear();
    // After the browser has put every box back.
    setTimeout(() => {
      draw();
      byId("results").focus({ preventScroll: true });
    });
  });

  for (const name of ["htmx:afterSwap", "htmx:historyRestore"]) document.addEventListener(name, draw);

  // A page that comes back from history brings its ticks along.
  window.addEventListener("pageshow", () => {
    for (const box of boxes()) if (box.checked) pick(box);
    draw();
  });
})();
