// An entity: its text, its facts in both directions folded by relation, and what can be asked of it.
import * as api from "./api.js";
import {combobox} from "./combobox.js";
import {findRelations} from "./composer.js";
import {button, count, counted, fill, make, say} from "./dom.js";
import {graph} from "./graph_view.js";
import {chips, empty, entityLink, forgotten, mark, trouble, visited} from "./parts.js";
import {about} from "./question.js";
import {go, link, toGraph} from "./route.js";

const kOpenGroups = 4;    // unfolded at first
const kShownFacts = 12;   // of a relation, before "show all"
const kFewRelations = 5;  // are offered as links, more behind a field

/// Facts of one relation and direction, those with most facts first.
function groupsOf(facts) {
  const groups = new Map();
  for (const fact of facts) {
    const key = `${fact.direction} ${fact.relation}`;
    if (!groups.has(key)) groups.set(key, {...fact, facts: []});
    groups.get(key).facts.push(fact);
  }
  return [...groups.values()].sort((a, b) => b.facts.length - a.facts.length);
}

function tripleOf(entity, {direction, relation, entity: other}) {
  return direction === "out" ? {head: entity.id, relation, tail: other.id} :
                               {head: other.id, relation, tail: entity.id};
}

function factItem(entity, fact, onremoved) {
  const item = make("li", {}, entityLink(fact.entity), " ", fact.split === "train" ? null : mark(fact.split));
  if (fact.split !== "live") return item;
  const remove = button("×", async () => {
    try {
      await api.deleteTriples([tripleOf(entity, fact)]);
      say("Removed");
      onremoved();
    } catch (error) {
      item.append(trouble(error));
    }
  }, {class: "remove", "aria-label": `Remove this link to ${fact.entity.name}`, title: "Remove this link"});
  item.append(remove);
  return item;
}

function group(entity, {direction, relation, relation_name: name, facts}, isOpen, onremoved) {
  const list = make("ul", {class: "facts"});
  const more = button(`Show all ${count(facts.length)}`, () => {
    fill(list, facts.map((fact) => factItem(entity, fact, onremoved)));
    more.remove();
    list.querySelectorAll("a")[kShownFacts]?.focus();
  }, {class: "quiet"});
  fill(list, facts.slice(0, kShownFacts).map((fact) => factItem(entity, fact, onremoved)));
  const side = direction === "out" ? "head" : "tail";
  return make("details", {class: "group", open: isOpen},
              make("summary", {},
                   make("span", {class: "arrow", "aria-hidden": "true"}, direction === "out" ? "→" : "←"),
                   make("span", {class: "unseen"}, direction === "out" ? "from here: " : "to here: "),
                   make("b", {}, name), make("span", {class: "muted"}, ` ${count(facts.length)}`)),
              list,
              make("div", {class: "group-actions"}, facts.length > kShownFacts ? more : null,
                   make("a", {href: about(entity.id, relation, side, {isNewOnly: true})}, "What is missing here?")));
}

function factsOf(entity, onremoved) {
  const groups = groupsOf(entity.facts);
  const rest = entity.fact_count - entity.facts.length;
  return make("section", {}, make("h2", {}, "Facts ", make("small", {}, count(entity.fact_count))),
              groups.length ? make("p", {class: "muted"}, "→ from here, ← to here") :
                              empty("The graph has no fact about it yet. ",
                                    make("a", {href: link("add", entity.id)}, "Add one"), "."),
              groups.map((each, i) => group(entity, each, i < kOpenGroups, onremoved)),
              rest > 0 ? make("p", {class: "muted"}, `${counted(rest, "more fact")} not shown.`) : null);
}

/// Each relation from both sides: links where there are few, a field where there are many.
async function askSection(entity) {
  const relations = [...await api.relations()].sort((a, b) => b.triples - a.triples);
  const both = ({id, name}) => [make("a", {href: about(entity.id, id)}, name || id, " → ?"),
                                make("a", {href: about(entity.id, id, "tail")}, "? → ", name || id)];
  const used = new Map();
  for (const fact of entity.facts) used.set(fact.relation, (used.get(fact.relation) ?? 0) + 1);
  const offered = [...relations].sort((a, b) => (used.get(b.id) ?? 0) - (used.get(a.id) ?? 0)).slice(0, kFewRelations);
  const field = combobox({
    label: "Ask by another relation",
    placeholder: "another relation",
    find: findRelations,
    opensEmpty: true,
    delay: 0,
    onpick: ({id}) => go(about(entity.id, id))
  });
  return make("section", {class: "ask"}, make("h2", {}, "Ask the model"), chips(offered.flatMap(both)),
              relations.length > kFewRelations ? field : null);
}

function actions(entity, root, takesChanges) {
  const trash = async () => {
    if (!confirm(`Remove “${entity.name}” and its links from the graph?`)) return;
    try {
      await api.deleteEntity(entity.id);
      forgotten(entity.id);
      say("Removed");
      go("#/");
    } catch (error) {
      root.prepend(trouble(error));
    }
  };
  return make("div", {class: "actions"}, make("a", {class: "button main", href: about(entity.id, "")}, "Ask about it"),
              make("a", {class: "button", href: toGraph(entity.id)}, "Walk the graph"),
              takesChanges ? make("a", {class: "button", href: link("add", entity.id)}, "Edit") : null,
              takesChanges && entity.live ? button("Remove", trash, {class: "danger"}) : null);
}

export async function show(root, route, signal) {
  const entity = await api.entity(route.id);
  const [ask, run] = await Promise.all([askSection(entity), api.run()]);
  signal.throwIfAborted();
  visited(entity);
  const onremoved = () => show(root, route, signal);
  const name = entity.name || entity.id;
  root.replaceChildren(
      make("h1", {}, name, " ",
           entity.live ?
               make("span", {class: "badge live", title: "Its text was written or changed since the model was trained"},
                    "edited") :
               null),
      make("p", {class: "id"}, name === entity.id ? "" : entity.id),
      entity.description ? make("p", {class: "lead"}, entity.description) : empty("It has no description."),
      actions(entity, root, run.takes_changes !== false && run.reads_text),
      make("div", {class: "beside"}, make("div", {}, ask, factsOf(entity, onremoved)),
           make("aside", {class: "near", "aria-label": "Its neighbourhood"})));
  if (entity.facts.length) root.querySelector(".near").append(graph([entity.id], {isSmall: true, signal}).element);
  return name;
}
