// A question as the address has it, as the server wants it, and as people read it.
import * as api from "./api.js";
import { make, shortened } from "./dom.js";
import { link } from "./route.js";
import { asked, entityLink, sentence } from "./parts.js";

/// { side: "head" | "tail" that is given, id or text of it, relation, isNewOnly, top }
export function questionOf(params) {
  const side = params.has("tail") || params.has("tail_text") ? "tail" : "head";
  return { side, id: params.get(side) ?? "", text: params.get(`${side}_text`) ?? "", relation: params.get("relation") ?? "",
    isNewOnly: params.get("new") === "1", top: Math.min(1000, Math.max(1, Number(params.get("top")) || 10)) };
}

const kNothing = { side: "head", id: "", text: "", relation: "", isNewOnly: false, top: 10 };

export function addressOf(question, more = {}) {
  const { side, id, text, relation, isNewOnly, top } = { ...kNothing, ...question };
  return link("ask", "", { [side]: id, [`${side}_text`]: text, relation, new: isNewOnly ? "1" : "", top: top === 10 ? "" : top, ...more });
}

export function requestOf({ side, id, text, relation, isNewOnly, top }) {
  return { ...(text ? { [`${side}_text`]: text } : { [side]: id }), relation, top, new_only: isNewOnly };
}

export const isWhole = ({ id, text, relation }) => (id !== "" || text !== "") && relation !== "";

/// The relation a request means, whichever way it is written; null when there is none.
export async function relationOf(id) {
  const known = await api.relations();
  return known.find((each) => each.id === id) ?? known.find((each) => each.name === id) ?? null;
}

/// "beagle — hypernym → ?"
export function inWords({ side }, given, relationName) {
  const known = given.id ? entityLink(given) : make("q", {}, shortened(given.name, 60));
  return side === "head" ? sentence(known, relationName, asked()) : sentence(asked(), relationName, known);
}
