"use strict";
// Before anything is drawn, so that nothing flashes: the reader's choice of light or dark, if there is one.
try {
  const theme = localStorage.getItem("balance-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* a browser may keep no memory of a file */ }
