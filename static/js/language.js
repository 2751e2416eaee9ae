// Filters change the address without a new page: the switcher takes along what it says now.
document.addEventListener("click", (event) => {
  const link = event.target.closest(".languages a");
  if (link && !new URLSearchParams(link.search).has("lang")) {
    link.search = location.search;
    link.hash = location.hash;
  }
});
