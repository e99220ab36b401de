// A new entity by its text, or another text for one that is there; where it lands is shown while one writes.
import * as api from "./api.js";
import {button, fill, later, make, newId, say} from "./dom.js";
import {land} from "./landing.js";
import {linkRow} from "./link_row.js";
import {empty, entityLink, trouble, visited, waiting} from "./parts.js";
import {about} from "./question.js";
import {link, toEntity} from "./route.js";

const kLead =
    "A name and a sentence are enough: the model reads them, and it can be asked at once. Nothing is trained anew.";
const kPause = 450;  // of whoever writes, before the model is asked

const idOf = (name) => name.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_+|_+$/g, "");
const textOf = ({name, description}) => (description ? `${name}: ${description}` : name);

/// An id is found before any name.
const isTaken = async (id) => (await api.searched(id, 1))[0]?.id === id;

function labelled(label, field, note = "") {
  field.id = newId("field");
  return make("div", {class: "field"}, make("label", {for: field.id
              }, label), field, note ? make("small", {}, note) : null);
}

/// `edited` is the entity whose text is changed, or null for a new one.
class EntityForm {
  constructor(root, edited, signal) {
    Object.assign(this, {root, edited, signal, running: null, isOwnId: edited !== null});
    this.name = make("input", {
      type: "text",
      required: true,
      maxlength: 500,
      autocomplete: "off",
      value: edited?.name ?? "",
      placeholder: "red fox"
    });
    this.description = make("textarea", {
      rows: 4,
      maxlength: 4000,
      value: edited?.description ?? "",
      placeholder: "a fox with reddish fur, common across the northern hemisphere"
    });
    this.id = make(
        "input",
        {type: "text", autocomplete: "off", spellcheck: "false", value: edited?.id ?? "", readonly: edited !== null});
    this.links = make("ul", {class: "link-rows"});
    this.problem = make("div", {});
    this.submit = make("button", {class: "main"}, edited ? "Save" : "Add to the graph");
    this.place =
        make("div", {class: "landing-place"}, empty("Begin to write, and the model shows here where it would put it."));
    this.listen();
  }

  listen() {
    const previewSoon = later(kPause, () => this.preview());
    const typed = () => {
      if (!this.isOwnId) this.id.value = idOf(this.name.value);
      previewSoon();
    };
    this.name.addEventListener("input", typed);
    this.description.addEventListener("input", typed);
    this.id.addEventListener("input", () => {
      this.isOwnId = this.id.value !== "";
    });
  }

  text() { return {name: this.name.value.trim(), description: this.description.value.trim()}; }

  show() {
    const {edited} = this;
    const addLink = button("Add a link", () => {
      const row = linkRow(() => addLink.focus());
      this.links.append(row);
      row.focusFirst();
    });
    const form =
        make("form", {class: "entity-form", onsubmit: (event) => this.save(event)}, labelled("Name", this.name),
             labelled("Description", this.description,
                      "one sentence on what it is; the more it says, the better it is placed"),
             labelled("Id", this.id, edited ? "" : "made from the name; how programs refer to it"),
             make("fieldset", {}, make("legend", {}, "Links"), this.links, addLink), this.problem,
             make("div", {class: "actions"}, this.submit,
                  edited ? make("a", {class: "button", href: toEntity(edited.id)}, "Cancel") : null));
    fill(this.root, make("h1", {}, this.title()), make("p", {class: "lead"}, kLead),
         make("div", {class: "beside even"}, form,
              make("section", {class: "lands"}, make("h2", {}, "Where it lands"), this.place)));
    this.name.focus();
    if (edited) this.preview();
  }

  title() { return this.edited ? `Edit ${this.edited.name || this.edited.id}` : "Add an entity"; }

  /// Where the text would land as it stands, without anything being kept.
  async preview() {
    const {name, description} = this.text();
    this.running?.abort();
    if (!name || this.signal.aborted) return;
    const asked = this.running = new AbortController();
    if (this.place.querySelector(".empty")) fill(this.place, waiting("Reading…"));
    try {
      await land(this.place, {name, text: textOf({name, description})}, asked.signal);
    } catch (error) {
      if (!asked.signal.aborted) fill(this.place, trouble(error, () => this.preview()));
    }
  }

  async save(event) {
    event.preventDefault();
    const rows = [...this.links.children].filter((row) => !row.isEmpty()),
          unfinished = rows.find((row) => !row.isWhole());
    if (unfinished) return unfinished.focusFirst();
    const id = this.id.value.trim() || idOf(this.name.value);
    this.submit.disabled = true;
    fill(this.problem);
    try {
      if (!this.edited && await isTaken(id)) return this.refuse(id);
      await api.putEntity(id, this.text());
      if (rows.length) await api.addTriples(rows.map((row) => row.triple(id)));
      await this.saved(id);
    } catch (error) {
      fill(this.problem, trouble(error));
    } finally {
      this.submit.disabled = false;
    }
  }

  refuse(id) {
    this.id.focus();
    fill(this.problem,
         make("section", {class: "warning", role: "alert"},
              make("p", {}, `There is an entity with the id “${id}” already. Give this one another id, or `,
                   make("a", {href: link("add", id)}, "edit that one"), ".")));
  }

  async saved(id) {
    const entity = await api.entity(id);
    this.running?.abort();
    visited(entity);
    say(`${entity.name} is saved and can be asked about`);
    fill(this.root,
         make("h1", {tabindex: "-1"}, entityLink(entity), this.edited ? " has its new text" : " is in the graph"),
         make("p", {class: "lead"}, entity.description),
         make("div", {class: "actions"}, make("a", {class: "button main", href: toEntity(id)}, "See its page"),
              make("a", {class: "button", href: about(id, "")}, "Ask about it"),
              button("Add another", () => new EntityForm(this.root, null, this.signal).show())),
         make("h2", {}, "Where it landed"), this.place);
    this.root.querySelector("h1").focus();
    await land(this.place, {id, name: entity.name || id}, this.signal)
        .catch((error) => fill(this.place, trouble(error)));
  }
}

function why(run) {
  if (run.takes_changes === false) return "This server takes no changes: it was started with --read-only.";
  return run.reads_text ?
      "" :
      "This run reads no text, so the model could say nothing about an entity that it was not trained with.";
}

export async function show(root, {id}, signal) {
  const [edited, run] = await Promise.all([id ? api.entity(id) : null, api.run()]);
  signal.throwIfAborted();
  if (why(run)) {
    fill(root, make("h1", {}, "Add an entity"), empty(why(run)));
    return "Add an entity";
  }
  const form = new EntityForm(root, edited, signal);
  form.show();
  return form.title();
}
