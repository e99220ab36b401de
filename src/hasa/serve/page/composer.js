// Where a question is put together: an entity or a text, a relation, and on which side the answer is to stand.
import * as api from "./api.js";
import { button, count, make, newId, say } from "./dom.js";
import { combobox } from "./combobox.js";
import { addressOf, isWhole } from "./question.js";
import { go } from "./route.js";

const kSuggestions = 8;

export const findEntities = async (text, signal) =>
  (await api.searched(text, kSuggestions, signal)).map(({ id, name, description }) => ({ id, name: name || id, note: description || (name ? id : "") }));

/// Suggests relations by what is typed; the most frequent first.
export async function findRelations(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ id, name }) => words.every((word) => `${name} ${id}`.toLowerCase().includes(word));
  return (await api.relations()).filter(fits).sort((a, b) => b.triples - a.triples).slice(0, 50)
    .map(({ id, name, triples }) => ({ id, name: name || id, note: `${count(triples)} in training` }));
}

/// `question` as question.js has it; `names` of what it names already: { given, relation }.
export function composer(question, names = {}, { readsText = false } = {}) {
  const state = { ...question };
  const given = combobox({ label: "Entity", placeholder: "an entity, by name or id", find: findEntities,
    onpick: ({ id }) => { state.id = id; state.text = ""; relation.field.focus(); }, onclear: () => { state.id = ""; } });
  const relation = combobox({ label: "Relation", placeholder: "a relation", find: findRelations, opensEmpty: true, delay: 0,
    onpick: ({ id }) => { state.relation = id; submit.focus(); }, onclear: () => { state.relation = ""; } });
  const text = make("textarea", { "aria-label": "Text that describes the entity", rows: 3, placeholder: "name: a sentence about it, never seen before", value: state.text,
    oninput: () => { state.text = text.value.trim(); } });
  if (names.given) given.pick({ name: names.given });
  if (names.relation) relation.pick({ name: names.relation });

  const slot = make("div", { class: "slot" });
  const line = make("div", { class: "line" });
  const warning = make("p", { class: "field-error", id: newId("wrong"), role: "alert", hidden: true });
  const submit = make("button", { class: "main" }, "Ask");
  const flip = button("", () => { state.side = state.side === "head" ? "tail" : "head"; arrange(); say(wordsOfSide()); }, { class: "flip" });
  const mode = button("", () => { isText = !isText; arrange(); (isText ? text : given.field).focus(); }, { class: "quiet" });
  let isText = state.text !== "";

  const wordsOfSide = () => (state.side === "head" ? "Asking for the tail: what stands at the relation's end" : "Asking for the head: what stands at the relation's start");
  const arrow = (tip) => make("span", { class: "arrow", "aria-hidden": "true" }, tip);

  function arrange() {
    const answer = make("span", { class: "what", "aria-hidden": "true" }, "?");
    slot.replaceChildren(isText ? text : given);
    const ends = state.side === "head" ? [slot, arrow("—"), relation, arrow("→"), answer] : [answer, arrow("—"), relation, arrow("→"), slot];
    line.replaceChildren(...ends);
    flip.textContent = "⇄ Ask from the other side";
    flip.title = wordsOfSide();
    mode.textContent = isText ? "Choose an entity instead" : "Describe it in words instead";
  }
  arrange();

  function wrong() {
    if (isText ? state.text === "" : state.id === "") return [isText ? text : given.field, isText ? "Say in a few words what it is." : "Choose an entity from the suggestions."];
    return [relation.field, "Choose a relation from the suggestions."];
  }

  function ask(event) {
    event.preventDefault();
    const question = { ...state, id: isText ? "" : state.id, text: isText ? state.text : "" };
    for (const field of [text, given.field, relation.field]) field.removeAttribute("aria-invalid");
    warning.hidden = isWhole(question);
    if (isWhole(question)) return go(addressOf(question));
    const [field, words] = wrong();
    warning.textContent = words;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", warning.id);
    return field.focus();
  }

  const box = make("form", { class: "composer", onsubmit: ask, "aria-label": "A question", novalidate: true }, line, warning,
    make("div", { class: "actions" }, submit, flip, readsText ? mode : null));
  box.focusFirst = () => (isText ? text : given.field).focus();
  return box;
}
