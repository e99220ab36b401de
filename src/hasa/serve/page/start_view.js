// Where one comes in: a question to put together, places to begin, and what this run is.
import * as api from "./api.js";
import {composer} from "./composer.js";
import {count, figure, make} from "./dom.js";
import {chips, entityLink, lately} from "./parts.js";
import {about, kNothing} from "./question.js";
import {link} from "./route.js";
import {headline} from "./run_view.js";

const kExamples = 6;

/// Entities to begin with, each with a question: those the server lists first, asked by the most frequent relations.
async function examples() {
  const [entities, relations] = await Promise.all([api.searched("", kExamples).catch(() => []), api.relations()]);
  const frequent = [...relations].sort((a, b) => b.triples - a.triples).slice(0, 3);
  if (!frequent.length) return [];
  return entities.map(({id, name}, i) => {
    const relation = frequent[i % frequent.length];
    return make("a", {href: about(id, relation.id)}, `${name || id} — ${relation.name || relation.id} → ?`);
  });
}

const choice = (title, items) => (items.length ? make("section", {}, make("h2", {}, title), chips(items)) : null);

function cards(run) {
  const best = headline(run);
  const all = [
    ["entities", count(run.entities), ""], ["relations", count(run.relations), ""], ["triples", count(run.triples), ""],
    ...(best ? [[best.name, figure(best.value), best.note]] : [])
  ];
  return make("dl", {class: "cards"},
              all.map(([name, value, note]) => make("div", {class: "card"}, make("dt", {}, name),
                                                    make("dd", {}, value, note ? make("small", {}, note) : null))));
}

export async function show(root, route, signal) {
  const run = await api.run();
  signal.throwIfAborted();
  const form = composer(kNothing, {}, {readsText: run.reads_text});
  const places = make("div", {});
  root.replaceChildren(
      make("h1", {class: "large"}, "What is missing?"),
      make("p", {class: "lead"},
           "Ask the model for links that the graph does not have, see how likely each one is, and why."),
      form, places,
      make("section", {}, make("h2", {}, "This run"), make("p", {}, run.model), cards(run),
           make("p", {}, make("a", {href: link("run")}, "Its scores and how it was trained"))));
  const tried = await examples();
  places.append(
      ...[choice("Lately", lately().map((each) => entityLink(each))), choice("For example", tried)].filter(Boolean));
  return "";
}
