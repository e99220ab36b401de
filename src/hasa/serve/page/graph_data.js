// What a graph view has found so far: entities, the triples between them, and which entities were opened.
import * as api from "./api.js";
import {ForceLayout} from "./force_layout.js";

const kAtOnce = 14;  // neighbours that opening an entity brings, at most
const kMostNodes = 160;

const keyOf = ({head, relation, tail}) => [head, relation, tail].join("\t");

/// The facts that tell most first: one of each relation and direction, then the next of each.
function dealt(facts) {
  const groups = new Map();
  for (const fact of facts) {
    const key = `${fact.direction}\t${fact.relation}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(fact);
  }
  const order = [];
  for (let i = 0; order.length < facts.length; ++i)
    for (const group of groups.values())
      if (i < group.length) order.push(group[i]);
  return order;
}

export class GraphData {
  layout = new ForceLayout();
  nodes = new Map();  // id -> { id, name, description, count of its facts, place, isOpen }
  edges = new Map();  // key -> { head, relation, relationName, tail, guess }
  relations = [];     // ids in the order they were met: their colours

  get isFull() { return this.nodes.size >= kMostNodes; }

  node(id, name, near = null) {
    if (!this.nodes.has(id))
      this.nodes.set(
          id,
          {id, name: name || id, description: "", count: null, isOpen: false, place: this.layout.add(id, near?.place)});
    return this.nodes.get(id);
  }

  /// `guess` is a probability where the link is not known but predicted.
  edge(head, relation, relationName, tail, guess = null) {
    const key = keyOf({head: head.id, relation, tail: tail.id});
    if (this.edges.has(key)) return;
    if (!this.relations.includes(relation)) this.relations.push(relation);
    this.edges.set(key, {key, head, relation, relationName, tail, guess});
    if (head !== tail) this.layout.link(head.place, tail.place);
  }

  /// Brings the next neighbours of an entity; resolves to how many are new. Links among entities that are shown are
  /// drawn whoever brings them.
  async open(id, most = kAtOnce) {
    const entity = await api.entity(id);
    const node = this.node(id, entity.name);
    const {description, fact_count: count} = entity;
    Object.assign(node, {name: entity.name || id, description, count, isOpen: true});
    let added = 0;
    for (const fact of dealt(entity.facts)) {
      const isThere = this.nodes.has(fact.entity.id);
      if (!isThere && (added >= most || this.isFull)) continue;
      added += isThere ? 0 : 1;
      this.#draw(node, fact);
    }
    this.layout.warm();
    return added;
  }

  #draw(node, {direction, relation, relation_name: name, entity}) {
    const other = this.node(entity.id, entity.name, node);
    if (direction === "out")
      this.edge(node, relation, name, other);
    else
      this.edge(other, relation, name, node);
  }

  /// Fills in what a node says of itself, for one that was only met.
  async describe(id) {
    const node = this.nodes.get(id), entity = await api.entity(id);
    Object.assign(node, {description: entity.description, count: entity.fact_count});
    return node;
  }

  /// "relation → name", as links of an entity are read out.
  linksOf(node) {
    return [...this.edges.values()]
        .filter(({head, tail}) => head === node || tail === node)
        .map((edge) => ({edge, isOut: edge.head === node, other: edge.head === node ? edge.tail : edge.head}));
  }
}
