// Where a question is put together: two of head, relation and tail, and which is asked for.
import * as api from "./api.js";
import {combobox} from "./combobox.js";
import {button, count, fill, make, newId, say} from "./dom.js";
import {addressOf, isGiven, isWhole} from "./question.js";
import {go} from "./route.js";

const kSuggestions = 8;
const kForms = [
  ["tail", "A — r → ?", "what stands at the end"], ["head", "? — r → A", "what stands at the start"],
  ["relation", "A — ? → B", "which relation joins two"]
];

export const findEntities = async (text, signal) =>
    (await api.searched(text, kSuggestions, signal))
        .map(({id, name, description}) => ({id, name: name || id, note: description || (name ? id : "")}));

/// Suggests relations by what is typed; the most frequent first.
export async function findRelations(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({id, name}) => words.every((word) => `${name} ${id}`.toLowerCase().includes(word));
  return (await api.relations())
      .filter(fits)
      .sort((a, b) => b.triples - a.triples)
      .slice(0, 50)
      .map(({id, name, triples}) => ({id, name: name || id, note: `${count(triples)} in training`}));
}

/// An end of the question: an entity that is searched, or a text in its place. .state is { id, text }.
function endField(state, name, onpick) {
  const entity = combobox({
    label: "Entity",
    placeholder: "an entity, by name or id",
    find: findEntities,
    onpick: ({id}) => {
      box.state = {id, text: ""};
      onpick();
    },
    onclear: () => {
      box.state = {id: "", text: ""};
    }
  });
  const text = make("textarea", {
    "aria-label": "Text that describes the entity",
    rows: 3,
    maxlength: 4000,
    value: state.text,
    placeholder: "name: a sentence about it, never seen before",
    oninput: () => {
      box.state = {id: "", text: text.value.trim()};
    }
  });
  if (state.id) entity.pick({name});
  const box = make("div", {class: "slot"});
  box.state = {...state};
  box.isText = state.text !== "";
  box.field = () => (box.isText ? text : entity.field);
  box.use = (isText) => {
    if (isText !== box.isText) box.state = {id: "", text: isText ? text.value.trim() : ""};
    box.isText = isText;
    if (!isText && box.state.id === "") entity.clear();
    fill(box, isText ? text : entity);
  };
  box.use(box.isText);
  return box;
}

/// `question` as question.js has it; `names` of what it names already: { head, relation, tail }.
export function composer(question, names = {}, {readsText = false} = {}) {
  let asks = question.asks, relationId = question.relation;
  const relation = combobox({
    label: "Relation",
    placeholder: "a relation",
    find: findRelations,
    opensEmpty: true,
    delay: 0,
    onpick: ({id}) => {
      relationId = id;
      next();
    },
    onclear: () => {
      relationId = "";
    }
  });
  if (names.relation) relation.pick({name: names.relation});
  const ends = {
    head: endField(question.head, names.head, () => next()),
    tail: endField(question.tail, names.tail, () => next())
  };
  const line = make("div", {class: "line"});
  const warning = make("p", {class: "field-error", id: newId("wrong"), role: "alert", hidden: true});
  const submit = make("button", {class: "main"}, "Ask");
  const mode = button("", () => {
    const end = ends[givenSide()];
    end.use(!end.isText);
    arrange();
    end.field().focus();
  }, {class: "quiet"});

  const givenSide = () => (asks === "head" ? "tail" : "head");
  const current = () => ({
    asks,
    head: ends.head.state,
    tail: ends.tail.state,
    relation: relationId,
    isNewOnly: question.isNewOnly,
    top: question.top
  });

  /// What is still missing, as fields in the order they stand in, with what to say of each.
  function missing() {
    const end = (side) => (asks !== side && !isGiven(ends[side].state) ? [[
      ends[side].field(),
      ends[side].isText ? "Say in a few words what it is." : "Choose an entity from the suggestions."
    ]] :
                                                                         []);
    return [
      ...end("head"),
      ...(asks !== "relation" && relationId === "" ? [[relation.field, "Choose a relation from the suggestions."]] :
                                                     []),
      ...end("tail")
    ];
  }
  const next = () => (missing()[0]?.[0] ?? submit).focus();

  /// The entity that is given stays where it is the only one and the other side is asked.
  function choose(form) {
    const from = givenSide();
    asks = form;
    if (form !== "relation" && from !== givenSide() && !isGiven(ends[givenSide()].state))
      [ends.head, ends.tail] = [ends.tail, ends.head];
    arrange();
    say(`Asking ${kForms.find(([name]) => name === form)[2]}`);
  }

  function arrange() {
    const arrow = (tip) => make("span", {class: "arrow", "aria-hidden": "true"}, tip);
    const what = make("span", {class: "what", "aria-hidden": "true"}, "?");
    line.replaceChildren(asks === "head" ? what : ends.head, arrow("—"), asks === "relation" ? what : relation,
                         arrow("→"), asks === "tail" ? what : ends.tail);
    mode.textContent = ends[givenSide()].isText ? "Choose an entity instead" : "Describe it in words instead";
  }
  arrange();

  const name = newId("form");
  const forms =
      make("fieldset", {class: "forms"}, make("legend", {class: "unseen"}, "What is asked"),
           kForms.map(([form, shape, words]) => {
             const radio =
                 make("input", {type: "radio", name, value: form, "aria-label": words, onchange: () => choose(form)});
             radio.checked = form === asks;
             return make("label", {title: `Ask ${words}`}, radio, make("span", {"aria-hidden": "true"}, shape));
           }));

  function ask(event) {
    event.preventDefault();
    for (const field of [ends.head.field(), ends.tail.field(), relation.field]) field.removeAttribute("aria-invalid");
    warning.hidden = isWhole(current());
    if (isWhole(current())) return go(addressOf(current()));
    const [field, words] = missing()[0];
    warning.textContent = words;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", warning.id);
    return field.focus();
  }

  return make("form", {class: "composer", onsubmit: ask, "aria-label": "A question", novalidate: true}, forms, line,
              warning, make("div", {class: "actions"}, submit, readsText ? mode : null));
}
