/** What a failure says to a person. */

import { t } from "../i18n/index.js";

/** `fetch` fails with a TypeError in the browser's own words when it did not reach the server. */
export function said(error) {
  return error instanceof TypeError || error.code === "connection_lost" ? t("app.unreachable") : error.message;
}
