// A link that is added together with its entity: a relation, another entity, and which way.
import {combobox} from "./combobox.js";
import {findEntities, findRelations} from "./composer.js";
import {button, make, say} from "./dom.js";

/// .triple(id) is what is to be added to the entity with that id.
export function linkRow(onremove) {
  const state = {relation: "", other: "", isOut: true};
  const relation = combobox({
    label: "Relation",
    placeholder: "relation",
    find: findRelations,
    opensEmpty: true,
    delay: 0,
    onpick: ({id}) => {
      state.relation = id;
      other.field.focus();
    },
    onclear: () => {
      state.relation = "";
    }
  });
  const other = combobox({
    label: "Linked entity",
    placeholder: "entity",
    find: findEntities,
    onpick: ({id}) => {
      state.other = id;
    },
    onclear: () => {
      state.other = "";
    }
  });
  const flip = button("→", () => {
    state.isOut = !state.isOut;
    flip.textContent = state.isOut ? "→" : "←";
    say(state.isOut ? "from it" : "to it");
  }, {class: "flip", "aria-label": "Direction of the link", title: "→ from it, ← to it"});
  const row = make("li", {class: "link-row"}, flip, relation, other, button("×", () => {
                     row.remove();
                     onremove(row);
                   }, {class: "remove", "aria-label": "Remove this link"}));
  row.triple = (id) => (state.isOut ? {head: id, relation: state.relation, tail: state.other} :
                                      {head: state.other, relation: state.relation, tail: id});
  row.isWhole = () => state.relation !== "" && state.other !== "";
  row.isEmpty = () => relation.field.value.trim() === "" && other.field.value.trim() === "";
  row.focusFirst = () => relation.field.focus();
  return row;
}
