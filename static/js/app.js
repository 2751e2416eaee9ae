// Makes a working page quicker: every link and form below also works without this file.
(() => {
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;

  const nextTheme = { undefined: "light", light: "dark", dark: undefined };

  function switchTheme() {
    const theme = nextTheme[root.dataset.theme];
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    try {
      if (theme) localStorage.setItem("theme", theme);
      else localStorage.removeItem("theme");
    } catch {
      // Storage is blocked: the choice holds for this page.
    }
  }

  function closeMenus(except) {
    for (const menu of document.querySelectorAll(".menu[open]")) {
      if (!menu.contains(except)) menu.open = false;
    }
  }

  // One listener for a thousand cells; boosting each would slow every swap, and htmx would push
  // the cell's address over that of the table. Open-in-tab clicks stay the browser's.
  function openCell(event) {
    const cell = event.target.closest("[data-cells] td:not(.v) a, td[data-cells] a, a[data-cell]");
    if (!cell || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    htmx.ajax("GET", cell.getAttribute("href"), {
      source: cell.closest("[data-cells]"),
      target: "#cell-detail",
      // Not the table's own way of swapping, which would replace the target itself.
      swap: "innerHTML",
    });
  }

  document.addEventListener("click", (event) => {
    openCell(event);
    closeMenus(event.target);
    if (event.target.closest(".theme")) switchTheme();
    if (event.target.closest(".trouble button")) byId("trouble").hidden = true;
    // The dialog has no padding of its own: a click on the element itself is on its backdrop.
    if (event.target.matches("dialog")) event.target.close();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.activeElement.closest(".menu[open]");
    closeMenus();
    menu?.querySelector("summary").focus();
  });

  // What a swap would forget: where each part was scrolled, what was folded open, the open sheet
  // and the place of the focus.
  let kept;

  function keep() {
    kept = {
      focus: document.activeElement?.id,
      inside: document.activeElement?.closest("#browse") !== null,
      sheet: byId("filters")?.matches(":popover-open"),
      open: [...document.querySelectorAll("#browse details[id]")].map((d) => [d.id, d.open]),
      scroll: ["filters", "matrix"].map((id) => [id, byId(id)?.scrollTop, byId(id)?.scrollLeft]),
    };
  }

  function restore() {
    for (const [id, open] of kept.open) if (open && byId(id)) byId(id).open = true;
    if (kept.sheet) byId("filters").showPopover();
    for (const [id, top, left] of kept.scroll) byId(id)?.scrollTo({ top, left, behavior: "instant" });
    if (kept.inside) (byId(kept.focus) ?? byId("results")).focus({ preventScroll: true });
    byId("announce").textContent = byId("results").textContent;
  }

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.target?.id === "browse") keep();
  });

  document.addEventListener("htmx:afterSwap", ({ detail }) => {
    byId("trouble").hidden = true;
    if (detail.target?.id === "browse") restore();
    if (detail.target?.id === "cell-detail" && !byId("cell").open) byId("cell").showModal();
  });

  // Empty fields stay out of the address: one state, one address.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    for (const name of Object.keys(detail.parameters)) {
      if (detail.parameters[name] === "") delete detail.parameters[name];
    }
  });

  for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(name, ({ detail }) => {
      byId("trouble").hidden = false;
      byId("trouble").querySelector("a").href = detail.pathInfo.finalRequestPath;
    });
  }
})();
