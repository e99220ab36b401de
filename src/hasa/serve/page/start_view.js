// Where one comes in: a question to put together, places to begin, and what this run is.
import * as api from "./api.js";
import {composer} from "./composer.js";
import {count, figure, make} from "./dom.js";
import {chips, entityLink, lately} from "./parts.js";
import {about, kNothing} from "./question.js";
import {link} from "./route.js";
import {headline} from "./run_view.js";

const kBeginnings = ["s", "c", "m"];  // of names: most of them begin so, and search puts those with many links first
const kOfEach = 2;

/// Questions to begin with: well-linked entities, each asked by a relation that it has.
async function examples() {
  const found = await Promise.all(kBeginnings.map((letter) => api.searched(letter, kOfEach)));
  const entities = await Promise.all(found.flat().map(({id}) => api.entity(id)));
  return entities.filter(({facts}) => facts.length).map((entity) => {
    const [{relation, relation_name: name, direction}] = entity.facts, isOut = direction === "out";
    const me = entity.name || entity.id;
    return make("a", {href: about(entity.id, relation, isOut ? "head" : "tail")},
                isOut ? `${me} — ${name} → ?` : `? — ${name} → ${me}`);
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
  const tried = await examples().catch(() => []);  // nothing depends on them
  places.append(
      ...[choice("Lately", lately().map((each) => entityLink(each))), choice("For example", tried)].filter(Boolean));
  return "";
}
