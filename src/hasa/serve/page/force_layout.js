// Places for the nodes of a small graph: all push each other away, links pull like springs, and everything is drawn
// gently to the middle. It cools as it goes and comes to rest. A few hundred nodes at most, so every pair is looked at.

const kPush = 5200;
const kReach = 420;  // beyond it nodes do not feel each other
const kSpring = 0.07;
const kLength = 96;  // of a link at rest
const kCrowd = 5;    // more for links of nodes that have many
const kToMiddle = 0.012;
const kFriction = 0.6;
const kCooling = 0.975;
const kRest = 0.02;
const kRowHeight = 26;  // names stand below their nodes and want a row of their own
const kNameWidth = 84;

export class ForceLayout {
  nodes = [];  // { id, x, y, vx, vy, isHeld }
  links = [];  // { a, b }: nodes
  heat = 0;

  /// A new node appears near one that is there, where there is most room: away from what is linked to that.
  add(id, near = null) {
    const node = {id, x: 0, y: 0, vx: 0, vy: 0, isHeld: false};
    if (near) {
      const outward = Math.atan2(near.y, near.x),
            turn = this.nodes.length * 2.399963;  // the golden angle: never twice the same
      const angle = near.x === 0 && near.y === 0 ? turn : outward + 1.1 * Math.sin(turn);
      node.x = near.x + 60 * Math.cos(angle);
      node.y = near.y + 60 * Math.sin(angle);
    }
    this.nodes.push(node);
    return node;
  }

  link(a, b) {
    this.links.push({a, b});
    a.links = (a.links ?? 0) + 1;
    b.links = (b.links ?? 0) + 1;
  }

  warm(heat = 1) { this.heat = Math.max(this.heat, heat); }

  /// One step; false when all is at rest.
  step() {
    if (this.heat < kRest) return false;
    this.#push();
    this.#pull();
    for (const node of this.nodes) {
      node.vx = (node.vx - node.x * kToMiddle) * kFriction;
      node.vy = (node.vy - node.y * kToMiddle) * kFriction;
      if (node.isHeld) continue;
      node.x += node.vx * this.heat;
      node.y += node.vy * this.heat;
    }
    this.#makeRoomForNames();
    this.heat *= kCooling;
    return true;
  }

  settle() {
    for (let i = 0; i < 400 && this.step(); ++i)
      ;
  }

  #push() {
    const {nodes} = this;
    for (let i = 0; i < nodes.length; ++i) {
      for (let j = i + 1; j < nodes.length; ++j) {
        const a = nodes[i], b = nodes[j];
        let dx = b.x - a.x, dy = b.y - a.y;
        if (dx === 0 && dy === 0) {
          dx = 0.1 * (i % 3) + 0.1;
          dy = 0.1 * (j % 3);
        }
        const square = Math.max(dx * dx + dy * dy, 60);
        if (square > kReach * kReach) continue;
        const force = kPush / (square * Math.sqrt(square));
        a.vx -= dx * force;
        a.vy -= dy * force;
        b.vx += dx * force;
        b.vy += dy * force;
      }
    }
  }

  #pull() {
    for (const {a, b} of this.links) {
      const dx = b.x - a.x, dy = b.y - a.y, distance = Math.hypot(dx, dy) || 1;
      const rest = kLength + kCrowd * Math.min(14, Math.max(a.links, b.links));
      const force = kSpring * (distance - rest) / distance;
      a.vx += dx * force;
      a.vy += dy * force;
      b.vx -= dx * force;
      b.vy -= dy * force;
    }
  }

  /// Nodes nearly at one height, side by side, would write over each other: they are moved apart up and down.
  #makeRoomForNames() {
    const {nodes} = this;
    for (let i = 0; i < nodes.length; ++i) {
      for (let j = i + 1; j < nodes.length; ++j) {
        const a = nodes[i], b = nodes[j], dx = b.x - a.x, dy = b.y - a.y;
        if (Math.abs(dx) > kNameWidth || Math.abs(dy) > kRowHeight) continue;
        const shift = 0.16 * (kRowHeight - Math.abs(dy)) * (dy >= 0 ? 1 : -1);
        if (!a.isHeld) a.y -= shift;
        if (!b.isHeld) b.y += shift;
      }
    }
  }
}
