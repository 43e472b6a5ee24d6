/**
 * One's own model configurations: what the settings show of them, and the form that is open. They stand outside of the dialog, so that
 * what was typed is there again when it is opened again.
 *
 * @typedef {Object} Models
 * @property {Object[]|null} configs  null: not read yet
 * @property {string|null} error      why they could not be read
 *
 * @typedef {Object} ModelForm
 * @property {Object|null} config     the configuration that is changed, as it was when the form was opened; null: a new one
 * @property {import("../state/model_form.js").Draft} draft
 * @property {Object<string, string>} faults  by field; under "" what belongs to none
 * @property {Object|null} theirs     the configuration as somebody else saved it meanwhile
 * @property {boolean} busy
 */

import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { changesOf, draftOf, emptyDraft, faultsOf, serverFaults } from "../state/model_form.js";
import { createCell } from "../state/store.js";
import { said } from "./words.js";

/** What is said of it stands where it happened; that the login has ended is the page's to say (`app.report`). */
function askLogin(error) {
  if (error.status === 401) throw error;
}

const UNREAD = { configs: null, error: null };

export const models = createModels();

function createModels() {
  const list = createCell(UNREAD);
  const form = createCell(null);
  const trials = createCell({}); // config id -> {busy} or the server's answer
  let user = null;

  const patch = (changes) => form.set({ ...form.get(), ...changes });

  /** What another user had here is nobody's business. */
  function enter(userId) {
    if (user !== null && user !== userId) {
      list.set(UNREAD);
      form.set(null);
      trials.set({});
    }
    user = userId;
  }

  async function load() {
    try {
      enter((await api.me()).user_id);
      list.set({ configs: (await api.models(user)).configs, error: null });
    } catch (error) {
      list.set({ ...list.get(), error: said(error) });
      askLogin(error);
    }
  }

  /** Changes one, and shows what became of all. */
  async function change(work) {
    const failure = await work().then(() => null, (error) => error);
    await load();
    if (failure === null) return;
    list.set({ ...list.get(), error: said(failure) });
    askLogin(failure);
  }

  async function send({ config, draft }) {
    if (config === null) return api.createModel(user, changesOf(draft, null));
    return api.changeModel(user, config.config_id, { ...changesOf(draft, config), expected_version: config.version });
  }

  async function refused(error) {
    patch({ busy: false, faults: serverFaults(error, form.get().draft, said(error)) });
    askLogin(error);
    if (error.details?.version === undefined) return;
    await load();
    const theirs = list.get().configs.find((one) => one.config_id === form.get().config.config_id) ?? null;
    patch({ faults: theirs ? {} : { "": t("models.gone") }, theirs });
  }

  async function save() {
    const faults = faultsOf(form.get().draft);
    patch({ faults, theirs: null });
    if (Object.keys(faults).length > 0) return;
    patch({ busy: true });
    try {
      await send(form.get());
      form.set(null);
      await load();
    } catch (error) {
      await refused(error);
    }
  }

  async function test(id) {
    const tell = (trial) => trials.set({ ...trials.get(), [id]: trial });
    tell({ busy: true });
    try {
      tell(await api.testModel(user, id));
    } catch (error) {
      tell({ ok: false, message: said(error) });
      askLogin(error);
    }
  }

  const open = (config, draft) => form.set({ config, draft, faults: {}, theirs: null, busy: false });

  return {
    list,
    form,
    trials,
    load,
    save,
    test,
    create: () => open(null, emptyDraft()),
    edit: (config) => open(config, draftOf(config)),
    type: (name, value) => patch({ draft: { ...form.get().draft, [name]: value } }),
    cancel: () => form.set(null),
    /** What one typed goes over what somebody else saved meanwhile. */
    overwrite() {
      patch({ config: form.get().theirs, theirs: null });
      return save();
    },
    remove: (id) => change(() => api.deleteModel(user, id)),
    choose: (id) => change(() => api.chooseModel(user, id)),
  };
}
