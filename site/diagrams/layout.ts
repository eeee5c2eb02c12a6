import type { FlowEdge, FlowNode, Flowchart } from './flowchart.ts';
import { sizeOf } from './svg.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The middle of a box, and its size. */
export interface Place extends Size {
  readonly x: number;
  readonly y: number;
}

interface Layout extends Size {
  readonly places: ReadonlyMap<string, Place>;
  readonly routes: readonly {
    readonly edge: FlowEdge;
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
}

/** A node, or the bend of an edge that passes through a layer. `along` is the direction of the arrows, `across` the other one. */
interface Item {
  readonly id: string;
  readonly layer: number;
  readonly along: number;
  readonly across: number;
  readonly neighbors: Item[];
  position: number;
}

const LAYER_GAP = 38;
const ITEM_GAP = 22;
const ROUNDS = 24;

/** Puts nodes into layers along the arrows, orders each layer to cross few arrows, and pulls nodes towards their neighbors. */
export function layOut(chart: Flowchart, measure: (node: FlowNode) => Size): Layout {
  const isAcross = chart.direction === 'LR' || chart.direction === 'RL';
  const isReversed = chart.direction === 'BT' || chart.direction === 'RL';
  const sizes = new Map([...chart.nodes.values()].map((node) => [node.id, measure(node)]));
  const depths = depthsOf(chart);
  const items = new Map<string, Item>();
  const layers: Item[][] = [];
  const add = (id: string, layer: number, along: number, across: number): Item => {
    const item: Item = { id, layer, along, across, neighbors: [], position: 0 };
    const members = (layers[layer] ??= []);
    members.push(item);
    return item;
  };
  for (const [id, layer] of depths) {
    const { width, height } = sizes.get(id) ?? { width: 0, height: 0 };
    items.set(id, add(id, layer, isAcross ? width : height, isAcross ? height : width));
  }
  const chains = chart.edges.map((edge) => ({ edge, chain: chainOf(edge, items, add) }));
  for (const { chain } of chains)
    for (const [index, item] of chain.entries()) {
      const next = chain[index + 1];
      if (next === undefined) continue;
      item.neighbors.push(next);
      next.neighbors.push(item);
    }
  orderLayers(layers);
  const breadth = spread(layers);
  const thickness = layers.map((layer) => Math.max(...layer.map(({ along }) => along)));
  const starts: number[] = [];
  let start = 0;
  for (const [layer, size] of thickness.entries()) {
    starts.push(start);
    const labels = chart.edges.filter(({ from, label }) => label !== '' && items.get(from)?.layer === layer);
    const room = labels.map(({ label }) => (isAcross ? sizeOf(label).width : sizeOf(label).height));
    start += size + LAYER_GAP + Math.max(0, ...room);
  }
  const length = (starts.at(-1) ?? 0) + (thickness.at(-1) ?? 0);
  const alongOf = (layer: number, part: number): number => {
    const value = (starts[layer] ?? 0) + (thickness[layer] ?? 0) * part;
    return isReversed ? length - value : value;
  };
  const toPoint = (along: number, across: number): readonly [number, number] =>
    isAcross ? [along, across] : [across, along];
  const places = new Map<string, Place>();
  for (const [id, item] of items) {
    const [x, y] = toPoint(alongOf(item.layer, 0.5), item.position);
    places.set(id, { x, y, ...(sizes.get(id) ?? { width: 0, height: 0 }) });
  }
  const routes = chains.map(({ edge, chain }) => ({
    edge,
    points: chain.flatMap((item, index) => {
      const half = (item.along / 2) * (isReversed ? -1 : 1);
      const middle = alongOf(item.layer, 0.5);
      const enter = toPoint(items.has(item.id) ? middle - half : alongOf(item.layer, 0), item.position);
      const leave = toPoint(items.has(item.id) ? middle + half : alongOf(item.layer, 1), item.position);
      return index === 0 ? [leave] : index === chain.length - 1 ? [enter] : [enter, leave];
    }),
  }));
  return { width: isAcross ? length : breadth, height: isAcross ? breadth : length, places, routes };
}

/** For each node, the length of the longest path to it. */
function depthsOf({ nodes, edges }: Flowchart): Map<string, number> {
  const depths = new Map<string, number>();
  const depthOf = (id: string, above: readonly string[]): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    if (above.includes(id)) throw new Error(`Our diagrams draw no circles, and '${id}' is in one.`);
    const sources = edges.filter(({ to }) => to === id).map(({ from }) => depthOf(from, [...above, id]) + 1);
    const depth = Math.max(0, ...sources);
    depths.set(id, depth);
    return depth;
  };
  for (const id of nodes.keys()) depthOf(id, []);
  // A node that only starts edges is placed directly before its nearest target.
  for (const id of nodes.keys()) {
    const ends = edges.filter(({ from }) => from === id).map(({ to }) => depths.get(to) ?? 0);
    if (ends.length > 0 && edges.every(({ to }) => to !== id)) depths.set(id, Math.min(...ends) - 1);
  }
  return depths;
}

