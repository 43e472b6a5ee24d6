/** A model configuration in the list: what it is, a trial of it, and what can be done with it. */

import { models } from "../../app/models.js";
import { t } from "../../i18n/index.js";
import { duration } from "../lib/format.js";
import { useFocusBack, useFocusHeir } from "../lib/focus.js";
import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { useApp, useCell } from "../lib/store.js";

export function ModelRow({ config }) {
  const trial = useCell(models.trials)[config.config_id];
  const [leaving, setLeaving] = useState(false);
  const root = useRef(null);
  useFocusBack(leaving, () => root.current.querySelector(".model-actions button:last-child"));
  useFocusHeir(root, () => document.querySelector(".add-model"));
  return html`
    <li ref=${root} class="model">
      <div class="model-head">
        <h3>${config.name}</h3>
        ${config.is_default && html`<span class="model-default">${t("models.default")}</span>`}
      </div>
      <p class="model-about">${[config.config.provider, config.config.model, config.config.base_url].filter(Boolean).join(" · ")}</p>
      ${leaving ? html`<${Leave} config=${config} keep=${() => setLeaving(false)} />` : html`<${Actions} config=${config} busy=${trial?.busy} leave=${() => setLeaving(true)} />`}
      <p class="model-trial" role="status"><${Trial} trial=${trial} /></p>
    </li>
  `;
}

function Actions({ config, busy = false, leave }) {
  const { report } = useApp();
  const { config_id: id, name } = config;
  const action = (key, run, more = {}) => html`
    <button type="button" class="plain" aria-label=${`${t(`models.${key}`)}: ${name}`} onClick=${() => report(run())} ...${more}>${t(`models.${key}`)}</button>
  `;
  return html`
    <div class="model-actions">
      ${action("test", () => models.test(id), { "aria-busy": String(busy) })}
      ${action("edit", () => models.edit(config))}
      ${!config.is_default && action("choose", () => models.choose(id))}
      ${action("remove", leave)}
    </div>
  `;
}

/** A second step: the key is gone with it. */
function Leave({ config, keep }) {
  const { report } = useApp();
  const safe = useRef(null);
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => safe.current.focus(), []);

  async function remove() {
    if (busy) return;
    setBusy(true);
    await report(models.remove(config.config_id));
    setBusy(false);
  }

  return html`
    <div class="model-actions">
      <p>${t("models.remove_ask", { name: config.name })}</p>
      <button type="button" class="danger" aria-disabled=${String(busy)} onClick=${remove}>${t("models.remove")}</button>
      <button type="button" ref=${safe} class="plain" onClick=${keep}>${t("models.keep")}</button>
    </div>
  `;
}

function Trial({ trial }) {
  if (!trial) return null;
  if (trial.busy) return t("models.testing");
  const took = trial.latency_ms === undefined ? "" : t("models.took", { time: duration(trial.latency_ms), model: trial.model });
  if (trial.ok) return html`<b class="good">${t(trial.tools ? "models.works" : "models.works_no_tools")}</b>${took}`;
  return html`<b class="bad">${t(headlineOf(trial.code))}</b>${trial.message}`;
}

const NAMED = new Set([
  "llm_not_configured", "llm_not_allowed", "llm_unknown_host", "llm_tls", "llm_wrong_path", "llm_unknown_model", "llm_no_tools",
  "llm_auth", "llm_rate_limited", "llm_timeout", "llm_unavailable", "llm_bad_response", "llm_context_length",
]);

const headlineOf = (code) => `models.fault.${NAMED.has(code) ? code : "other"}`;
