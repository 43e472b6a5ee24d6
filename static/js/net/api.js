/** The REST calls of the page: same origin, the cookie carries the token. */

import { setClock } from "./clock.js";

export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body?.code ?? "http_error";
  }
}

async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    credentials: "same-origin",
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  setClock(response.headers.get("Date"));
  const text = await response.text();
  const value = parsed(text);
  if (!response.ok) throw new ApiError(response.status, value);
  return value;
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

const project = (id, rest = "") => `/v3/projects/${encodeURIComponent(id)}${rest}`;

export const api = {
  login: (username, password) => call("POST", "/v3/access/users/authenticate", { username, password }),
  health: () => call("GET", "/healthz"),
  projects: () => call("GET", "/v3/projects"),
  project: (id) => call("GET", project(id)),
  openProject: (id) => call("POST", project(id, "/open")),
  nodes: (id) => call("GET", project(id, "/nodes")),
  links: (id) => call("GET", project(id, "/links")),
};

/** @param {{protocol: string, host: string}} where  the page's location */
export function socketUrl(projectId, where = location) {
  return `${where.protocol === "https:" ? "wss:" : "ws:"}//${where.host}${project(projectId, "/chat/ws")}`;
}
