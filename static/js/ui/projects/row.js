/** One project in the list, and the questions before it is closed or deleted. */

import { t } from "../../i18n/index.js";
import { useFocusHeir } from "../lib/focus.js";
import { html, useEffect, useId, useRef, useState } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useApp } from "../lib/store.js";
import { Fault, useTask } from "./task.js";

export function ProjectRow({ project, current, close }) {
  const app = useApp();
  const [asks, setAsks] = useState(null);
  const root = useRef(null);
  const task = useTask();
  useFocusHeir(root, (node) => node.closest("dialog").querySelector("input"));
  const open = project.status === "opened";

  function show(work) {
    task.run(async () => {
      await work(project.project_id);
      close();
    });
  }

  const say = (work) => {
    setAsks(null);
    task.run(() => work(project.project_id));
  };
  return html`
    <li class="project-item" ref=${root} aria-current=${current ? "true" : null} aria-busy=${String(task.busy)} data-state=${project.status}>
      <div class="project-line">
        <span class="dot" data-node=${open ? "started" : "stopped"}></span>
        <span class="project-name">${project.name}</span>
        <span class="project-state">${t(open ? "projects.opened" : "projects.closed")}</span>
        <span class="project-actions">
          ${open && !current && html`<${Action} verb="show" name=${project.name} run=${() => show(app.projects.choose)} />`}
          ${!open && html`<${Action} verb="open" name=${project.name} run=${() => show(app.projects.open)} />`}
          ${open && html`<${Action} verb="close" name=${project.name} run=${() => setAsks("close")} />`}
          <${IconButton} icon="trash" className="small action-trash" label=${t("projects.delete_name", { name: project.name })} onClick=${() => setAsks("delete")} />
        </span>
      </div>
      ${asks === "close" && html`<${AskClose} name=${project.name} yes=${() => say(app.projects.close)} no=${() => setAsks(null)} />`}
      ${asks === "delete" && html`<${AskDelete} name=${project.name} yes=${() => say(app.projects.remove)} no=${() => setAsks(null)} />`}
      <${Fault} text=${task.fault} />
    </li>
  `;
}

function Action({ verb, name, run }) {
  const root = useRef(null);
  useFocusHeir(root, (node) => node.parentElement.lastElementChild);
  return html`<button type="button" class="plain small" ref=${root} aria-label=${t(`projects.${verb}_name`, { name })} onClick=${run}>${t(`projects.${verb}`)}</button>`;
}

function AskClose({ name, yes, no }) {
  return html`
    <${Ask} text=${t("projects.close_question", { name })} no=${no}>
      <button type="button" class="danger" onClick=${yes}>${t("projects.close_it")}</button>
    <//>
  `;
}

/** What cannot be undone takes the name. */
function AskDelete({ name, yes, no }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const field = html`
    <label class="project-typed" for=${id}>${t("projects.type_name", { name })}</label>
    <input id=${id} class="text-field" value=${typed} autocomplete="off" spellcheck=${false} onInput=${(event) => setTyped(event.target.value)} />
  `;
  return html`
    <${Ask} text=${t("projects.delete_question", { name })} no=${no} field=${field}>
      <button type="button" class="danger" disabled=${typed !== name} onClick=${yes}>${t("projects.delete_it")}</button>
    <//>
  `;
}

/** The question takes the focus, and gives it back to what stands over it. */
function Ask({ text, field, no, children }) {
  const root = useRef(null);
  useEffect(() => {
    const node = root.current;
    const before = document.activeElement;
    (node.querySelector("input") ?? node.querySelector("button")).focus();
    return () => before?.isConnected && before.focus();
  }, []);
  return html`
    <div class="project-ask" role="group" aria-label=${text} ref=${root}>
      <p>${text}</p>
      ${field}
      <div class="dialog-buttons">
        <button type="button" class="plain" onClick=${no}>${t("app.cancel")}</button>
        ${children}
      </div>
    </div>
  `;
}
