// The graph, to be walked: a click or Enter opens an entity's neighbours, arrows go from one to the next.
import * as api from "./api.js";
import {combobox} from "./combobox.js";
import {findEntities} from "./composer.js";
import {button, count, counted, fill, make, newId, say, shortened} from "./dom.js";
import {GraphData} from "./graph_data.js";
import {GraphDrawing} from "./graph_drawing.js";
import {chips, empty, entityLink, lately, trouble, visited} from "./parts.js";
import {about} from "./question.js";
import {go, link, retitle, toEntity, toGraph} from "./route.js";

const kFew = 10;  // neighbours in the small view
const kSmallHelp = "Arrow keys go from entity to entity, Enter shows one.";
const kHelp =
    "Click an entity to open its neighbours; drag to move, scroll or pinch to zoom. Keys: arrows go from one " +
    "to the next, Enter opens, O shows its page, + and − zoom, 0 fits.";
const kFull = "The view is full; start again from another entity to see more.";

/// The node that lies most in the direction of an arrow key from `from`.
function inDirection(key, from, nodes) {
  const [ux, uy] = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}[key];
  let best = null, least = Infinity;
  for (const node of nodes) {
    const dx = node.place.x - from.place.x, dy = node.place.y - from.place.y, along = dx * ux + dy * uy,
          aside = Math.abs(dx * uy - dy * ux);
    if (node === from || along <= 0 || aside > 2 * along) continue;
    const cost = along + 1.5 * aside;
    if (cost < least) {
      least = cost;
      best = node;
    }
  }
  return best;
}

/// { element, data, choose(id) }. `onchange()` is called when what is shown has changed. A small one stands on another
/// page: it takes no wheel, and a click follows to the entity.
export function graph(ids, {isSmall = false, signal = null, onchange = () => {}} = {}) {
  const data = new GraphData();
  const state = {chosen: ids[0] ?? null};
  const help = make("p", {id: newId("help"), class: isSmall ? "unseen" : "muted help"}, isSmall ? kSmallHelp : kHelp);
  const drawing = new GraphDrawing(data, {isSmall, onpick: (id) => (isSmall ? go(toEntity(id)) : pick(id))});
  drawing.svg.setAttribute("aria-label", "Entities and their links");
  drawing.svg.setAttribute("aria-describedby", help.id);
  drawing.svg.addEventListener("keydown", key);
  const element = make("div", {class: isSmall ? "graph small" : "graph"}, drawing.svg, help);

  function choose(id, isFocused = false) {
    state.chosen = id;
    drawing.update(id);
    if (isFocused) {
      drawing.reveal(id);
      drawing.focus(id);
    }
    onchange(data, id);
  }

  async function open(id) {
    try {
      const added = await data.open(id, isSmall ? kFew : undefined);
      if (signal?.aborted) return;
      choose(id, document.activeElement?.closest("svg.walk"));
      if (!isSmall)
        say(added ? `${counted(added, "neighbour")} of ${data.nodes.get(id).name} added` :
                data.isFull ? kFull :
                              "All its links are shown");
    } catch (error) {
      if (error.name !== "AbortError") fill(element, trouble(error));
    }
  }

  /// A first click on an entity chooses and opens it; the next ones bring more of its neighbours.
  function pick(id) {
    choose(id, true);
    open(id);
  }

  function key(event) {
    const node = data.nodes.get(state.chosen);
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      Enter: () => (isSmall ? go(toEntity(node.id)) : pick(node.id)),
      " ": () => (isSmall ? go(toEntity(node.id)) : pick(node.id)),
      "+": () => drawing.zoom(1.25),
      "=": () => drawing.zoom(1.25),
      "-": () => drawing.zoom(0.8),
      0: () => drawing.fit(),
      o: () => go(toEntity(node.id)),
      O: () => go(toEntity(node.id))
    };
    if (event.key.startsWith("Arrow")) {
      const next = inDirection(event.key, node, data.nodes.values());
      if (next) choose(next.id, true);
    } else if (acts[event.key])
      acts[event.key]();
    else
      return;
    event.preventDefault();
  }

  const ready = (async () => {
    for (const id of ids) await open(id);
    if (ids.length) choose(ids[0]);
  })();
  return {element, data, drawing, choose, open, pick, ready};
}

