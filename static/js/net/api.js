/** The REST calls of the page: same origin, the cookie carries the token. */

import { setClock } from "./clock.js";

export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body?.code ?? "http_error";
    this.details = body?.details ?? null;
  }
}

async function call(method, path, body, options = {}) {
  const response = await fetch(path, {
    ...options,
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
const session = (projectId, id, rest = "") => project(projectId, `/chat/sessions/${encodeURIComponent(id)}${rest}`);
const models = (userId, rest = "") => `/v3/access/users/${encodeURIComponent(userId)}/llm-model-configs${rest}`;
const model = (userId, id, rest = "") => models(userId, `/${encodeURIComponent(id)}${rest}`);

export const api = {
  health: () => call("GET", "/healthz"),
  login: (username, password) => call("POST", "/v3/access/users/authenticate", { username, password }),
  logout: () => call("POST", "/v3/access/users/logout"),
  me: () => call("GET", "/v3/access/users/me"),
  projects: () => call("GET", "/v3/projects"),
  /** @param {AbortSignal} [signal] */
  project: (id, signal) => call("GET", project(id), undefined, { signal }),
  createProject: (name) => call("POST", "/v3/projects", { name }),
  openProject: (id) => call("POST", project(id, "/open")),
  closeProject: (id) => call("POST", project(id, "/close")),
  deleteProject: (id) => call("DELETE", project(id)),
  nodes: (id) => call("GET", project(id, "/nodes")),
  links: (id) => call("GET", project(id, "/links")),
  consoleTail: (id, nodeId, lines) => call("GET", project(id, `/nodes/${encodeURIComponent(nodeId)}/console-tail?lines=${lines}`)),
  /** Goes out even while the page is being closed. */
  deleteSession: (projectId, id) => call("DELETE", session(projectId, id), undefined, { keepalive: true }),
  /** An address to download from. @param {"json"|"markdown"} format */
  exportUrl: (projectId, id, format) => session(projectId, id, `/export?format=${format}`),
  models: (userId) => call("GET", models(userId)),
  createModel: (userId, config) => call("POST", models(userId), config),
  changeModel: (userId, id, changes) => call("PUT", model(userId, id), changes),
  deleteModel: (userId, id) => call("DELETE", model(userId, id)),
  chooseModel: (userId, id) => call("PUT", models(userId, `/default/${encodeURIComponent(id)}`)),
  testModel: (userId, id) => call("POST", model(userId, id, "/test")),
};

/** The chat's routes of a project. */
export const chatPrefix = (projectId) => project(projectId, "/chat");

/** @param {{protocol: string, host: string}} where  the page's location */
export function socketUrl(projectId, where = location) {
  return `${where.protocol === "https:" ? "wss:" : "ws:"}//${where.host}${chatPrefix(projectId)}/ws`;
}
