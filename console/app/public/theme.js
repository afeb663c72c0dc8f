// Applies the theme before the first paint. A separate file, because the content security policy allows no inline script.
(function () {
  try {
    var theme = localStorage.getItem("reflect.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage, the system theme applies.
  }
})();
