/** The dialogs that are loaded when somebody opens them. */

/** @param {() => Promise<Function>} load  the component @returns {(app: Object, props?: Object) => void} */
const opener = (load) => (app, props = {}) => void app.report(load().then((render) => app.dialog.set({ render, props })));

/** `props`: `{page}` of the settings */
export const openSettings = opener(async () => (await import("./settings/settings.js")).Settings);
/** `props`: `{fresh}`, what a new preset begins with */
export const openPresets = opener(async () => (await import("./presets/manager.js")).Manager);
export const openProjects = opener(async () => (await import("./projects/projects.js")).Projects);
