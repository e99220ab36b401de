// A field that suggests while one types, by the combobox pattern of the ARIA guide: arrows choose, Enter takes, Escape
// closes, and focus stays in the field.
import {counted, later, make, newId, say} from "./dom.js";

/// `find(text, signal)` gives [{ id, name, note }], `onpick(item)` is told what was chosen, and `onclear()` that the
/// field no longer stands for it. The element has .field, .pick(item) and .clear().
export function combobox(
    {label, placeholder = "", find, onpick, onclear = () => {}, delay = 90, opensEmpty = false, keepsText = true}) {
  const listId = newId("list");
  const field = make("input", {
    type: "text",
    role: "combobox",
    "aria-label": label,
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": listId,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "search",
    placeholder
  });
  const list = make("ul", {id: listId, class: "choices", role: "listbox", "aria-label": label, hidden: true});
  const box = make("div", {class: "combobox"}, field, list);
  let items = [], at = -1, running = null, isPicked = false;

  function choose(next) {
    at = next;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
    const option = list.children[at];
    if (option) {
      field.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({block: "nearest"});
    } else
      field.removeAttribute("aria-activedescendant");
  }

  function close() {
    running?.abort();
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    choose(-1);
  }

  function show(found, text) {
    items = found;
    list.replaceChildren(...(found.length ? found.map((item, i) => optionOf(item, i, text)) : [nothing(text)]));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    choose(found.length && text !== "" ? 0 : -1);
    say(found.length ? `${counted(found.length, "suggestion")}` : "Nothing found");
  }

  function nothing(text) {
    return make("li", {class: "none", role: "option", "aria-disabled": "true"},
                text === "" ? "Nothing to choose from" : `Nothing is called “${text}”`);
  }

  function optionOf(item, i, text) {
    return make("li", {
      id: newId("option"),
      role: "option",
      "aria-selected": "false",
      class: item.kind ?? null,
      onpointerdown: (event) => event.preventDefault(),  // the field keeps the focus
      onclick: () => pick(item),
      onpointermove: () => {
        if (at !== i) choose(i);
      }
    },
                make("span", {class: "name"}, marked(item.name, text)),
                item.note ? make("small", {}, item.note) : null);
  }

  async function suggest() {
    const text = field.value.trim();
    if (text === "" && !opensEmpty) return close();
    running?.abort();
    const asked = running = new AbortController();
    try {
      const found = await find(text, asked.signal);
      if (!asked.signal.aborted && document.activeElement === field) show(found, text);
    } catch (error) {
      if (!asked.signal.aborted && error.name !== "AbortError") {
        close();
        say(error.message);
      }
    }
  }
  const suggestSoon = later(delay, suggest);

  function pick(item) {
    close();
    isPicked = keepsText;
    field.value = keepsText ? item.name : "";
    onpick(item);
  }

  field.addEventListener("input", () => {
    if (isPicked) {
      isPicked = false;
      onclear();
    }
    suggestSoon();
  });
  field.addEventListener("focus", () => {
    field.select();
    if (opensEmpty && !isPicked) suggest();
  });
  field.addEventListener("click", () => {
    if (opensEmpty && list.hidden) {
      if (isPicked) field.select();
      showAll();
    }
  });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    const last = items.length - 1;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) return isPicked ? showAll() : suggest();
      choose(event.key === "ArrowDown" ? (at >= last ? 0 : at + 1) : (at <= 0 ? last : at - 1));
    } else if (event.key === "Enter" && !list.hidden && items[at]) {
      event.preventDefault();
      pick(items[at]);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    }
  });

  async function showAll() {
    const found = await find("", new AbortController().signal).catch(() => []);
    if (document.activeElement === field) show(found, "");
  }

  box.field = field;
  box.pick = (item) => {
    isPicked = true;
    field.value = item.name;
  };
  box.clear = () => {
    isPicked = false;
    field.value = "";
  };
  return box;
}

/// The name with the places that were searched for set off.
function marked(name, text) {
  const words = text.split(/\s+/).filter(Boolean).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return name;
  const parts = name.split(new RegExp(`(${words.join("|")})`, "iu"));
  return parts.map((part, i) => (i % 2 ? make("mark", {}, part) : part));
}
