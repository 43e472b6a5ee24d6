/** 简体中文。 */

export default {
  // the page
  "app.name": "GNS3 Copilot",
  "app.skip": "跳到消息输入框",
  "app.conversation": "对话",
  "app.close": "关闭",
  "app.cancel": "取消",

  // chat: messages, tools, run bar

  // prompts of the copilot to a person

  // composer, presets, drafts

  // chats in the sidebar, search, export

  // settings, login

  // header, connection, lab
};
