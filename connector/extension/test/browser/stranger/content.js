// Attacks from the page's own process, when the page says so.
document.addEventListener("attack", async () => {
  const root = document.documentElement;
  root.dataset.result = JSON.stringify(await globalThis.attack(root.dataset.attack));
});
