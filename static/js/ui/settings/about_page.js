/** What this is, how it is connected, its keys, and the way out. */

import { nameOf } from "../../app/people.js";
import { t } from "../../i18n/index.js";
import { api } from "../../net/api.js";
import { wantedCodec } from "../../net/codecs.js";
import { html, useEffect, useState } from "../lib/html.js";
import { useApp, useStore } from "../lib/store.js";
import { openHelp } from "../shortcuts.js";

export function AboutPage() {
  const app = useApp();
  const [version, setVersion] = useState("");
  const user = useStore((state) => state.userId);
  const way = useStore(({ connection, link }) => (connection === "connected" ? link.way : "none"));
  const read = async () => setVersion((await api.health()).version);
  useEffect(() => void app.report(read()), []);
  const facts = {
    version,
    user: nameOf(user) ?? "",
    connection: t(`settings.connection.${way === "socket" ? wantedCodec(location.search).protocol.split("+")[1] : way}`),
  };
  return html`
    <dl class="facts">${Object.entries(facts).map(([key, value]) => html`<dt key=${`${key}-name`}>${t(`settings.${key}`)}</dt><dd key=${key}>${value}</dd>`)}</dl>
    <div class="about-actions">
      <button type="button" class="plain" onClick=${() => openHelp(app)}>${t("keys.title")}</button>
      <button type="button" class="plain" onClick=${() => app.report(app.logOut())}>${t("settings.log_out")}</button>
    </div>
  `;
}
