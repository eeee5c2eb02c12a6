/** Colors of a diagram: values for CSS. */
export interface Palette {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly box: string;
  readonly border: string;
  readonly accent: string;
  readonly background: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
}

export const FONT_SIZE = 13;
export const LINE_HEIGHT = 18;
const NARROW = /[ijlftr.,:;'|!()[\]/ ]/;
const WIDE = /[mwMW@—→]/;

/** The approximate width of a line of text. Fonts differ, so it is a little more than most need. */
export function widthOf(text: string): number {
  let width = 0;
  for (const char of text) {
    if (NARROW.test(char)) width += 0.34;
    else if (WIDE.test(char)) width += 0.9;
    else width += /[A-Z0-9_]/.test(char) ? 0.68 : 0.58;
  }
  return Math.ceil(width * FONT_SIZE);
}

/** Mermaid breaks lines with `<br/>`. */
export function linesOf(label: string): string[] {
  return label.split(/<br\s*\/?>/).map((line) => line.trim());
}

export function sizeOf(label: string): { readonly width: number; readonly height: number } {
  const lines = linesOf(label);
  return { width: Math.max(...lines.map(widthOf)), height: lines.length * LINE_HEIGHT };
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Lines of text around a point. `style` holds more attributes. */
export function textAt(x: number, y: number, label: string, fill: string, style = ''): string {
  const lines = linesOf(label);
  const top = y - ((lines.length - 1) * LINE_HEIGHT) / 2 + FONT_SIZE * 0.36;
  return lines
    .map(
      (line, index) =>
        `<text x="${round(x)}" y="${round(top + index * LINE_HEIGHT)}" text-anchor="middle" fill="${fill}"${style}>${escapeXml(line)}</text>`,
    )
    .join('');
}

/** Hides the lines behind a text. */
export function haloOf(palette: Palette): string {
  return ` paint-order="stroke" stroke="${palette.background}" stroke-width="5" stroke-linejoin="round"`;
}

export function boxAt(
  x: number,
  y: number,
  width: number,
  height: number,
  fill: string,
  stroke: string,
  radius = 6,
): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${radius}" fill="${fill}" stroke="${stroke}"/>`;
}

/** An arrowhead whose tip is at the point, in a direction given in radians. */
export function headAt(x: number, y: number, angle: number, fill: string): string {
  const at = (turn: number): string =>
    `${round(x - 8 * Math.cos(angle + turn))} ${round(y - 8 * Math.sin(angle + turn))}`;
  return `<path d="M${round(x)} ${round(y)}L${at(0.42)}L${at(-0.42)}Z" fill="${fill}"/>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
