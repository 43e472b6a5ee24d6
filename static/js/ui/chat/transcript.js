/** The conversation of the chosen chat. */

import { t } from "../../i18n/index.js";
import { isThinking } from "../../state/select.js";
import { rowsOf } from "../../state/turns.js";
import { Batch } from "../hitl/batch.js";
import { html, useLayoutEffect, useMemo } from "../lib/html.js";
import { Icon } from "../lib/icons.js";
import { useApp, useCell, useStore } from "../lib/store.js";
import { AssistantMessage } from "./assistant_message.js";
import { Empty } from "./empty.js";
import { Ending } from "./ending.js";
import { Older } from "./older.js";
import { Outgoing } from "./outgoing.js";
import { useScroll } from "./scroll.js";
import { UserMessage } from "./user_message.js";

export function Transcript() {
  const sessionId = useStore((state) => state.selected);
  return html`<${Conversation} key=${sessionId} sessionId=${sessionId} />`;
}

function Conversation({ sessionId }) {
  const transcript = useStore((state) => state.transcripts[sessionId] ?? null);
  const run = useStore((state) => state.runs[sessionId] ?? null);
  const items = transcript?.items ?? [];
  const { box, rows, away, toEnd } = useScroll(items[0]?.id ?? null);
  const sent = transcript?.outbox.at(-1)?.client_message_id;
  useLayoutEffect(() => void (sent && toEnd()), [sent]);
  return html`
    <div class="reading">
      <div class="scroll" ref=${box} role="log" aria-label=${t("app.conversation")} tabindex="0" aria-busy=${run !== null && run.status !== "waiting" ? "true" : null}>
        <div class="transcript" ref=${rows}>
          ${transcript?.hasMore && items.length > 0 && html`<${Older} sessionId=${sessionId} first=${items[0].id} box=${box} />`}
          ${isEmpty(transcript) ? html`<${Nothing} transcript=${transcript} sessionId=${sessionId} />` : html`<${Rows} ...${{ sessionId, transcript, run }} />`}
        </div>
      </div>
      <${Latest} hidden=${!away} box=${box} toEnd=${toEnd} />
    </div>
  `;
}

const isEmpty = (transcript) => !transcript || (transcript.items.length === 0 && transcript.outbox.length === 0);

function Nothing({ transcript, sessionId }) {
  if (transcript?.error) return html`<${Unreadable} why=${transcript.error} sessionId=${sessionId} />`;
  return transcript && !transcript.loaded ? html`<p class="loading">${t("chat.loading")}</p>` : html`<${Empty} />`;
}

function Unreadable({ why, sessionId }) {
  const { history } = useApp();
  return html`
    <div class="notice" data-tone="error" role="alert">
      <p>${t("chat.unreadable", { why })}</p>
      <p class="advice"><button type="button" class="link" onClick=${() => history.load(sessionId)}>${t("chat.next.retry")}</button></p>
    </div>
  `;
}

function Rows({ sessionId, transcript, run }) {
  const edited = useCell(useApp().editing);
  const asking = useStore((state) => state.asking[sessionId] ?? null);
  const { items, outbox } = transcript;
  const rows = useMemo(() => rowsOf(items), [items]);
  const replaced = edited?.sessionId === sessionId ? edited.messageId : outbox.find((entry) => entry.replaces && entry.state !== "failed")?.replaces;
  const from = replaced ? rows.findIndex((row) => row.item.id === replaced) : -1;
  const idle = run === null && outbox.length === 0;
  const last = items.findLast((item) => item.kind === "user");
  return html`
    ${rows.map((row, at) => html`
      <${Row} key=${`${row.kind}:${row.item.id}`} row=${row} asking=${asking} going=${from >= 0 && at >= from} last=${idle && row.item === last} sessionId=${sessionId} />
    `)}
    ${isThinking(transcript, run) && html`<${Thinking} key="thinking" />`}
    ${waiting(asking) > 1 && html`<${Batch} key=${asking.prompt.id} prompt=${asking.prompt} />`}
    ${outbox.map((entry) => html`<${Outgoing} key=${entry.client_message_id} entry=${entry} />`)}
  `;
}

const waiting = (asking) => Object.keys(asking?.prompt?.tools ?? {}).length;

function Row({ row, asking, going, last, sessionId }) {
  const { kind, item } = row;
  if (kind === "user") return html`<${UserMessage} item=${item} going=${going} editIn=${last ? sessionId : null} />`;
  if (kind === "ending") return html`<${Ending} item=${item} tools=${row.tools} last=${last} going=${going} />`;
  return html`<${AssistantMessage} item=${item} asking=${asking} end=${row.end} going=${going} />`;
}

function Thinking() {
  return html`<p class="thinking"><span class="visually-hidden">${t("chat.working")}</span><i /><i /><i /></p>`;
}

/** Leads to the end, where the conversation goes on. */
function Latest({ hidden, box, toEnd }) {
  function go() {
    box.current.focus({ preventScroll: true });
    toEnd();
  }
  return html`<button type="button" class="jump" hidden=${hidden} onClick=${go}><${Icon} name="down" />${t("chat.latest")}</button>`;
}
