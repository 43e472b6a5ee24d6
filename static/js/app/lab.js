/** The lab's nodes and links, read again after whatever may have changed them. */

import { api } from "../net/api.js";

const QUIET = 300; // ms: several events in a row are one look

export function createLab(app) {
  let timer = 0;

  async function read() {
    const { projectId } = app.store.get();
    try {
      const [nodes, links] = await Promise.all([api.nodes(projectId), api.links(projectId)]);
      show(projectId, { nodes, links, error: null });
    } catch (error) {
      show(projectId, { nodes: [], links: [], error: error.message });
    }
  }

  function show(projectId, lab) {
    if (app.store.get().projectId === projectId) app.store.dispatch({ type: "lab", lab });
  }

  return {
    refresh() {
      clearTimeout(timer);
      timer = setTimeout(read, QUIET);
    },
    read,
  };
}
