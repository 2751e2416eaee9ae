// Copies the text that a button names. Without this file the texts are there to be selected.
(() => {
  const byId = (id) => document.getElementById(id);

  function select(element) {
    const range = document.createRange();
    range.selectNodeContents(element);
    const chosen = window.getSelection();
    chosen.removeAllRanges();
    chosen.addRange(range);
    element.focus({ preventScroll: true });
  }

  // The same words again would not be read aloud: the line is emptied first.
  function say(button, words) {
    const line = byId("announce");
    line.textContent = "";
    setTimeout(() => {
      line.textContent = words;
    }, 50);
    const shown = button.firstChild;
    button.dataset.label ??= shown.textContent;
    shown.textContent = words;
    clearTimeout(button.timer);
    button.timer = setTimeout(() => {
      shown.textContent = button.dataset.label;
    }, 2500);
  }

  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-copy]");
    if (!button) return;
    const text = byId(button.dataset.copy);
    try {
      // Not there where the page did not come over https.
      await navigator.clipboard.writeText(text.textContent);
      say(button, button.dataset.done);
    } catch {
      select(text);
      say(button, button.dataset.byHand);
    }
  });
})();
