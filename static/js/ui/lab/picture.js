/** The topology as a picture. What it shows is said in words beside it. */

import { t } from "../../i18n/index.js";
import { pictureOf, wiring } from "../../state/topology.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { IconButton } from "../lib/icons.js";
import { useStore } from "../lib/store.js";
import { createGraph } from "./graph.js";

export function Picture({ lab, busy, chosen, choose, wide }) {
  const box = useRef(null);
  const [graph, fault] = useGraph(box, choose);
  const theme = useStore((state) => state.preferences.theme);
  useEffect(() => graph?.show(pictureOf(lab, busy), chosen), [graph, lab, busy, chosen]);
  useEffect(() => graph?.recolour(), [graph, theme]);
  if (fault) return html`<p class="lab-note">${t("lab.no_picture")}</p>`;
  const label = t("lab.picture", { nodes: t("lab.devices", { count: lab.nodes.length }), links: t("lab.links", { count: wiring(lab).length }) });
  return html`
    <div class="picture" onWheelCapture=${(event) => wide || event.ctrlKey || event.stopPropagation()}>
      <div class="picture-canvas" ref=${box} role="img" aria-label=${label} data-state=${graph ? "ready" : "loading"}></div>
      <div class="picture-tools" role="group" aria-label=${t("lab.view")}>
        <${IconButton} icon="plus" className="small" label=${t("lab.zoom_in")} onClick=${() => graph?.zoom(1.4)} />
        <${IconButton} icon="minus" className="small" label=${t("lab.zoom_out")} onClick=${() => graph?.zoom(1 / 1.4)} />
        <${IconButton} icon="fit" className="small" label=${t("lab.fit")} onClick=${() => graph?.fit()} />
      </div>
    </div>
  `;
}

/** The library is large: it is loaded when a picture is to be seen for the first time. Without it, the words remain. */
function useGraph(box, choose) {
  const [graph, setGraph] = useState(null);
  const [fault, setFault] = useState(null);
  const chooser = useRef(choose);
  chooser.current = choose;
  useEffect(() => {
    let made = null;
    let over = false;
    import("cytoscape").then(({ default: cytoscape }) => {
      if (over) return;
      made = createGraph(cytoscape, box.current, (id) => chooser.current(id));
      setGraph(made);
    }).catch(setFault);
    return () => {
      over = true;
      made?.destroy();
    };
  }, []);
  return [graph, fault];
}
