// Draws a GraphData as SVG and keeps the drawing where its layout is; can be dragged, scrolled and pinched.
import {makeSvg, shortened} from "./dom.js";

const kColours = 5;
const kMargin = 60;
const kLabel = 22;
const radius = ({isOpen}) => (isOpen ? 9 : 6.5);

export class GraphDrawing {
  view = {x: 0, y: 0, scale: 1};
  #marks = new Map();   // node id -> group
  #lines = new Map();   // edge key -> { group, path, text }
  #isFollowing = true;  // the view fits itself until somebody moves it

  constructor(data, {onpick, isSmall}) {
    Object.assign(this, {data, onpick, isSmall});
    this.stage = makeSvg("g", {});
    this.edgeLayer = makeSvg("g", {"aria-hidden": "true"});
    this.nodeLayer = makeSvg("g", {});
    this.stage.append(this.edgeLayer, this.nodeLayer);
    this.svg = makeSvg("svg", {class: "walk", role: "group"},
                       makeSvg("defs", {}, ...[...Array(kColours).keys()].map(arrowHead)), this.stage);
    this.#listen();
    new ResizeObserver(() => this.place()).observe(this.svg);
  }

  colourOf(relation) { return `s${this.data.relations.indexOf(relation) % kColours}`; }

  /// Draws what came since.
  update(chosen) {
    for (const node of this.data.nodes.values()) {
      if (!this.#marks.has(node.id)) this.#addNode(node);
      const mark = this.#marks.get(node.id);
      mark.setAttribute("class", `node${node.isOpen ? " open" : ""}${node.id === chosen ? " chosen" : ""}`);
      mark.setAttribute("tabindex", node.id === chosen ? "0" : "-1");
      mark.setAttribute("aria-label", this.#words(node));
      mark.querySelector(".dot").setAttribute("r", radius(node));
      if (node.id === chosen)
        mark.setAttribute("aria-current", "true");
      else
        mark.removeAttribute("aria-current");
    }
    for (const edge of this.data.edges.values()) {
      if (!this.#lines.has(edge.key)) this.#addEdge(edge);
      const isNear = edge.head.id === chosen || edge.tail.id === chosen;
      this.#lines.get(edge.key).group.setAttribute("class",
                                                   `edge ${this.colourOf(edge.relation)}${isNear ? " near" : ""}${
                                                       edge.guess === null ? "" : " guess"}`);
    }
    this.run();
  }

  #words(node) {
    const links = this.data.linksOf(node).length;
    return `${node.name}, ${links} link${links === 1 ? "" : "s"} shown${node.isOpen ? ", opened" : ""}`;
  }

  #addNode(node) {
    const group =
        makeSvg("g", {role: "button", "data-id": node.id}, makeSvg("title", {}, node.name),
                makeSvg("circle", {class: "dot"}), makeSvg("text", {y: 21}, shortened(node.name.split(",")[0], kLabel)),
                makeSvg("circle", {class: "touch", r: 18}));
    this.#marks.set(node.id, group);
    this.nodeLayer.append(group);
  }

