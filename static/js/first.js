/** The colours that this person chose, before anything is painted: a classic script, so that it runs at once. What it reads, `app/preferences.js` keeps. */

try {
  document.documentElement.dataset.theme = JSON.parse(localStorage.getItem("copilot.preferences"))?.theme ?? "auto";
} catch {
  document.documentElement.dataset.theme = "auto"; // the browser keeps nothing here
}
