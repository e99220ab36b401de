// A question and its answers.
import {answerList, legend} from "./answers.js";
import * as api from "./api.js";
import {composer} from "./composer.js";
import {button, counted, fill, make, say, shortened} from "./dom.js";
import {empty, entityLink, trouble, waiting} from "./parts.js";
import {addressOf, inText, inWords, isGiven, isWhole, questionOf, relationOf, requestOf} from "./question.js";
import {retitle} from "./route.js";

const kMore = 5;  // times as many answers, when asked for more

/// The entities at the ends as the graph has them, or { name } of a text.
async function namesOf({head, tail, relation}) {
  const of = async ({id, text}) =>
      (id ? api.entity(id).then((entity) => ({...entity, name: entity.name || id})) : {name: text});
  const [headNamed, tailNamed, relationNamed] =
      await Promise.all([of(head), of(tail), relation ? relationOf(relation) : null]);
  return {
    head: headNamed,
    tail: tailNamed,
    relation: relationNamed ? relationNamed.name || relationNamed.id : relation
  };
}

function aboutEnd(end) {
  if (!end.id)
    return [
      make("p", {}, make("q", {}, shortened(end.name, 300))),
      make("p", {class: "muted"}, "A text that the model has never seen. It is read for this question and not kept.")
    ];
  return [
    make("p", {}, entityLink(end), end.description ? `: ${shortened(end.description, 240)}` : ""),
    make("p", {class: "muted"}, `${counted(end.fact_count, "fact")} in the graph`)
  ];
}

function aboutGiven(question, names) {
  const given = ["head", "tail"].filter((side) => side !== question.asks);
  return make("aside", {class: "about"}, make("h2", {}, "What is known"), given.map((side) => aboutEnd(names[side])));
}

function results(question, names, signal) {
  const state = {...question};
  const found = make("div", {class: "found"});
  const remark = make("p", {class: "muted"});
  const isNewOnly = make("input", {
    type: "checkbox",
    role: "switch",
    onchange: () => {
      state.isNewOnly = isNewOnly.checked;
      retitle(addressOf(state));
      load();
    }
  });
  isNewOnly.checked = state.isNewOnly;

  async function load(opened = "") {
    found.setAttribute("aria-busy", "true");
    if (!found.hasChildNodes()) found.append(waiting("Asking…"));
    try {
      show(await api.answersTo(requestOf(state), signal), opened);
    } catch (error) {
      if (error.name === "AbortError") return;
      remark.textContent = "";
      found.replaceChildren(trouble(error, () => load()));
    } finally {
      found.removeAttribute("aria-busy");
    }
  }

  function show(answers, opened) {
    remark.textContent = answers.length ? legend(answers) : "";
    if (!answers.length)
      return found.replaceChildren(empty(state.isNewOnly ? "Nothing new: every answer the model has is known already." :
                                                           "The model has no answer to this."));
    const more = button("Show more", () => {
      state.top *= kMore;
      retitle(addressOf(state));
      load();
    });
    fill(found, answerList(answers, state, {opened, onopen: (id) => retitle(addressOf(state, {why: id}))}),
         answers.length >= state.top && state.top < 1000 ? make("div", {class: "actions"}, more) : null);
    return say(`${counted(answers.length, "answer")}; first ${answers[0].name}`);
  }

  return {
    load,
    section: make("section", {class: "results"},
                  make("div", {class: "results-head"}, make("h2", {}, inWords(question, names)),
                       make("label", {class: "switch"}, isNewOnly, "new only")),
                  remark, found)
  };
}

export async function show(root, {params}, signal) {
  const question = questionOf(params);
  const [names, run] = await Promise.all([namesOf(question), api.run()]);
  signal.throwIfAborted();
  const form = composer(question, {head: names.head.name, tail: names.tail.name, relation: names.relation},
                        {readsText: run.reads_text});
  root.replaceChildren(make("h1", {}, "Ask"), form);
  if (!isWhole(question)) {
    root.append(
        empty("Give two of the three, and the model ranks everything that could stand in the place of the third."));
    if (!isGiven(question.head) && !isGiven(question.tail))
      form.querySelector("input[role=combobox]").focus({preventScroll: true});
    return "Ask";
  }
  const {load, section} = results(question, names, signal);
  root.append(make("div", {class: "beside"}, section, aboutGiven(question, names)));
  await load(params.get("why") ?? "");
  return inText(question, names);
}
