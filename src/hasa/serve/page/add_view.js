// A new entity by its text, or another text for one that is there; where it lands is shown while one writes.
import * as api from "./api.js";
import {combobox} from "./combobox.js";
import {findEntities, findRelations} from "./composer.js";
import {button, figure, fill, later, make, newId, percent, say} from "./dom.js";
import {GraphData} from "./graph_data.js";
import {GraphDrawing} from "./graph_drawing.js";
import {asked, bar, empty, entityLink, mark, sentence, trouble, visited, waiting} from "./parts.js";
import {about, addressOf} from "./question.js";
import {go, link, toEntity} from "./route.js";

const kRelations = 3;  // are asked, from both sides
const kOfEach = 3;     // answers
const kDrawn = 9;
const kPause = 450;  // of whoever writes, before the model is asked

const idOf = (name) => name.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "");
const textOf = ({name, description}) => (description ? `${name}: ${description}` : name);

const labelled = (label, field, note = "") => {
  field.id ||= newId("field");
  return make("div", {class: "field"}, make("label", { for: field.id
              }, label), field, note ? make("small", {}, note) : null);
};

// --- where it lands ----------------------------------------------------------------------------------------------
async function questions(given) {
  const relations = [...await api.relations()].sort((a, b) => b.triples - a.triples).slice(0, kRelations);
  return relations.flatMap(
      (relation) => ["head", "tail"].map(
          (side) => ({
            side,
            relation,
            request: {[given.id ? side : `${side}_text`]: given.id || given.text, relation: relation.id}
          })));
}

const likelihoodOf = ({probability, score}) => probability ?? score;

function landingCard({side, relation, answers}, given) {
  const name = relation.name || relation.id, me = make("b", {}, given.name);
  return make("li", {class: "card"},
              make("a", {
                href: addressOf({
                  [side]: {id: given.id ?? "", text: given.id ? "" : given.text},
                  relation: relation.id,
                  asks: side === "head" ? "tail" : "head"
                })
              },
                   side === "head" ? sentence(me, name, asked()) : sentence(asked(), name, me)),
              make("ul", {class: "weighed"},
                   answers.map((answer) =>
                                   make("li", {},
                                        make("div", {class: "weight"},
                                             answer.probability === undefined || answer.probability === null ?
                                                 null :
                                                 bar(answer.probability),
                                             make("span", {class: "figure"},
                                                  answer.probability === undefined || answer.probability === null ?
                                                      figure(answer.score) :
                                                      percent(answer.probability))),
                                        make("div", {}, entityLink(answer), " ", mark(answer.known, false))))));
}

/// The likeliest of all answers as dashed links round the newcomer.
function landingGraph(found, given) {
  const data = new GraphData();
  const centre = data.node(given.id ?? "", given.name);
  centre.isOpen = true;
  const all = found.flatMap(({side, relation, answers}) => answers.map((answer) => ({side, relation, answer})))
                  .sort((a, b) => likelihoodOf(b.answer) - likelihoodOf(a.answer));
  for (const {side, relation, answer} of all) {
    if (data.nodes.has(answer.id) || data.nodes.size > kDrawn) continue;
    const other = data.node(answer.id, answer.name, centre), name = relation.name || relation.id;
    data.edge(...(side === "head" ? [centre, relation.id, name, other] : [other, relation.id, name, centre]),
              answer.known ? null : likelihoodOf(answer));
  }
  data.layout.warm();
  const drawing = new GraphDrawing(data, {
    isSmall: true,
    onpick: (id) => {
      if (id) go(toEntity(id));
    }
  });
  drawing.svg.setAttribute("aria-hidden", "true");  // the list beside it says the same
  drawing.update(centre.id);
  drawing.svg.querySelectorAll("[tabindex]").forEach((node) => node.removeAttribute("tabindex"));
  return make("div", {class: "graph small"}, drawing.svg);
}

/// Asks the most frequent relations from both sides and shows what the model answers. `given`: { name, text } or {
/// name, id }.
async function land(place, given, signal) {
  const all = await questions(given);
  const answers = await api.answersToAll(all.map(({request}) => request), kOfEach, signal);
  const found =
      all.map((question, i) => ({...question, answers: answers[i] ?? []})).filter((each) => each.answers.length);
  found.sort((a, b) => likelihoodOf(b.answers[0]) - likelihoodOf(a.answers[0]));
  fill(place,
       found.length ?
           [landingGraph(found, given), make("ul", {class: "landing"}, found.map((each) => landingCard(each, given)))] :
           empty("The model has no answer about it."));
  say(`${given.name} lands near ${found[0]?.answers[0].name ?? "nothing"}`);
}

// --- the form ----------------------------------------------------------------------------------------------------
/// One link to be added with the entity: a relation, an entity and which way.
function linkRow(onremove) {
  const state = {relation: "", other: "", isOut: true};
  const relation = combobox({
    label: "Relation",
    placeholder: "relation",
    find: findRelations,
    opensEmpty: true,
    delay: 0,
    onpick: ({id}) => {
      state.relation = id;
      other.field.focus();
    },
    onclear: () => {
      state.relation = "";
    }
  });
  const other = combobox({
    label: "Linked entity",
    placeholder: "entity",
    find: findEntities,
    onpick: ({id}) => {
      state.other = id;
    },
    onclear: () => {
      state.other = "";
    }
  });
  const flip = button("→", () => {
    state.isOut = !state.isOut;
    flip.textContent = state.isOut ? "→" : "←";
    say(state.isOut ? "from it" : "to it");
  }, {class: "flip", "aria-label": "Direction of the link", title: "→ from it, ← to it"});
  const row = make("li", {class: "link-row"}, flip, relation, other, button("×", () => {
                     row.remove();
                     onremove(row);
                   }, {class: "remove", "aria-label": "Remove this link"}));
  row.triple = (id) => (state.isOut ? {head: id, relation: state.relation, tail: state.other} :
                                      {head: state.other, relation: state.relation, tail: id});
  row.isWhole = () => state.relation !== "" && state.other !== "";
  row.isEmpty = () => relation.field.value.trim() === "" && other.field.value.trim() === "";
  row.focusFirst = () => relation.field.focus();
  return row;
}

