import type { Output, Style } from '../output.ts';
import { cutText, textWidth, wrapText } from '../text/terminal-text.ts';

/** A piece of a line. Its text must be clean and contain no line break. */
export interface TextPart {
  readonly text: string;
  readonly style?: Style;
}

/** A line with child lines below it. */
export interface TextNode {
  /** The parts of the line, side by side. Whatever does not fit is cut. */
  readonly parts: readonly TextPart[];
  /** The most lines that a single part may be wrapped into. Default 1. */
  readonly maxLines?: number;
  readonly children?: readonly TextNode[];
}

const GAP = '  ';

/** A node and all its descendants, connected by lines. */
export function treeLines(output: Output, root: TextNode): string[] {
  return [...nodeLines(output, root, output.columns), ...branchLines(output, root.children ?? [], '')];
}

function branchLines(output: Output, nodes: readonly TextNode[], stem: string): string[] {
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1;
    const children = node.children ?? [];
    const below = `${stem}${isLast ? '   ' : '│  '}`;
    const further = children.length === 0 ? below : `${below}│ `;
    const [first = '', ...rest] = nodeLines(output, node, output.columns - further.length);
    return [
      `${output.style('dim', `${stem}${isLast ? '└─ ' : '├─ '}`)}${first}`,
      ...rest.map((line) => `${output.style('dim', below)}${line}`),
      ...branchLines(output, children, below),
    ];
  });
}

function nodeLines(output: Output, { parts, maxLines = 1 }: TextNode, room: number): string[] {
  const [only] = parts;
  if (maxLines > 1 && only !== undefined) {
    const lines = wrapText(only.text, room);
    const shown = lines.slice(0, maxLines);
    const rest = lines.slice(maxLines - 1).join(' ');
    return (lines.length > maxLines ? [...shown.slice(0, -1), cutText(rest, room)] : shown).map((text) =>
      styled(output, { ...only, text }),
    );
  }
  let left = room;
  const shown: string[] = [];
  for (const part of parts) {
    if (part.text === '' || left < 4) continue;
    const text = cutText(part.text, left);
    left -= textWidth(text) + GAP.length;
    shown.push(styled(output, { ...part, text }));
  }
  return [shown.join(GAP)];
}

function styled(output: Output, { text, style }: TextPart): string {
  return style === undefined ? text : output.style(style, text);
}
