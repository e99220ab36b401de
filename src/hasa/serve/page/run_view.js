// The run that answers: what it is, how good it is, how its training went, its relations.
import * as api from "./api.js";
import {curve} from "./curve_chart.js";
import {count, figure, make} from "./dom.js";
import {empty} from "./parts.js";

const kNames = {
  queries: "queries asked",
  mrr: "MRR",
  mr: "mean rank",
  "hits@1": "Hits@1",
  "hits@3": "Hits@3",
  "hits@10": "Hits@10",
  ece: "calibration error",
  brier: "Brier score"
};
const kNotes = {
  mrr: "mean of 1 / rank of the right answer",
  mr: "of the right answer",
  "hits@10": "right answer among ten",
  ece: "how far probabilities are off, on average"
};
const splitName = (split) => `the ${split === "valid" ? "validation" : split} split`;
const isNumber = (value) => typeof value === "number";
const nameOf = (key) => kNames[key.toLowerCase()] ?? key.replace(/_/g, " ");

/// [{ split, key, value }] of scores that are given for one split, or for several.
function flat(scores) {
  return Object.entries(scores ?? {})
      .flatMap(([key, value]) =>
                   (isNumber(value) ? [{split: "", key, value}] :
                        value && typeof value === "object" ?
                                      Object.entries(value)
                                          .filter(([, each]) => isNumber(each))
                                          .map(([each, number]) => ({split: key, key: each, value: number})) :
                                      []));
}

/// The figure to say first: MRR on the test split, or on whatever there is.
export function headline({scores, curve: epochs}) {
  const all = flat(scores).filter(({key}) => key.toLowerCase() === "mrr");
  const best = all.find(({split}) => split === "test") ?? all[0];
  if (best) return {name: "MRR", value: best.value, note: best.split ? `on ${splitName(best.split)}` : kNotes.mrr};
  const valid = (epochs ?? []).map((each) => each.valid_mrr).filter(isNumber);
  return valid.length ? {name: "MRR", value: Math.max(...valid), note: "on the validation split"} : null;
}

function scoreCards(scores) {
  const all = flat(scores);
  if (!all.length) return empty("This run has not been evaluated; hasa eval does that.");
  const splits = [...new Set(all.map(({split}) => split))];
  return splits.map(
      (split) => [split ? make("h3", {}, `On ${splitName(split)}`) : null,
                  make("dl", {class: "cards"},
                       all.filter((each) => each.split === split)
                           .map(({key, value}) =>
                                    make("div", {class: "card"}, make("dt", {}, nameOf(key)),
                                         make("dd", {}, figure(value),
                                              kNotes[key.toLowerCase()] ? make("small", {}, kNotes[key.toLowerCase()]) :
                                                                          null))))]);
}

function curves(epochs = []) {
  const of = (key) => epochs.filter((each) => isNumber(each[key])).map((each) => ({x: each.epoch, y: each[key]}));
  const loss = of("loss"), mrr = of("valid_mrr");
  const figures = [
    mrr.length > 1 ? curve({
      title: "MRR on the validation split",
      remark: "the best epoch is the one that answers here",
      points: mrr
    }) :
                     null,
    loss.length > 1 ? curve({title: "Loss", remark: "mean over each epoch's steps", points: loss, series: 1}) : null
  ].filter(Boolean);
  if (figures.length) return make("div", {class: "charts"}, figures);
  return empty(loss.length ? "Trained for a single epoch: a curve begins with the second." :
                             "Fitted in one pass: there is no training curve.");
}

function relationTable(relations) {
  const rows = [...relations].sort((a, b) => b.triples - a.triples);
  return make("div", {class: "scroll tall"},
              make("table", {},
                   make("thead", {},
                        make("tr", {}, make("th", {}, "relation"), make("th", {class: "number"}, "training triples"))),
                   make("tbody", {},
                        rows.map(({name, id, triples}) => make("tr", {}, make("td", {}, name || id),
                                                               make("td", {class: "number"}, count(triples)))))));
}

export async function show(root, route, signal) {
  const [run, relations] = await Promise.all([api.run(), api.relations()]);
  signal.throwIfAborted();
  const facts = [
    ["Graph", run.graph], ["Entities", count(run.entities)], ["Triples", count(run.triples)],
    [
      "Reads text",
      run.reads_text ? "yes: entities it never saw can be asked about" :
                       "no: only entities of the graph can be asked about"
    ],
    ["A score is", run.score],
    [
      "Probabilities",
      run.calibrated ? "calibrated on the validation split" : "none: scores order answers, and are no probabilities"
    ]
  ];
  root.replaceChildren(make("h1", {}, run.name), make("p", {class: "lead"}, run.model),
                       make("section", {}, make("h2", {}, "Scores"), scoreCards(run.scores)),
                       make("section", {}, make("h2", {}, "Training"), curves(run.curve)),
                       make("section", {}, make("h2", {}, "What it is"),
                            make("dl", {class: "entries"},
                                 facts.map(([name, value]) =>
                                               make("div", {}, make("dt", {}, name), make("dd", {}, value))))),
                       make("section", {}, make("h2", {}, "Relations"), relationTable(relations)));
  return run.name;
}
