/** Numbers and names for people. */

import { currentLanguage, t } from "../../i18n/index.js";

const inWords = (number, options) => Number(number ?? 0).toLocaleString(currentLanguage(), options);

export const count = (number) => inWords(number);

/** `9.4K` */
export const short = (number) => inWords(number, { notation: "compact", maximumFractionDigits: 1 });

/** US dollars; small sums are not rounded to nothing. */
export const money = (usd) => inWords(usd, { style: "currency", currency: "USD", ...(usd < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }) });

export function duration(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return t("app.milliseconds", { time: Math.round(ms) });
  if (ms < 60_000) return t("app.seconds", { time: inWords(ms / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });
  return t("app.minutes", { minutes: Math.floor(ms / 60_000), seconds: Math.round((ms % 60_000) / 1000) });
}

/** `4:05`, as on a watch. */
export function clockTime(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const TOOLS = new Set([
  "gns3_topology_reader", "execute_multiple_device_commands", "execute_multiple_device_config_commands", "execute_vpcs_commands",
  "get_gns3_templates", "create_gns3_node", "create_gns3_link", "start_gns3_node", "stop_gns3_node", "suspend_gns3_node",
  "update_gns3_node_name", "delete_gns3_node", "delete_gns3_link",
]);

/** What a tool does, in words; one that nobody knows by its name: `trace_gns3_path` -> "Trace path". */
export function toolTitle(name) {
  if (TOOLS.has(name)) return t(`tool.${name}`);
  const words = name.replace(/gns3_/g, "").replace(/_/g, " ").trim() || t("tool.unnamed");
  return words[0].toUpperCase() + words.slice(1);
}
