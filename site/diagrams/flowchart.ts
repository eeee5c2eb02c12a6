import { layOut, type Place } from './layout.ts';
import { boxAt, headAt, round, sizeOf, textAt, type Drawing, type Palette } from './svg.ts';

export interface FlowNode {
  readonly id: string;
  readonly label: string;
  readonly shape: 'box' | 'pill';
}

export interface FlowEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export interface Flowchart {
  readonly direction: 'TB' | 'BT' | 'LR' | 'RL';
  readonly nodes: ReadonlyMap<string, FlowNode>;
  readonly edges: readonly FlowEdge[];
}

const HEADER = /^flowchart (TB|TD|BT|LR|RL)$/;
const NODE = /^([\w-]+?)(?:\(\["([^"]+)"\]\)|\["([^"]+)"\])?$/;
const ARROW = /\s*-->(?:\|"?([^"|]+)"?\|)?\s*/;
const MARGIN = 12;

/** Draws a flowchart: boxes `id["text"]`, pills `id(["text"])`, arrows `a --> b` and `a -->|text| b`. */
export function drawFlowchart(header: string, lines: readonly string[], palette: Palette): Drawing {
  const chart = readFlowchart(header, lines);
  const { width, height, places, routes } = layOut(chart, (node) => {
    const size = sizeOf(node.label);
    return { width: Math.max(size.width + 28, 64), height: size.height + 18 };
  });
  const isAcross = chart.direction === 'LR' || chart.direction === 'RL';
  const edges = routes.map(({ edge, points }) => drawEdge(edge, points, isAcross, palette));
  const labels = routes.map(({ edge, points }) => (edge.label === '' ? '' : drawLabel(edge.label, points, palette)));
  const nodes = [...chart.nodes.values()].map((node) => drawNode(node, places.get(node.id), palette));
  const shift = `<g transform="translate(${MARGIN} ${MARGIN})">`;
  return {
    width: width + 2 * MARGIN,
    height: height + 2 * MARGIN,
    parts: [shift, ...edges, ...nodes, ...labels, '</g>'],
  };
}

function readFlowchart(header: string, lines: readonly string[]): Flowchart {
  const direction = HEADER.exec(header)?.[1];
  if (direction === undefined) throw new Error(`Our diagrams have no such header: ${header}`);
  const nodes = new Map<string, FlowNode>();
  const edges: FlowEdge[] = [];
  const read = (text: string): string => {
    const [, id, pill, box] = NODE.exec(text.trim()) ?? [];
    if (id === undefined) throw new Error(`Our diagrams have no such node: ${text}`);
    const label = pill ?? box;
    if (label !== undefined || !nodes.has(id)) {
      const known = nodes.get(id);
      nodes.set(id, {
        id,
        label: label ?? known?.label ?? id,
        shape: pill === undefined ? (known?.shape ?? 'box') : 'pill',
      });
    }
    return id;
  };
  for (const line of lines) {
    // `split` keeps the labels of arrows between the nodes.
    const pieces = line.split(ARROW);
    for (let index = 0; index + 2 < pieces.length; index += 2) {
      const [from = '', label = '', to = ''] = pieces.slice(index, index + 3);
      edges.push({ from: read(from), to: read(to), label });
    }
    if (pieces.length === 1) read(line);
  }
  return { direction: direction === 'TD' ? 'TB' : (direction as Flowchart['direction']), nodes, edges };
}

function drawNode({ label, shape }: FlowNode, place: Place | undefined, palette: Palette): string {
  if (place === undefined) throw new Error(`The node '${label}' has no place.`);
  const { x, y, width, height } = place;
  const [fill, stroke] = shape === 'pill' ? [palette.background, palette.accent] : [palette.box, palette.border];
  return (
    boxAt(x - width / 2, y - height / 2, width, height, fill, stroke, shape === 'pill' ? Math.min(height / 2, 20) : 6) +
    textAt(x, y, label, palette.text)
  );
}

type Point = readonly [x: number, y: number];

function drawEdge(_edge: FlowEdge, points: readonly Point[], isAcross: boolean, palette: Palette): string {
  const [start, ...rest] = points;
  const end = points.at(-1);
  if (start === undefined || end === undefined) return '';
  let path = `M${round(start[0])} ${round(start[1])}`;
  let from = start;
  for (const to of rest) {
    const [middleX, middleY] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    path += isAcross
      ? `C${round(middleX)} ${round(from[1])} ${round(middleX)} ${round(to[1])} ${round(to[0])} ${round(to[1])}`
      : `C${round(from[0])} ${round(middleY)} ${round(to[0])} ${round(middleY)} ${round(to[0])} ${round(to[1])}`;
    from = to;
  }
  const before = points.at(-2) ?? start;
  const angle = isAcross ? (end[0] > before[0] ? 0 : Math.PI) : ((end[1] > before[1] ? 1 : -1) * Math.PI) / 2;
  return (
    `<path d="${path}" fill="none" stroke="${palette.line}" stroke-width="1.3"/>` +
    headAt(end[0], end[1], angle, palette.line)
  );
}

function drawLabel(label: string, points: readonly Point[], palette: Palette): string {
  const [from, to] = [points[0], points[1]];
  if (from === undefined || to === undefined) return '';
  const { width, height } = sizeOf(label);
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  return (
    boxAt(x - width / 2 - 5, y - height / 2 - 1, width + 10, height + 2, palette.background, 'none', 4) +
    textAt(x, y, label, palette.muted)
  );
}