function chainOf(
  edge: FlowEdge,
  items: ReadonlyMap<string, Item>,
  add: (id: string, layer: number, along: number, across: number) => Item,
): Item[] {
  const [from, to] = [items.get(edge.from), items.get(edge.to)];
  if (from === undefined || to === undefined)
    throw new Error(`An arrow leads from or to nothing: ${edge.from} ${edge.to}`);
  const bends: Item[] = [];
  for (let layer = from.layer + 1; layer < to.layer; layer += 1)
    bends.push(add(`${edge.from} ${edge.to} ${layer}`, layer, 0, 0));
  return [from, ...bends, to];
}

/** Sorts every layer by the positions of its members' neighbors. */
function orderLayers(layers: readonly Item[][]): void {
  for (const layer of layers) for (const [index, item] of layer.entries()) item.position = index;
  for (let round = 0; round < ROUNDS; round += 1) {
    const isDown = round % 2 === 0;
    for (const layer of isDown ? layers : [...layers].reverse()) {
      const wanted = new Map(layer.map((item) => [item, averageOf(item, isDown ? -1 : 1)]));
      layer.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
      for (const [index, item] of layer.entries()) item.position = index;
    }
  }
}

function averageOf(item: Item, side: -1 | 0 | 1): number {
  const near = item.neighbors.filter(({ layer }) => side === 0 || Math.sign(layer - item.layer) === side);
  if (near.length === 0) return item.position;
  return near.reduce((sum, { position }) => sum + position, 0) / near.length;
}

/** Gives every item its position across the layers, and returns the total width. */
function spread(layers: readonly Item[][]): number {
  for (const layer of layers)
    pack(
      layer,
      layer.map(() => 0),
    );
  for (let round = 0; round < ROUNDS; round += 1)
    for (const layer of round % 2 === 0 ? layers : [...layers].reverse())
      pack(
        layer,
        layer.map((item) => averageOf(item, 0)),
      );
  const all = layers.flat();
  const least = Math.min(...all.map(({ position, across }) => position - across / 2));
  for (const item of all) item.position -= least;
  return Math.max(...all.map(({ position, across }) => position + across / 2));
}

/** Places the members of a layer as near to their desired positions as order and sizes allow, by least squares. */
function pack(layer: readonly Item[], wanted: readonly number[]): void {
  // Desired positions minus the positions in a packed row; after that, only the order remains as a constraint.
  let offset = 0;
  const offsets = layer.map((item, index) => {
    const before = layer[index - 1];
    if (before !== undefined) offset += before.across / 2 + ITEM_GAP + item.across / 2;
    return offset;
  });
  const blocks: { sum: number; count: number }[] = [];
  for (const [index, target] of wanted.entries()) {
    let block = { sum: target - (offsets[index] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last !== undefined && mean(last) >= mean(block); last = blocks.at(-1)) {
      blocks.pop();
      block = { sum: last.sum + block.sum, count: last.count + block.count };
    }
    blocks.push(block);
  }
  const places = blocks.flatMap((block) => Array.from({ length: block.count }, () => mean(block)));
  for (const [index, item] of layer.entries()) item.position = (places[index] ?? 0) + (offsets[index] ?? 0);
}

function mean({ sum, count }: { readonly sum: number; readonly count: number }): number {
  return sum / count;
}
