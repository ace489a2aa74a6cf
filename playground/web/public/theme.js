// Which theme holds, before anything is drawn? src/theme/theme.ts says the rest, and the same.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("muse:theme");
  } catch {
    // storage is blocked: the system decides
  }
  if (theme !== "light" && theme !== "dark") {
    theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }
  document.documentElement.dataset.theme = theme;
})();
