/** The settings: pages in one dialog. Which one is shown stands with the open dialog, so that it outlives another language. */

import { t } from "../../i18n/index.js";
import { Dialog } from "../lib/dialog.js";
import { html, names, useId } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useApp } from "../lib/store.js";
import { AboutPage } from "./about_page.js";
import { AppearancePage } from "./appearance_page.js";
import { LimitsPage } from "./limits_page.js";
import { ModelsPage } from "./models_page.js";

const PAGES = { models: ModelsPage, limits: LimitsPage, appearance: AppearancePage, about: AboutPage };

/** @param {{page?: "models"|"limits"|"appearance"|"about", focus?: string, close: () => void}} props  `focus`: id of the field to begin at */
export function Settings({ page = "models", focus, close }) {
  const id = useId();
  return html`
    <${Dialog} title=${t("settings.title")} className="settings" close=${close}>
      <${IconButton} icon="cross" className="dialog-close" label=${t("app.close")} onClick=${close} />
      <${Tabs} id=${id} page=${page} />
      <div class="settings-page" role="tabpanel" id=${`${id}-page`} aria-labelledby=${`${id}-${page}`}><${PAGES[page]} focus=${focus} /></div>
    <//>
  `;
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

function Tabs({ id, page }) {
  const { dialog } = useApp();
  const pages = Object.keys(PAGES);
  const show = (next) => dialog.set({ ...dialog.get(), props: { page: next } });

  function walk(event) {
    if (!STEPS[event.key]) return;
    event.preventDefault();
    const next = pages.at((pages.indexOf(page) + STEPS[event.key]) % pages.length);
    show(next);
    document.getElementById(`${id}-${next}`).focus();
  }

  return html`
    <div class="settings-tabs" role="tablist" aria-label=${t("settings.pages")} onKeyDown=${walk}>
      ${pages.map((one) => html`
        <button type="button" key=${one} id=${`${id}-${one}`} role="tab" class=${names("settings-tab", { selected: one === page })} aria-selected=${String(one === page)}
          aria-controls=${`${id}-page`} tabindex=${one === page ? 0 : -1} onClick=${() => show(one)}>${t(`settings.${one}`)}</button>
      `)}
    </div>
  `;
}