/// An id is found before any name.
const isTaken = async (id) => (await api.searched(id, 1))[0]?.id === id;

export async function show(root, {id: editedId}, signal) {
  const [edited, run] = await Promise.all([editedId ? api.entity(editedId) : null, api.run()]);
  signal.throwIfAborted();
  const name = make("input", {
    type: "text",
    required: true,
    maxlength: 500,
    autocomplete: "off",
    value: edited?.name ?? "",
    placeholder: "red fox"
  });
  const description = make("textarea", {
    rows: 4,
    maxlength: 4000,
    value: edited?.description ?? "",
    placeholder: "a fox with reddish fur, common across the northern hemisphere"
  });
  const id = make(
      "input",
      {type: "text", autocomplete: "off", spellcheck: "false", value: edited?.id ?? "", readonly: edited !== null});
  const place = make("div", {class: "landing-place", "aria-live": "off"});
  const problem = make("div", {}), links = make("ul", {class: "link-rows"});
  let isOwnId = edited !== null, running = null;

  async function preview() {
    const given = {
      name: name.value.trim(),
      text: textOf({name: name.value.trim(), description: description.value.trim()})
    };
    running?.abort();
    if (!run.reads_text || !given.name || signal.aborted) return;
    const asked = running = new AbortController();
    if (!place.hasChildNodes() || place.querySelector(".empty")) fill(place, waiting("Reading…"));
    try {
      await land(place, given, asked.signal);
    } catch (error) {
      if (!asked.signal.aborted) fill(place, trouble(error, preview));
    }
  }
  const previewSoon = later(kPause, preview);
  const typed = () => {
    if (!isOwnId) id.value = idOf(name.value);
    previewSoon();
  };
  name.addEventListener("input", typed);
  description.addEventListener("input", typed);
  id.addEventListener("input", () => {
    isOwnId = id.value !== "";
  });

  async function save(event) {
    event.preventDefault();
    const rows = [...links.children].filter((row) => !row.isEmpty()), unfinished = rows.find((row) => !row.isWhole());
    if (unfinished) return unfinished.focusFirst();
    const key = id.value.trim() || idOf(name.value) || `entity_${Date.now()}`;
    submit.disabled = true;
    fill(problem);
    try {
      if (!edited && await isTaken(key)) return fill(problem, taken(key));
      await api.putEntity(key, {name: name.value.trim(), description: description.value.trim()});
      if (rows.length) await api.addTriples(rows.map((row) => row.triple(key)));
      await saved(key);
    } catch (error) {
      fill(problem, trouble(error));
    } finally {
      submit.disabled = false;
    }
  }

  function taken(key) {
    id.focus();
    return make("section", {class: "warning", role: "alert"},
                make("p", {}, `There is an entity with the id “${key}” already. Give this one another id, or `,
                     make("a", {href: link("add", key)}, "edit that one"), "."));
  }

  async function saved(key) {
    const entity = await api.entity(key);
    running?.abort();
    visited(entity);
    say(`${entity.name} is saved and can be asked about`);
    root.replaceChildren(make("h1", {tabindex: "-1"}, entityLink(entity),
                              edited ? " has its new text" : " is in the graph"),
                         make("p", {class: "lead"}, entity.description),
                         make("div", {class: "actions"},
                              make("a", {class: "button main", href: toEntity(key)}, "See its page"),
                              make("a", {class: "button", href: about(key, "")}, "Ask about it"),
                              button("Add another", () => show(root, {id: ""}, signal))),
                         make("h2", {}, "Where it landed"), place);
    root.querySelector("h1").focus();
    await land(place, {id: key, name: entity.name || key}, signal).catch((error) => fill(place, trouble(error)));
  }

  const submit = make("button", {class: "main"}, edited ? "Save" : "Add to the graph");
  const addLink = button("Add a link", () => {
    const row = linkRow(() => addLink.focus());
    links.append(row);
    row.focusFirst();
  });
  root.replaceChildren(
      make("h1", {}, edited ? `Edit ${edited.name || edited.id}` : "Add an entity"),
      make(
          "p", {class: "lead"},
          run.reads_text ?
              "A name and a sentence are enough: the model reads them, and it can be asked at once. Nothing is trained anew." :
              "This run reads no text: a new entity can be kept and linked, but the model knows nothing of it."),
      make("div", {class: "beside even"},
           make("form", {class: "entity-form", onsubmit: save}, labelled("Name", name),
                labelled("Description", description,
                         "one sentence on what it is; the more it says, the better it is placed"),
                labelled("Id", id, edited ? "" : "made from the name; how programs refer to it"),
                make("fieldset", {}, make("legend", {}, "Links"), links, addLink), problem,
                make("div", {class: "actions"}, submit,
                     edited ? make("a", {class: "button", href: toEntity(edited.id)}, "Cancel") : null)),
           make("section", {class: "lands"}, make("h2", {}, "Where it lands"),
                (fill(place,
                      empty(run.reads_text ? "Begin to write, and the model shows here where it would put it." :
                                             "Shown once it has been added.")),
                 place))));
  name.focus();
  if (edited) preview();
  return edited ? `Edit ${edited.name || edited.id}` : "Add an entity";
}
