// Pieces that several views are made of.
import {button, make} from "./dom.js";
import {toEntity} from "./route.js";

const kMarks = {
  train: ["known", "Among the training triples"],
  valid: ["held out", "Among the triples that were kept aside to choose the model by"],
  test: ["held out", "Among the triples that were kept aside to test the model with"],
  live: ["added", "Added since the model was trained"],
};

/// Whether a link is known and where from; what is in no split is new.
export function mark(known, isNewWorthSaying = true) {
  if (!known)
    return isNewWorthSaying ? make("span", {class: "badge new", title: "Not in the graph: predicted"}, "new") : null;
  const [word, meaning] = kMarks[known] ?? [String(known), ""];
  return make("span", {class: `badge ${known}`, title: meaning}, word);
}

export const entityLink = ({id, name}, attributes = {}) => make("a", {href: toEntity(id), ...attributes}, name || id);

/// "dog — is a kind of → canine", with whatever stands for the ends.
export function sentence(head, relation, tail) {
  const arrow = (tip) => [" ", make("span", {class: "arrow", "aria-hidden": "true"}, tip), " "];
  return make("span", {class: "sentence"}, head, arrow("—"), make("span", {class: "relation"}, relation), arrow("→"),
              tail);
}

export const asked = () => make("b", {class: "asked", "aria-label": "what?"}, "?");

/// A bar from nothing to the whole. Screen readers read the figure beside it.
export function bar(fraction, kind = "") {
  const fill = make("span", {class: "fill"});
  fill.style.width = `${Math.max(0, Math.min(1, fraction)) * 100}%`;
  return make("span", {class: `bar-track ${kind}`, "aria-hidden": "true"}, fill);
}

export const waiting = (words) => make("p", {class: "waiting", role: "status"}, words);

/// What went wrong, in the server's words, and a way on.
export function trouble(error, retry = null, heading = "h2") {
  const titles = {
    0: "No answer",
    401: "Not allowed without a token",
    404: "Not here",
    422: "This cannot be asked",
    429: "Too busy",
    503: "Not ready yet"
  };
  const [first, ...advice] = error.message.split("\n"), what = first.charAt(0).toUpperCase() + first.slice(1);
  return make("section", {class: "warning trouble", role: "alert"},
              make(heading, {}, titles[error.status] ?? "This did not work"), make("p", {}, what),
              advice.map((line) => make("p", {class: "muted"}, line)),
              make("div", {class: "actions"}, retry && error.status !== 404 ? button("Try again", retry) : null,
                   error.status === 404 ?
                       button("Search for it", () => document.querySelector("#search input").focus()) :
                       null));
}

export const empty = (text, ...more) => make("p", {class: "empty"}, text, ...more);

// --- where one has been in this tab ------------------------------------------------------------------------------
const kLately = "hasa-lately";

export function lately() {
  try {
    return JSON.parse(sessionStorage.getItem(kLately)) ?? [];
  } catch {
    return [];
  }
}

export function visited({id, name}) {
  sessionStorage.setItem(kLately,
                         JSON.stringify([{id, name}, ...lately().filter((each) => each.id !== id)].slice(0, 8)));
}

export function forgotten(id) {
  sessionStorage.setItem(kLately, JSON.stringify(lately().filter((each) => each.id !== id)));
}

/// Links to entities in a row.
export const chips = (items) => make("ul", {class: "chips"}, items.map((item) => make("li", {}, item)));
