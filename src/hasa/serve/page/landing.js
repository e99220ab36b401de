// Where an entity lands: what the model answers about it, as cards and as dashed links round it.
import * as api from "./api.js";
import {figure, fill, make, percent, say} from "./dom.js";
import {GraphData} from "./graph_data.js";
import {GraphDrawing} from "./graph_drawing.js";
import {asked, bar, empty, entityLink, mark, sentence} from "./parts.js";
import {addressOf} from "./question.js";
import {go, toEntity} from "./route.js";

const kRelations = 3;  // are asked, from both sides
const kOfEach = 3;     // answers
const kDrawn = 9;

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

function answerItem(answer) {
  const {probability} = answer, isKnown = typeof probability === "number";
  return make("li", {},
              make("div", {class: "weight"}, isKnown ? bar(probability) : null,
                   make("span", {class: "figure"}, isKnown ? percent(probability) : figure(answer.score))),
              make("div", {}, entityLink(answer), " ", mark(answer.known, false)));
}

function landingCard({side, relation, answers}, given) {
  const name = relation.name || relation.id, me = make("b", {}, given.name);
  const end = {id: given.id ?? "", text: given.id ? "" : given.text};
  const question = addressOf({[side]: end, relation: relation.id, asks: side === "head" ? "tail" : "head"});
  return make("li", {class: "card"},
              make("a", {href: question}, side === "head" ? sentence(me, name, asked()) : sentence(asked(), name, me)),
              make("ul", {class: "weighed"}, answers.map(answerItem)));
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

/// Asks the most frequent relations from both sides and shows what the model answers. `given`:
/// { name, text } or { name, id }.
export async function land(place, given, signal) {
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
