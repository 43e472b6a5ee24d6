/** Copy buttons, for the whole page: one listener. Plain http has no `navigator.clipboard`, so there is a second way. */

export function listenForCopies(root) {
  root.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const label = button.querySelector("span");
    label.textContent = (await copy(button.closest("figure").querySelector("code").textContent)) ? "Copied" : "Failed";
    setTimeout(() => (label.textContent = "Copy"), 1500);
  });
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
