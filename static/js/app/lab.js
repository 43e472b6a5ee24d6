/** The lab's nodes and links: read when the page opens a project and when something may have been missed; events change them. */

import { api } from "../net/api.js";
import { said } from "./words.js";

const QUIET = 300; // ms: several reasons in a row are one look
const EMPTY = { nodes: [], links: [] };

export function createLab(app) {
  const { store } = app;
  let timer = 0;
  let reads = 0;
  let reading = false;

  /** Of several reads the last one counts. What could not be read leaves what was known, and says so. */
  async function read() {
    const { projectId } = store.get();
    const mine = ++reads;
    reading = true;
    const lab = await look(projectId);
    if (mine !== reads) return;
    reading = false;
    if (store.get().projectId === projectId) store.dispatch({ type: "lab", lab: { ...(store.get().lab ?? EMPTY), ...lab } });
  }

  function refresh() {
    clearTimeout(timer);
    timer = setTimeout(read, QUIET);
  }

  return {
    read,
    refresh,
    /** An event has changed the state's lab; a read under way may be older than it. */
    changed: () => reading && refresh(),
    /** @returns {Promise<string[]>} the last lines that the copilot saw on a console */
    tail: async (nodeId, lines) => (await api.consoleTail(store.get().projectId, nodeId, lines)).lines,
  };
}

async function look(projectId) {
  try {
    const [nodes, links] = await Promise.all([api.nodes(projectId), api.links(projectId)]);
    return { nodes, links, error: null };
  } catch (error) {
    return { error: said(error) };
  }
}
