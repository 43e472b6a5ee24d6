/** What people are called: the server knows them by ids, which nobody can read where they are GNS3's. */

const names = new Map();

/** @param {{user_id: string, username?: string}} me  what the server says of the one who is logged in: the only one whose data this page sees */
export function meet({ user_id: id, username }) {
  if (username) names.set(id, username);
}

/** @template T @param {T} userId @returns {string|T} */
export const nameOf = (userId) => names.get(userId) ?? userId;
