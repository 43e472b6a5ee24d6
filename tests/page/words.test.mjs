/** What the server says in English, in the language of the page. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { said, titleOf } from "../../static/js/app/words.js";
import { chooseLanguage } from "../../static/js/i18n/index.js";
import { sentence } from "../../static/js/i18n/server.js";
import { faultOf } from "../../static/js/ui/hitl/words.js";

const RELOAD = "Restarts the device; what was not saved is lost.";
const BUSY = { code: "session_busy", message: "This session has a run." };

afterEach(() => chooseLanguage("en"));

test("in English it is said as the server says it", () => {
  for (const text of [RELOAD, "Delete R2", "May stand for `reload`: restarts the device."]) assert.equal(sentence(text), text);
  assert.equal(said(BUSY), BUSY.message);
  assert.equal(faultOf(BUSY), BUSY.message);
});

test("another language knows its sentences and what they are about", () => {
  chooseLanguage("zh");
  assert.equal(sentence(RELOAD), "重启设备；未保存的内容会丢失。");
  assert.equal(sentence(`May stand for \`reload\`: r${RELOAD.slice(1)}`), "可能是 `reload` 的缩写：重启设备；未保存的内容会丢失。");
  assert.equal(sentence("Configure R1, R2"), "配置 R1, R2");
  assert.equal(sentence("Delete link R1 Gi0/1 - R2 Gi0/1"), "删除链路 R1 Gi0/1 - R2 Gi0/1");
  assert.equal(sentence("Something new."), "Something new.");
});

test("another language says what a code means, with the server's words behind it", () => {
  chooseLanguage("zh");
  assert.equal(said(BUSY), "此对话正在回答另一条消息（This session has a run.）");
  assert.equal(faultOf({ code: "invalid_argument", message: "modified_args: No.", details: null }), "参数不正确（No.）");
  assert.equal(said({ code: "brand_new", message: "Never heard of." }), "Never heard of.");
});

test("a chat without a title is called so", () => {
  assert.equal(titleOf({ title: "New Conversation" }), "New Conversation");
  chooseLanguage("zh");
  assert.equal(titleOf({ title: "New Conversation" }), "新对话");
  assert.equal(titleOf({ title: "Delete R2" }), "Delete R2");
});