/// What is chosen: its text, and its links as a list, which is the graph for those who do not see it.
function sidePanel(panel, walk, id) {
  const node = walk.data.nodes.get(id);
  const links = walk.data.linksOf(node);
  const rest = node.count === null ? 0 : node.count - links.length;
  fill(panel, make("h2", {}, node.name), node.description ? make("p", {}, shortened(node.description, 200)) : null,
       make("div", {class: "actions"}, make("a", {class: "button", href: toEntity(id)}, "Its page"),
            make("a", {class: "button", href: about(id, "")}, "Ask"),
            !node.isOpen || rest > 0 ? button(node.isOpen ? "More neighbours" : "Open", () => walk.open(id)) : null),
       walk.data.isFull ? make("p", {class: "muted"}, kFull) : null,
       make("h3", {}, "Links shown ",
            make("small", {},
                 node.count === null ? count(links.length) :
                                       `${count(links.length)} of ${count(Math.max(node.count, links.length))}`)),
       make("ul", {class: "facts"},
            links.map(({edge, isOut, other}) =>
                          make("li", {class: walk.drawing.colourOf(edge.relation)},
                               make("span", {class: "key", "aria-hidden": "true"}, isOut ? "→" : "←"),
                               make("span", {class: "unseen"}, isOut ? "to " : "from "),
                               make("small", {}, `${edge.relationName} `),
                               button(other.name, () => walk.pick(other.id), {class: "as-link"})))));
}

async function chooseStart(root) {
  const field = combobox({
    label: "Entity to start from",
    placeholder: "an entity to start from",
    find: findEntities,
    onpick: ({id}) => go(toGraph(id))
  });
  const before = lately();
  root.replaceChildren(make("h1", {}, "Walk the graph"),
                       make("p", {class: "lead"}, "Start anywhere and go from link to link."),
                       make("div", {class: "single"}, field),
                       before.length ?
                           make("section", {}, make("h2", {}, "Lately"),
                                chips(before.map(({id, name}) => make("a", {href: toGraph(id)}, name || id)))) :
                           empty("Search an entity to begin."));
  field.field.focus();
  return "Graph";
}

export async function show(root, {id, params}, signal) {
  if (!id) return chooseStart(root);
  const entity = await api.entity(id);
  signal.throwIfAborted();
  visited(entity);
  const panel = make("aside", {class: "panel", "aria-label": "The entity chosen"});
  const opened = (params.get("open") ?? "").split("\n").filter((each) => each && each !== id).slice(0, 30);
  const walk = graph([id, ...opened], {
    signal,
    onchange: async (data, chosen) => {
      const openIds = [...data.nodes.values()].filter((node) => node.isOpen && node.id !== id).map((node) => node.id);
      retitle(link("graph", id, {open: openIds.join("\n")}));
      if (data.nodes.get(chosen).count === null) await data.describe(chosen).catch(() => {});
      if (!signal.aborted && data.nodes.has(chosen)) sidePanel(panel, walk, chosen);
    }
  });
  const bar = make("div", {class: "tools", role: "group", "aria-label": "View"},
                   button("+", () => walk.drawing.zoom(1.25), {"aria-label": "Zoom in"}),
                   button("−", () => walk.drawing.zoom(0.8), {"aria-label": "Zoom out"}),
                   button("Fit", () => walk.drawing.fit()));
  walk.element.append(bar);
  root.replaceChildren(make("h1", {}, "From ", entityLink(entity)),
                       make("div", {class: "walking"}, walk.element, panel));
  await walk.ready;
  return `Graph from ${entity.name || entity.id}`;
}
