/** Numbers and names for people. */

import { currentLanguage } from "../../i18n/index.js";

const inWords = (number, options) => Number(number ?? 0).toLocaleString(currentLanguage(), options);

export const count = (number) => inWords(number);

/** `9.4K` */
export const short = (number) => inWords(number, { notation: "compact", maximumFractionDigits: 1 });

/** US dollars; small sums are not rounded to nothing. */
export const money = (usd) => inWords(usd, { style: "currency", currency: "USD", ...(usd < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 }) });

export function duration(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

const TOOLS = {
  gns3_topology_reader: "Read the topology",
  execute_multiple_device_commands: "Run commands",
  execute_multiple_device_config_commands: "Configure devices",
  execute_vpcs_commands: "Run on hosts",
  get_gns3_templates: "List templates",
};

/** `start_gns3_node` -> "Start node" */
export function toolTitle(name) {
  if (Object.hasOwn(TOOLS, name)) return TOOLS[name];
  const words = name.replace(/gns3_/g, "").replace(/_/g, " ").trim() || "tool";
  return words[0].toUpperCase() + words.slice(1);
}
