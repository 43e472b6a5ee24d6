/** What a person can do about a run besides stopping it: change its limits while it goes on, take back what it changed. */

export function createRuns(app) {
  const command = (type, fields) => app.connection.command(type, fields);

  /** @param {Object} limits  fields of `controls`; those in force are what the state knows afterwards */
  async function limit(sessionId, limits = {}) {
    const inForce = await command("run.limits", { session_id: sessionId, ...limits });
    app.store.dispatch({ type: "run_limits", sessionId, limits: inForce });
  }

  return {
    limit,
    /** A page that comes while a run goes on asks for its limits. A run that has ended meanwhile has none. */
    async learnLimits(sessionId) {
      try {
        await limit(sessionId);
      } catch (error) {
        if (error.code !== "conflict") throw error;
      }
    },
    undo: (runId) => command("run.undo", { run_id: runId }),
  };
}
