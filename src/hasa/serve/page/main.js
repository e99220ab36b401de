// Puts the page together: the search in its head, and the view that the address asks for.
import * as add from "./add_view.js";
import * as api from "./api.js";
import * as ask from "./ask_view.js";
import {combobox} from "./combobox.js";
import {findEntities} from "./composer.js";
import {say} from "./dom.js";
import * as entity from "./entity_view.js";
import * as graph from "./graph_view.js";
import {trouble, waiting} from "./parts.js";
import {go, here, toEntity} from "./route.js";
import * as run from "./run_view.js";
import * as start from "./start_view.js";

const kViews = {
  start,
  ask,
  entity,
  graph,
  add,
  run
};
const kPatience = 150;  // milliseconds before "Loading…" is shown: most answers come sooner

const main = document.getElementById("main");
let running = new AbortController(), isFirst = true;

function titled(title) { document.title = title ? `${title} · hasa` : "hasa"; }

async function show() {
  running.abort();
  const {signal} = (running = new AbortController()), route = here(), view = kViews[route.view] ?? kViews.start;
  for (const each of document.querySelectorAll("nav a")) {
    if (each.hash === `#/${route.view}`)
      each.setAttribute("aria-current", "page");
    else
      each.removeAttribute("aria-current");
  }
  const before = main.firstChild;
  const patience = setTimeout(() => {
    if (main.firstChild === before) main.replaceChildren(waiting("Loading…"));
  }, kPatience);
  main.setAttribute("aria-busy", "true");
  try {
    const title = await view.show(main, route, signal).finally(() => clearTimeout(patience));
    if (!signal.aborted) arrived(title);
  } catch (error) {
    if (!signal.aborted) main.replaceChildren(trouble(error, show, "h1"));
  } finally {
    if (!signal.aborted) main.removeAttribute("aria-busy");
  }
}

/// Focus goes to what is new, unless a view has put it where one writes.
function arrived(title) {
  titled(title);
  if (!isFirst && !main.contains(document.activeElement)) {
    main.focus({preventScroll: true});
    scrollTo(0, 0);
    say(title || "Start");
  }
  isFirst = false;
}

const search = combobox({
  label: "Search an entity",
  placeholder: "Search an entity",
  find: findEntities,
  keepsText: false,
  onpick: ({id}) => go(toEntity(id))
});
document.getElementById("search").append(search);

document.addEventListener("keydown", (event) => {
  const isWriting = event.target.matches?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey ||
      document.querySelector("dialog[open]"))
    return;
  event.preventDefault();
  search.field.focus();
});
addEventListener("hashchange", show);
show();
api.run().then(({name}) => {
  document.getElementById("run-name").textContent = name;
}, () => {});  // the view says what is wrong
