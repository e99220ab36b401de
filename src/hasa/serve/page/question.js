// A question as the address has it, as the server wants it, and as people read it. Of head, relation and tail two are
// given and the third is asked for; an end is an entity's id, or a text that nobody has seen.
import * as api from "./api.js";
import {make, shortened} from "./dom.js";
import {asked, entityLink, sentence} from "./parts.js";
import {link} from "./route.js";

const kMost = 1000;
const noEnd = {
  id: "",
  text: ""
};
export const kNothing = {
  asks: "tail",
  head: noEnd,
  tail: noEnd,
  relation: "",
  isNewOnly: false,
  top: 10
};

export const isGiven = (end) => end.id !== "" || end.text !== "";

export function questionOf(params) {
  const end = (side) => ({id: params.get(side) ?? "", text: params.get(`${side}_text`) ?? ""});
  const head = end("head"), tail = end("tail"), asks = !isGiven(tail) ? "tail" : isGiven(head) ? "relation" : "head";
  return {
    asks,
    head,
    tail,
    relation: params.get("relation") ?? "",
    isNewOnly: params.get("new") === "1",
    top: Math.min(kMost, Math.max(1, Number(params.get("top")) || kNothing.top))
  };
}

/// What is given of a question, as the server names it; what is asked for is left out, as is what is empty.
function givenOf({asks, head, tail, relation}) {
  const all = {head: head.id, head_text: head.text, tail: tail.id, tail_text: tail.text, relation};
  return Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== "" && name.split("_")[0] !== asks));
}

export function addressOf(question, more = {}) {
  const whole = {...kNothing, ...question};
  return link(
      "ask", "",
      {...givenOf(whole), new: whole.isNewOnly ? "1" : "", top: whole.top === kNothing.top ? "" : whole.top, ...more});
}

/// (entity, relation, ?), or (?, relation, entity) where the entity is its tail.
export const about = (id, relation, side = "head", more = {}) =>
    addressOf({[side]: {id, text: ""}, relation, asks: side === "head" ? "tail" : "head", ...more});

export const requestOf = (question) => ({...givenOf(question), top: question.top, new_only: question.isNewOnly});

/// Why an answer is one is asked of a triple's ends: where a relation was asked for, the tail is what needs reasons.
/// Null where an end is a text and nothing could be the answer.
export function reasonOf(question, answer) {
  if (question.asks !== "relation") return {question: givenOf(question), answer: answer.id};
  if (question.tail.id === "") return null;
  return {question: givenOf({...question, asks: "tail", relation: answer.id}), answer: question.tail.id};
}

export const isWhole = (question) => Object.keys(givenOf(question)).length === 2;

/// The relation a request means, whichever way it is written; null when there is none.
export async function relationOf(id) {
  const known = await api.relations();
  return known.find((each) => each.id === id) ?? known.find((each) => each.name === id) ?? null;
}

/// "beagle — hypernym → ?"; names: { head, tail, relation }, the ends as { id, name }.
export function inWords({asks}, names) {
  const end = (side) => (side === asks      ? asked() :
                             names[side].id ? entityLink(names[side]) :
                                              make("q", {}, shortened(names[side].name, 60)));
  return sentence(end("head"), asks === "relation" ? asked() : names.relation, end("tail"));
}

export function inText({asks}, names) {
  const end = (side) => (side === asks ? "?" : shortened(names[side].name, 30));
  return `${end("head")} — ${asks === "relation" ? "?" : names.relation} → ${end("tail")}`;
}
