import { drawFlowchart } from './flowchart.ts';
import { drawSequence } from './sequence.ts';
import { escapeXml, FONT_SIZE, round, type Palette } from './svg.ts';

/**
 * Draws a diagram written in Mermaid's language. It supports the subset of sequence diagrams and flowcharts that our pages need
 * and throws for any other line. Forges draw the same text themselves.
 */
export function renderDiagram(text: string, palette: Palette): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('%%'));
  const [header = '', ...rest] = lines;
  const title = labelOf(rest, 'accTitle');
  const description = labelOf(rest, 'accDescr');
  const body = rest.filter((line) => !/^acc(?:Title|Descr):/.test(line));
  const { width, height, parts } =
    header === 'sequenceDiagram' ? drawSequence(body, palette) : drawFlowchart(header, body, palette);
  const names = [
    title === '' ? '' : `<title>${escapeXml(title)}</title>`,
    description === '' ? '' : `<desc>${escapeXml(description)}</desc>`,
  ];
  const label = escapeXml([title, description].filter((part) => part !== '').join('. ') || 'Diagram');
  const size = `viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}"`;
  const font = `font-family="Inter, system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="${FONT_SIZE}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${label}" ${font}>${names.join('')}${parts.join('')}</svg>`;
}

function labelOf(lines: readonly string[], name: string): string {
  const line = lines.find((candidate) => candidate.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim() ?? '';
}
