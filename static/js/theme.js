// Runs before the first paint, so that a chosen theme never flashes the other one.
(() => {
  const root = document.documentElement;
  root.dataset.script = "";
  try {
    const theme = localStorage.getItem("theme");
    if (theme) root.dataset.theme = theme;
  } catch {
    // Storage is blocked: the system's theme stays.
  }
})();
