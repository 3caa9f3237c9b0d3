// @ts-check
/** Talks to the server. Paths are relative to the page, whose address begins with the token. */

export class ApiError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const kept = new Map();
const MOST_KEPT = 120;

async function fetchJson(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError("The explorer does not answer. Is hedgehog explore still running?", 0);
  }
  let content;
  try {
    content = await response.json();
  } catch {
    throw new ApiError(`The explorer gave an answer without content (${response.status}).`, response.status);
  }
  if (!response.ok) throw new ApiError(content.error || `status ${response.status}`, response.status);
  return content;
}

/** Returns the answer to a GET request. @param {Object<string, any>} [params] @param {AbortSignal} [signal] */
export async function get(path, params, signal) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params || {})) {
    if (value !== null && value !== undefined && value !== "") query.set(key, String(value));
  }
  const text = query.toString();
  return fetchJson(`api/1/${path}${text ? `?${text}` : ""}`, {signal});
}

/** As get, but answers are kept for going back and forth. */
export async function getKept(path, params, signal) {
  const key = `${path}?${JSON.stringify(params || {})}`;
  if (kept.has(key)) {
    const found = kept.get(key);
    kept.delete(key);
    kept.set(key, found);
    return found;
  }
  const found = await get(path, params, signal);
  kept.set(key, found);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return found;
}

/** Forgets kept answers, because something has changed. */
export const forget = () => kept.clear();

/** Returns the answer to a POST request. */
export async function post(path, content, signal) {
  return fetchJson(`api/1/${path}`,
    {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(content), signal});
}

export const item = id => `items/${encodeURIComponent(id)}`;
