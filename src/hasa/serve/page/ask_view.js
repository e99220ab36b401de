// A question and its answers.
import * as api from "./api.js";
import { button, counted, fill, make, say, shortened } from "./dom.js";
import { answerList, legend } from "./answers.js";
import { composer } from "./composer.js";
import { empty, entityLink, trouble, waiting } from "./parts.js";
import { addressOf, inWords, isWhole, questionOf, relationOf, requestOf } from "./question.js";
import { retitle } from "./route.js";

const kMore = 5; // times as many answers, when asked for more

async function namesOf(question) {
  const [given, relation] = await Promise.all([question.id ? api.entity(question.id) : null, question.relation ? relationOf(question.relation) : null]);
  return { given, relation, givenName: given ? given.name || given.id : question.text, relationName: relation ? relation.name || relation.id : question.relation };
}

function aboutGiven(given, text) {
  return make("aside", { class: "about" }, make("h2", {}, "What is known of it"),
    given ? [make("p", {}, entityLink(given), given.description ? `: ${shortened(given.description, 240)}` : ""),
      make("p", { class: "muted" }, `${counted(given.fact_count, "fact")} in the graph`)]
      : [make("p", {}, make("q", {}, shortened(text, 300))), make("p", { class: "muted" }, "A text that the model has never seen. It is read for this question and not kept.")]);
}

function results(question, names, signal) {
  const state = { ...question };
  const found = make("div", { class: "found", "aria-live": "off" });
  const remark = make("p", { class: "muted" });
  const isNewOnly = make("input", { type: "checkbox", role: "switch", onchange: () => { state.isNewOnly = isNewOnly.checked; retitle(addressOf(state)); load(); } });
  isNewOnly.checked = state.isNewOnly;

  async function load(opened = "") {
    found.setAttribute("aria-busy", "true");
    if (!found.hasChildNodes()) found.append(waiting("Asking…"));
    try {
      const request = requestOf(state);
      const answers = await api.answersTo(request, signal);
      show(answers, request, opened);
    } catch (error) {
      if (error.name === "AbortError") return;
      remark.textContent = "";
      found.replaceChildren(trouble(error, () => load()));
    } finally {
      found.removeAttribute("aria-busy");
    }
  }

  function show(answers, request, opened) {
    if (!answers.length) return found.replaceChildren(empty(state.isNewOnly ? "Nothing new: every answer the model has is known already." : "The model has no answer to this."));
    remark.textContent = legend(answers);
    const more = button("Show more", () => { state.top *= kMore; retitle(addressOf(state)); load(); });
    fill(found, answerList(answers, request, { opened, onopen: (id) => retitle(addressOf(state, { why: id })) }),
      answers.length >= state.top && state.top < 1000 ? make("div", { class: "actions" }, more) : null);
    return say(`${counted(answers.length, "answer")}; first ${answers[0].name}`);
  }

  return { load, section: make("section", { class: "results" },
    make("div", { class: "results-head" }, make("h2", {}, inWords(question, names.given ?? { name: question.text }, names.relationName)),
      make("label", { class: "switch" }, isNewOnly, "new only")), remark, found) };
}

export async function show(root, { params }, signal) {
  const question = questionOf(params);
  const [names, run] = await Promise.all([namesOf(question), api.run()]);
  signal.throwIfAborted();
  const form = composer(question, { given: question.id ? names.givenName : "", relation: names.relationName }, { readsText: run.reads_text });
  root.replaceChildren(make("h1", {}, "Ask"), form);
  if (!isWhole(question)) {
    root.append(empty("Choose an entity and a relation: the model ranks everything that could stand at the other end."));
    return "Ask";
  }
  const { load, section } = results(question, names, signal);
  root.append(make("div", { class: "beside" }, section, aboutGiven(names.given, question.text)));
  await load(params.get("why") ?? "");
  return question.side === "head" ? `${shortened(names.givenName, 30)} — ${names.relationName} → ?` : `? — ${names.relationName} → ${shortened(names.givenName, 30)}`;
}
