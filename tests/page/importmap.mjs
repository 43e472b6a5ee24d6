/** Lets node resolve bare imports as the page does: by the import map of its own index.html. `node --import` loads this first. */

import { readFileSync } from "node:fs";
import { register } from "node:module";

const page = new URL("../../static/index.html", import.meta.url);
const [, map] = /<script type="importmap">([\s\S]*?)<\/script>/.exec(readFileSync(page, "utf8"));
const imports = Object.fromEntries(Object.entries(JSON.parse(map).imports).map(([name, path]) => [name, new URL(`../${path}`, page).href]));

const hook = `
  const imports = ${JSON.stringify(imports)};
  export const resolve = (name, context, next) => next(imports[name] ?? name, context);
`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
