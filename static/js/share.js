// Makes a share without leaving the page and puts its link on the clipboard; without this file the
// form leads to the share.
(() => {
  async function made(form) {
    const answer = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(new FormData(form)),
    });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.detail);
    return told.url;
  }

  // Some browsers write only what a click began: the item is handed over before its text is known.
  async function copy(link) {
    const text = link.then((url) => new Blob([url], { type: "text/plain" }));
    text.catch(() => {}); // a clipboard that has given up no longer asks how it went
    try {
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
      return true;
    } catch {
      return false;
    }
  }

  function say(form, words, url) {
    const said = form.querySelector(".shared");
    const link = Object.assign(document.createElement("a"), { href: url, textContent: url, className: "ltr" });
    said.replaceChildren(...(url ? [link, " "] : []), words);
    said.hidden = false;
    document.getElementById("announce").textContent = url ? `${words} ${url}` : words;
  }

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("form.share")) return;
    event.preventDefault();
    const button = form.querySelector("button");
    button.setAttribute("aria-busy", "true");
    const link = made(form);
    try {
      const copied = await copy(link);
      const url = await link;
      say(form, copied ? form.dataset.copied : form.dataset.made, url);
    } catch (fault) {
      // A refusal says why; a connection that failed has a page of its own to say so.
      if (fault instanceof TypeError || fault instanceof SyntaxError) form.submit();
      else say(form, fault.message);
    }
    button.removeAttribute("aria-busy");
  });
})();
