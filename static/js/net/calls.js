/** Commands that wait for their results. */

export class CommandError extends Error {
  /** @param {{code: string, message: string, details?: any}} error */
  constructor({ code, message, details = null }) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export function lost() {
  return new CommandError({ code: "connection_lost", message: "The connection was lost." });
}

export function createCalls() {
  const waiting = new Map();
  let last = 0;
  return {
    /** @param {(frame: Object) => void} send @returns {Promise<any>} rejects with `CommandError` */
    make(send, type, fields) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, type, ...fields });
      });
    },
    answered({ id, ok, result, error }) {
      const call = waiting.get(id);
      waiting.delete(id);
      if (ok) call?.resolve(result);
      else call?.reject(new CommandError(error));
    },
    /** Nobody will answer those that wait. */
    drop() {
      for (const { reject } of waiting.values()) reject(lost());
      waiting.clear();
    },
  };
}
