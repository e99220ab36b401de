// Why an answer: rules that give it, paths to it, the nearest facts of training, the words that carried its score.
import {figure, make, percent} from "./dom.js";
import {bar, empty, entityLink} from "./parts.js";

const part = (title, remark, body) =>
    make("section", {}, make("h3", {}, title, remark ? make("small", {}, remark) : null), body);

const weighed = (fraction, words, body) =>
    make("li", {}, make("div", {class: "weight"}, bar(fraction), make("span", {class: "figure"}, words)),
         make("div", {}, body));

/// "r(X, Y)  <=  s(X, Z), t(Z, Y)", the conclusion set off from what it is drawn from.
function rule({text, confidence, middles = []}) {
  const kIf = "  <=  ", at = text.indexOf(kIf);
  const words = at < 0 ?
      text :
      [make("b", {}, text.slice(0, at)), make("span", {class: "muted"}, "  if  "), text.slice(at + kIf.length)];
  return weighed(confidence, percent(confidence), [
    make("code", {}, words), middles.length ? make("span", {class: "muted"}, " with Z = ") : null,
    middles.map((each, i) => [i ? ", " : "", entityLink(each)])
  ]);
}

/// A path as it is walked, with the way each triple points.
function path({text, steps = []}) {
  if (!steps.length) return make("li", {}, text);
  const hop = ({relation_name: relation, direction}) => make("span", {class: "hop"}, direction === "in" ? "←" : "—",
                                                             make("i", {}, relation), direction === "in" ? "—" : "→");
  return make("li", {class: "path"}, entityLink(steps[0].from),
              steps.map((step) => [" ", hop(step), " ", entityLink(step.to)]));
}

const fact = ({text, similarity}) => weighed(Math.max(0, similarity), figure(similarity, 2), text);

/// A text with its words coloured by what leaving each out would cost.
function words(list) {
  const most = Math.max(...list.map(({weight}) => Math.abs(weight))) || 1;
  return make("p", {class: "words"}, list.map(({word, weight}) => {
    const strength = Math.abs(weight) / most;
    const span =
        make("span", {class: weight >= 0 ? "for" : "against", title: `${weight >= 0 ? "+" : ""}${figure(weight)}`},
             word);
    span.style.setProperty("--strength", strength.toFixed(2));
    return [span, " "];
  }));
}

function strongest(list) {
  const best = list.filter(({weight}) => weight > 0).sort((a, b) => b.weight - a.weight).slice(0, 3);
  const against = list.some(({weight}) => weight < 0) ? "; dotted ones speak against it" : "";
  return (best.length ? `most: ${best.map(({word}) => word).join(", ")}` : "no word raises it") + against;
}

function wordParts(all) {
  return [["head", "Words of the head"], ["tail", "Words of the tail"]].map(([of, title]) => {
    const list = all.filter((each) => each.of === of);
    return list.length ? part(title, strongest(list), words(list)) : null;
  });
}

/// Of what POST /v1/explain answered. What a model has no reasons of its kind for is left out.
export function reasons({score, rules = [], paths = [], facts = [], words: all = []}) {
  const list = (items, of) => make("ul", {class: "weighed"}, items.map(of));
  const parts = [
    rules.length ? part("Rules that give it", "how often each held in training", list(rules, rule)) : null,
    paths.length ? part("Paths to it", "along known links", make("ul", {}, paths.map(path))) : null,
    facts.length ? part("Nearest known facts", "of this relation, by how alike both ends are", list(facts, fact)) :
                   null,
    wordParts(all),
  ].flat().filter(Boolean);
  return make(
      "div", {class: "parts"},
      parts.length ?
          parts :
          empty(
              "No rule gives it, no short path leads to it and no text was read: the model says so by its vectors alone."),
      make("p", {class: "muted score"}, `Score ${figure(score)}`));
}
