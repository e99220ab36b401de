// Ranked answers, each with how likely it is, whether it is known, and on demand why.
import * as api from "./api.js";
import {button, figure, make, newId, percent, say} from "./dom.js";
import {bar, entityLink, mark, trouble, waiting} from "./parts.js";
import {reasonOf} from "./question.js";
import {reasons} from "./reasons.js";

const hasProbability = ({probability}) => typeof probability === "number";

function likelihood(answer) {
  const value = hasProbability(answer) ? percent(answer.probability) : figure(answer.score);
  return make("div", {class: "likely"},
              hasProbability(answer) ? bar(answer.probability, answer.known ? "faint" : "") : null,
              make("span", {class: "figure", title: `score ${answer.score}`}, value,
                   make("span", {class: "unseen"}, hasProbability(answer) ? " likely" : " score")));
}

/// An answer to `question`, with reasons where there can be any.
function row(answer, rank, question, onopen) {
  const reason = reasonOf(question, answer);
  const panel =
      make("div",
           {class: "reasons", id: newId("reasons"), role: "region", "aria-label": `Why ${answer.name}`, hidden: true});
  const why =
      button("Why?", () => toggle(),
             {class: "why", "aria-expanded": "false", "aria-controls": panel.id, "aria-label": `Why ${answer.name}?`});
  let isLoaded = false;

  async function load() {
    panel.replaceChildren(waiting("Looking for reasons…"));
    try {
      panel.replaceChildren(reasons(await api.reasonsFor(reason.question, reason.answer)));
      say(`Reasons for ${answer.name}`);
      isLoaded = true;
    } catch (error) {
      panel.replaceChildren(trouble(error, load));
    }
  }

  function toggle() {
    const isOpen = panel.hidden;
    panel.hidden = !isOpen;
    why.setAttribute("aria-expanded", String(isOpen));
    onopen(isOpen ? answer.id : "");
    if (isOpen && !isLoaded) load();
  }

  const name = question.asks === "relation" ? make("b", {class: "name"}, answer.name || answer.id) :
                                              entityLink(answer, {class: "name"});
  const item = make("li", {class: answer.known ? "answer known" : "answer", dataset: {id: answer.id}},
                    make("span", {class: "rank", "aria-hidden": "true"}, rank),
                    make("div", {class: "who"}, name, " ", mark(answer.known),
                         answer.description ? make("p", {class: "note"}, answer.description) : null),
                    likelihood(answer), reason ? [why, panel] : null);
  item.open = toggle;
  return item;
}

/// Arrows go from answer to answer, on links and on buttons alike.
function moveByArrows(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const item = event.target.closest("li.answer"), kind = [".why", "a.name"].find((each) => event.target.matches(each));
  const next = kind && (event.key === "ArrowDown" ? item.nextElementSibling : item.previousElementSibling);
  if (!next) return;
  event.preventDefault();
  next.querySelector(kind)?.focus();
}

export function answerList(answers, question, {onopen = () => {}, opened = ""} = {}) {
  const list = make("ol", {class: "answers", onkeydown: moveByArrows},
                    answers.map((answer, i) => row(answer, i + 1, question, onopen)));
  if (opened) [...list.children].find((item) => item.dataset.id === opened)?.open();
  return list;
}

/// What the bars and figures beside the answers mean.
export const legend = (answers) => (
    answers.some(hasProbability) ?
        "A bar says how likely the link is to be true, as measured on links that were kept aside." :
        "The figures are the model's scores: the higher, the likelier. This run is not calibrated, so they are no chances.");
