// Questions to the server that this page came from, and to nobody else.
import {askForToken, tokenFor} from "./token.js";

export class ServerError extends Error {
  constructor(status, kind, message) {
    super(message);
    Object.assign(this, {status, kind});
  }
}

async function failure(response) {
  const body = await response.json().catch(() => null);
  const {kind = "http", message = `The server answered ${response.status} ${response.statusText}.`} = body?.error ?? {};
  return new ServerError(response.status, kind, message);
}

async function send(method, path, body, signal) {
  const headers = {Accept: "application/json"};
  const token = tokenFor(method, path);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal});
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(0, "unreachable", "The server does not answer. Is hasa serve still running?");
  }
}

const pause = (milliseconds) => new Promise((done) => {
  setTimeout(done, milliseconds);
});

/// The answer as an object; throws ServerError. Asks for a token where one is wanted, and waits its turn twice where
/// the server is busy.
export async function call(method, path, body, signal) {
  for (let busy = 0;;) {
    const response = await send(method, path, body, signal);
    if (response.status === 401 && await askForToken(method, path)) continue;
    if (response.status === 429 && busy++ < 2) {
      await pause(400 * busy);
      continue;
    }
    if (!response.ok) throw await failure(response);
    const text = await response.text();
    return text === "" ? {} : JSON.parse(text);
  }
}

// --- what changes only by a write from here ---------------------------------------------------------------------
const kept = new Map();
const kMostKept = 500;
const kFacts = 500;  // of an entity, at most

function remembered(path) {
  if (kept.size > kMostKept) kept.clear();
  if (!kept.has(path)) {
    const answer = call("GET", path);
    kept.set(path, answer);
    answer.catch(() => kept.delete(path));
  }
  return kept.get(path);
}

async function written(method, path, body) {
  const answer = await call(method, path, body);
  kept.clear();
  return answer;
}

const place = (id) => `/v1/entities/${encodeURIComponent(id)}`;

export const entity = (id) => remembered(`${place(id)}?limit=${kFacts}`);
export const run = () => remembered("/v1/run");
export const relations = async () => (await remembered("/v1/relations")).relations;

export async function searched(text, limit, signal) {
  return (await call("GET", `/v1/entities?${new URLSearchParams({q: text, limit})}`, undefined, signal)).entities;
}

export const answersTo = async (question, signal) => (await call("POST", "/v1/predict", question, signal)).answers;
export const answersToAll = async (queries, top, signal) =>
    (await call("POST", "/v1/predict", {queries, top}, signal)).results.map((result) => result.answers ?? []);
export const reasonsFor = (question, answer, signal) => call("POST", "/v1/explain", {...question, answer}, signal);

export const putEntity = (id, {name, description}) => written("PUT", place(id), {name, description});
export const deleteEntity = (id) => written("DELETE", place(id));
export const addTriples = (triples) => written("POST", "/v1/triples", {triples});
export const deleteTriples = (triples) => written("DELETE", "/v1/triples", {triples});