  #addEdge(edge) {
    const path =
        makeSvg("path", {"marker-end": `url(#arrow-${this.data.relations.indexOf(edge.relation) % kColours})`});
    const text = makeSvg("text", {}, edge.relationName);
    const group = makeSvg("g", {}, path, text);
    this.#lines.set(edge.key, {group, path, text, edge});
    this.edgeLayer.append(group);
  }

  // --- moving ----------------------------------------------------------------------------------------------------
  run() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) {
      this.data.layout.settle();
      return this.place();
    }
    if (this.running) return;
    const frame = () => {
      const moves = this.data.layout.step() && this.data.layout.step();  // two a frame: calm, and soon at rest
      this.place();
      this.running = moves && this.svg.isConnected ? requestAnimationFrame(frame) : 0;
    };
    this.running = requestAnimationFrame(frame);
  }

  place() {
    if (this.#isFollowing) this.#fit();
    for (const [id, mark] of this.#marks) {
      const {x, y} = this.data.nodes.get(id).place;
      mark.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    }
    for (const {edge, path, text} of this.#lines.values()) this.#placeEdge(edge, path, text);
    this.stage.setAttribute("transform",
                            `translate(${this.view.x.toFixed(1)} ${this.view.y.toFixed(1)}) scale(${
                                this.view.scale.toFixed(3)})`);
  }

  #placeEdge({head, tail}, path, text) {
    const a = head.place, b = tail.place;
    if (a === b) return path.setAttribute("d", `M${a.x - 6} ${a.y - 7}c-22 -34 34 -34 12 0`);
    const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1, bend = 0.06;
    const from = radius(head) + 1, to = radius(tail) + 5;
    const mx = (a.x + b.x) / 2 - dy * bend, my = (a.y + b.y) / 2 + dx * bend;  // links both ways do not hide each other
    const x1 = a.x + dx / length * from, y1 = a.y + dy / length * from, x2 = b.x - dx / length * to,
          y2 = b.y - dy / length * to;
    path.setAttribute(
        "d", `M${x1.toFixed(1)} ${y1.toFixed(1)}Q${mx.toFixed(1)} ${my.toFixed(1)} ${x2.toFixed(1)} ${y2.toFixed(1)}`);
    text.setAttribute("x", mx.toFixed(1));
    text.setAttribute("y", (my + 3).toFixed(1));
    return path;
  }

  #size() {
    const {width, height} = this.svg.getBoundingClientRect();
    return {width: width || 600, height: height || 400};
  }

  #fit() {
    const places = [...this.data.nodes.values()].map((node) => node.place), {width, height} = this.#size();
    if (!places.length) return;
    const xs = places.map(({x}) => x), ys = places.map(({y}) => y);
    const left = Math.min(...xs) - kMargin, right = Math.max(...xs) + kMargin, top = Math.min(...ys) - 20,
          bottom = Math.max(...ys) + 34;
    const scale = Math.min(1.25, width / (right - left), height / (bottom - top));
    this.view = {scale, x: width / 2 - scale * (left + right) / 2, y: height / 2 - scale * (top + bottom) / 2};
  }

  fit() {
    this.#isFollowing = true;
    this.place();
  }

  zoom(factor, at = null) {
    const {width, height} = this.#size(), {x, y} = at ?? {x: width / 2, y: height / 2};
    const scale = Math.min(4, Math.max(0.15, this.view.scale * factor)), change = scale / this.view.scale;
    this.view = {scale, x: x - change * (x - this.view.x), y: y - change * (y - this.view.y)};
    this.#isFollowing = false;
    this.place();
  }

  /// Moves the view so that a node can be seen, by as little as does.
  reveal(id) {
    const {x, y} = this.data.nodes.get(id).place, {width, height} = this.#size(), edge = 50;
    const sx = this.view.x + x * this.view.scale, sy = this.view.y + y * this.view.scale;
    const shift = (place, most) => (place < edge ? edge - place : place > most - edge ? most - edge - place : 0);
    const dx = shift(sx, width), dy = shift(sy, height);
    if (dx === 0 && dy === 0) return;
    this.view = {...this.view, x: this.view.x + dx, y: this.view.y + dy};
    this.place();
  }

  focus(id) { this.#marks.get(id)?.focus({preventScroll: true}); }

  // --- pointers ---------------------------------------------------------------------------------------------------
  #listen() {
    const pointers = new Map();
    let held = null, travelled = 0;
    const inView = (event) => {
      const {left, top} = this.svg.getBoundingClientRect();
      return {x: event.clientX - left, y: event.clientY - top};
    };
    const spread = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a.x - b.x, a.y - b.y) || 1;
    };
    this.svg.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, inView(event));
      travelled = 0;
      held = this.data.nodes.get(event.target.closest("[data-id]")?.dataset.id) ?? null;
      this.svg.setPointerCapture(event.pointerId);
    });
    this.svg.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = inView(event), apart = pointers.size === 2 ? spread() : 0;
      const dx = now.x - before.x, dy = now.y - before.y;
      pointers.set(event.pointerId, now);
      travelled += Math.abs(dx) + Math.abs(dy);
      if (travelled < 5) return;
      if (pointers.size === 2) return this.zoom(spread() / apart, now);
      if (held)
        this.#drag(held, dx, dy);
      else
        this.#pan(dx, dy);
    });
    const up = (event) => {
      pointers.delete(event.pointerId);
      if (held) held.place.isHeld = false;
      if (held && travelled < 5 && event.type === "pointerup") this.onpick(held.id);
      held = null;
    };
    this.svg.addEventListener("pointerup", up);
    this.svg.addEventListener("pointercancel", up);
    // A screen reader's click has no pointer behind it.
    this.svg.addEventListener("click", (event) => {
      if (event.detail === 0) this.onpick(event.target.closest("[data-id]")?.dataset.id ?? null);
    });
    if (!this.isSmall)
      this.svg.addEventListener("wheel", (event) => {
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY / 500), inView(event));
      }, {passive: false});
  }

  #pan(dx, dy) {
    this.view = {...this.view, x: this.view.x + dx, y: this.view.y + dy};
    this.#isFollowing = false;
    this.place();
  }

  #drag(node, dx, dy) {
    this.#isFollowing = false;
    node.place.isHeld = true;
    node.place.x += dx / this.view.scale;
    node.place.y += dy / this.view.scale;
    this.data.layout.warm(0.3);
    this.run();
  }
}

function arrowHead(colour) {
  return makeSvg("marker", {
    id: `arrow-${colour}`,
    class: `s${colour}`,
    viewBox: "0 0 8 8",
    refX: 6,
    refY: 4,
    markerWidth: 6.5,
    markerHeight: 6.5,
    orient: "auto-start-reverse"
  },
                 makeSvg("path", {class: "head", d: "M0 .8 7 4 0 7.2z"}));
}
