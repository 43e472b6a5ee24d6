/** What an empty chat shows: a hello and some first questions; or, for a closed project, how to open it. */

import { currentProject } from "../state/select.js";
import { h, setChildren } from "./dom.js";
import { icon } from "./icons.js";

const PROMPTS = ["What is in this lab?", "Which devices are up?", "Show ip route on R1", "Ping PC2 from PC1"];

export function createEmpty(app) {
  const prompt = (text) => h("button", { type: "button", on: { click: () => app.chat.send(text) } }, text);
  const open = h("button", { type: "button", class: "primary", on: { click: () => app.report(app.projects.open()) } }, "Open project");
  const title = h("h2");
  const text = h("p");
  const prompts = h("div", { class: "prompts", role: "group", "aria-label": "Example questions" }, ...PROMPTS.map(prompt));
  const root = h("section", { class: "empty" }, h("span", { class: "empty-mark" }, icon("mark")), title, text, prompts);

  function show(state) {
    const project = currentProject(state);
    const closed = project !== null && project.status !== "opened";
    title.textContent = closed ? `“${project.name}” is closed` : "What shall we look at?";
    text.textContent = closed
      ? "Its devices are off and its chats are put away. Open it to go on."
      : "The copilot reads the topology and runs commands on the lab's devices.";
    setChildren(root, [root.firstChild, title, text, ...(closed ? [open] : project ? [prompts] : [])]);
    return root;
  }

  return { show };
}
