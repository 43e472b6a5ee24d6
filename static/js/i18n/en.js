/** English. Keys are "region.what"; `{name}` is filled in; `{one, other}` are plural forms chosen by `count`. */

export default {
  // the page
  "app.name": "GNS3 Copilot",
  "app.skip": "Skip to the message field",
  "app.conversation": "Conversation",
  "app.close": "Close",
  "app.cancel": "Cancel",

  // chat: messages, tools, run bar

  // prompts of the copilot to a person

  // composer, presets, drafts

  // chats in the sidebar, search, export

  // settings, login

  // header, connection, lab
};
