// Puts a page's table on the clipboard as Markdown. Without this file the same table is a link.
(() => {
  // What is longer is no table to paste but a file to keep.
  const LIMIT = 1_000_000;

  class TooLong extends Error {}

  async function table(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.status);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
      if (text.length > LIMIT) {
        reader.cancel();
        throw new TooLong();
      }
    }
  }

  // Some browsers write only what a click began: the item is handed over before its text is known.
  async function copy(text) {
    const blob = text.then((known) => new Blob([known], { type: "text/plain" }));
    blob.catch(() => {}); // a clipboard that has given up no longer asks how it went
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  }

  // Shown in the button and read aloud; the same words again would not be, so the line is emptied.
  function say(button, words) {
    const line = document.getElementById("announce");
    line.textContent = "";
    setTimeout(() => {
      line.textContent = words;
    }, 50);
    button.dataset.label ??= button.textContent;
    button.textContent = words;
    clearTimeout(button.timer);
    button.timer = setTimeout(() => {
      button.textContent = button.dataset.label;
    }, 4000);
  }

  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-table]");
    if (!button) return;
    button.setAttribute("aria-busy", "true");
    const text = table(button.dataset.table);
    try {
      await copy(text);
      say(button, button.dataset.copied);
    } catch {
      // The clipboard hides what went wrong with the text.
      const why = await text.catch((fault) => fault);
      say(button, why instanceof TooLong ? button.dataset.long : button.dataset.failed);
    }
    button.removeAttribute("aria-busy");
  });
})();
