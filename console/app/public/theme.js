// Sets the chosen theme before anything is painted. Its own file because the page's policy allows no inline script.
(function () {
  try {
    var theme = localStorage.getItem("reflect.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // A browser that keeps nothing follows the system.
  }
})();
