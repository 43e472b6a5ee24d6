/** What a failure says to a person, and what a chat is called. */

import { t } from "../i18n/index.js";
import { refusal } from "../i18n/server.js";

/** `fetch` fails with a TypeError in the browser's own words when it did not reach the server. */
export function said(error) {
  return error instanceof TypeError || error.code === "connection_lost" ? t("app.unreachable") : refusal(error);
}

const UNTITLED = "New Conversation"; // the server's, until it has a title

/** @param {{title: string}} session */
export const titleOf = ({ title }) => (title === UNTITLED ? t("chats.untitled") : title);
