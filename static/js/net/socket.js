/** One WebSocket: JSON frames in and out, a watchdog for silence. Knows nothing of what frames mean. */

const SILENT = 4000; // our own close code: nothing came for too long

/**
 * @param {string} url
 * @param {{protocols: string[], onFrame: (frame: Object) => void, onClose: (code: number, reason: string) => void}} options
 */
export function openSocket(url, { protocols, onFrame, onClose }) {
  const socket = new WebSocket(url, protocols);
  let silence = 0;
  let patience = 15_000;
  let closed = false;

  function finish(code, reason) {
    if (closed) return;
    closed = true;
    clearTimeout(silence);
    onClose(code, reason);
  }

  /** A dead peer may never answer a close: what waits for this socket is told at once. */
  function close(code = 1000, reason = "") {
    socket.close(code === 1000 ? 1000 : SILENT, reason);
    finish(code, reason);
  }

  function listen() {
    clearTimeout(silence);
    silence = setTimeout(() => close(SILENT, "silent"), patience);
  }

  socket.addEventListener("message", (message) => {
    if (closed) return;
    listen();
    onFrame(JSON.parse(message.data));
  });
  socket.addEventListener("close", (event) => finish(event.code, event.reason));
  listen();

  return {
    close,
    send: (frame) => socket.send(JSON.stringify(frame)),
    /** @param {number} seconds  how often the server promises to say something */
    expect(seconds) {
      patience = seconds * 2500;
      listen();
    },
  };
}
