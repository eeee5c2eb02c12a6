import {
  boxAt,
  escapeXml,
  haloOf,
  headAt,
  LINE_HEIGHT,
  round,
  sizeOf,
  textAt,
  widthOf,
  type Drawing,
  type Palette,
} from './svg.ts';

interface Message {
  readonly kind: 'message';
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly isReply: boolean;
}

interface Note {
  readonly kind: 'note';
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

type Step = Message | Note | { readonly kind: 'loop'; readonly text: string } | { readonly kind: 'end' };

const PARTICIPANT = /^participant (\w+)(?: as (.+))?$/;
const MESSAGE = /^(\w+)(-{1,2})>>(\w+): (.+)$/;
const NOTE = /^Note over (\w+)(?:, ?(\w+))?: (.+)$/;
const LOOP = /^(?:loop|opt) (.+)$/;
const MARGIN = 16;

/** Draws a sequence diagram: participants, messages, notes, and loops that are not nested. */
export function drawSequence(lines: readonly string[], palette: Palette): Drawing {
  const names = new Map<string, string>();
  const steps: Step[] = [];
  for (const line of lines) {
    const step = readStep(line, names);
    if (step !== undefined) steps.push(step);
  }
  const ids = [...names.keys()];
  const at = placeParticipants(ids, names, steps);
  const x = (id: string): number => {
    const found = at.get(id);
    if (found === undefined) throw new Error(`A sequence diagram has no participant '${id}'.`);
    return found;
  };
  const headHeight = Math.max(...ids.map((id) => sizeOf(names.get(id) ?? id).height)) + 18;
  const right = Math.max(
    ...ids.map((id) => x(id) + boxWidth(names.get(id) ?? id) / 2),
    ...steps.map((step) => reach(step, x)),
  );
  const parts: string[] = [];
  const frames: string[] = [];
  let y = MARGIN + headHeight + 14;
  let loop: { top: number; text: string } | undefined;
  for (const step of steps) {
    if (step.kind === 'loop') {
      loop = { top: y, text: step.text };
      y += LINE_HEIGHT + 14;
    } else if (step.kind === 'end') {
      if (loop === undefined) throw new Error("A sequence diagram has an 'end' without a loop.");
      frames.push(
        boxAt(MARGIN / 2, loop.top, right + MARGIN / 2, y - loop.top, 'none', palette.border, 8),
        `<text x="${MARGIN + 4}" y="${loop.top + 18}" fill="${palette.accent}" font-weight="600">${escapeXml(loop.text)}</text>`,
      );
      y += 14;
      loop = undefined;
    } else if (step.kind === 'note') {
      const { height } = sizeOf(step.text);
      const middle = (x(step.from) + x(step.to)) / 2;
      const width = Math.max(sizeOf(step.text).width + 24, x(step.to) - x(step.from) + 60);
      parts.push(
        boxAt(middle - width / 2, y, width, height + 12, palette.background, palette.accent, 4),
        textAt(middle, y + height / 2 + 6, step.text, palette.text),
      );
      y += height + 26;
    } else {
      y += step.from === step.to ? 4 : sizeOf(step.text).height + 6;
      parts.push(drawMessage(step, x(step.from), x(step.to), y, palette));
      y += step.from === step.to ? 30 : 16;
    }
  }
  const bottom = y + 6;
  const lifelines = ids.map(
    (id) =>
      `<path d="M${round(x(id))} ${MARGIN + headHeight}V${round(bottom)}" stroke="${palette.border}" stroke-dasharray="3 4" fill="none"/>`,
  );
  const heads = ids.map((id) => {
    const label = names.get(id) ?? id;
    const width = boxWidth(label);
    return (
      boxAt(x(id) - width / 2, MARGIN, width, headHeight, palette.box, palette.border) +
      textAt(x(id), MARGIN + headHeight / 2, label, palette.text, ' font-weight="600"')
    );
  });
  return {
    width: right + 2 * MARGIN,
    height: bottom + MARGIN / 2,
    parts: [...frames, ...lifelines, ...heads, ...parts],
  };
}

function readStep(line: string, names: Map<string, string>): Step | undefined {
  const [, id, label] = PARTICIPANT.exec(line) ?? [];
  if (id !== undefined) {
    names.set(id, label ?? id);
    return undefined;
  }
  const [, from, dashes, to, text] = MESSAGE.exec(line) ?? [];
  if (from !== undefined && to !== undefined && text !== undefined)
    return { kind: 'message', from, to, text, isReply: dashes === '--' };
  const [, first, last, note] = NOTE.exec(line) ?? [];
  if (first !== undefined && note !== undefined) return { kind: 'note', from: first, to: last ?? first, text: note };
  const [, loop] = LOOP.exec(line) ?? [];
  if (loop !== undefined) return { kind: 'loop', text: loop };
  if (line === 'end') return { kind: 'end' };
  throw new Error(`Our diagrams have no such line in a sequence: ${line}`);
}

/** Keeps participants as far apart as their boxes and the messages between them need. */
function placeParticipants(
  ids: readonly string[],
  names: ReadonlyMap<string, string>,
  steps: readonly Step[],
): Map<string, number> {
  const widths = ids.map((id) => boxWidth(names.get(id) ?? id));
  const places: number[] = [];
  for (const [index, width] of widths.entries()) {
    const before = index - 1;
    let place = before < 0 ? MARGIN + width / 2 : (places[before] ?? 0) + (widths[before] ?? 0) / 2 + width / 2 + 28;
    for (const step of steps) {
      if (step.kind !== 'message') continue;
      const [first, last] = [ids.indexOf(step.from), ids.indexOf(step.to)].sort((a, b) => a - b);
      const start = places[first ?? 0];
      if (first === last && first === before && start !== undefined)
        place = Math.max(place, start + 46 + widthOf(step.text));
      else if (last === index && start !== undefined) place = Math.max(place, start + sizeOf(step.text).width + 30);
    }
    places.push(place);
  }
  return new Map(ids.map((id, index) => [id, places[index] ?? 0]));
}

function boxWidth(label: string): number {
  return Math.max(sizeOf(label).width + 36, 96);
}

/** The rightmost extent of a step. */
function reach(step: Step, x: (id: string) => number): number {
  if (step.kind === 'note') {
    const middle = (x(step.from) + x(step.to)) / 2;
    return middle + Math.max(sizeOf(step.text).width + 24, x(step.to) - x(step.from) + 60) / 2;
  }
  return step.kind === 'message' && step.from === step.to ? x(step.from) + 40 + widthOf(step.text) : 0;
}

function drawMessage({ text, isReply }: Message, from: number, to: number, y: number, palette: Palette): string {
  const { height } = sizeOf(text);
  const dash = isReply ? ' stroke-dasharray="5 4"' : '';
  if (from === to) {
    const path = `M${round(from)} ${y}h28v16h-22`;
    return (
      `<path d="${path}" fill="none" stroke="${palette.line}"${dash}/>${headAt(from + 2, y + 16, Math.PI, palette.line)}` +
      textAt(from + 36 + sizeOf(text).width / 2, y + 8, text, palette.text, haloOf(palette))
    );
  }
  const angle = to > from ? 0 : Math.PI;
  const end = to - Math.cos(angle) * 2;
  return (
    `<path d="M${round(from)} ${round(y)}H${round(end)}" fill="none" stroke="${palette.line}" stroke-width="1.3"${dash}/>` +
    headAt(end, y, angle, palette.line) +
    textAt((from + to) / 2, y - height / 2 - 5, text, isReply ? palette.muted : palette.text, haloOf(palette))
  );
}
