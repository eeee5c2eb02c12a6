import type { Output, Style } from '../output.ts';
import { toLine, cutText, padText, textWidth, wrapText } from './terminal-text.ts';

interface TableColumn {
  /** The heading line is left out if no column has a heading. */
  readonly heading?: string;
  readonly style?: Style;
  /**
   * The column's maximum width; wider cells are cut. Default: as wide as needed; the last column gets the remaining
   * width.
   */
  readonly maxWidth?: number;
}

/** A column with a function for its cells. */
export interface RowColumn<Row> extends TableColumn {
  /** May return untrusted text, which is cleaned. */
  readonly cell: (row: Row) => string;
}

interface TableOptions {
  /** Spaces before every line. Default 0. */
  readonly indent?: number;
  /** Wrap the last column instead of cutting it. Default false. */
  readonly wrap?: boolean;
}

const GAP = 2;
const LEAST_REST = 20;

/** The lines of a table. Cells must be clean text on one line. The last column gets the remaining width. */
export function renderTable(
  output: Output,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string[] {
  const indent = ' '.repeat(options.indent ?? 0);
  const headings = columns.map((column) => column.heading ?? '');
  const hasHeadings = headings.some((heading) => heading !== '');
  const widths = columnWidths(columns, hasHeadings ? [headings, ...rows] : rows, output.columns - indent.length);
  const last = columns.length - 1;
  const lineOf = (cells: readonly string[], styles: readonly (Style | undefined)[]): string => {
    const shown = widths.map((width, index) => {
      const cut = cutText(cells[index] ?? '', width);
      const cell = index === last ? cut : padText(cut, width);
      const style = styles[index];
      return style === undefined ? cell : output.style(style, cell);
    });
    return `${indent}${shown.join(' '.repeat(GAP))}`.trimEnd();
  };
  const styles = columns.map((column) => column.style);
  const linesOf = (cells: readonly string[]): string[] => {
    if (options.wrap !== true) return [lineOf(cells, styles)];
    const parts = wrapText(cells[last] ?? '', widths[last] ?? 0);
    return parts.map((part, index) =>
      lineOf([...(index === 0 ? cells.slice(0, last) : headings.slice(0, last).fill('')), part], styles),
    );
  };
  return [
    ...(hasHeadings
      ? [
          lineOf(
            headings,
            columns.map(() => 'dim'),
          ),
        ]
      : []),
    ...rows.flatMap(linesOf),
  ];
}

/** A table with one line for each row. */
export function rowTable<Row>(output: Output, columns: readonly RowColumn<Row>[], rows: readonly Row[]): string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => toLine(cell(row))));
  return renderTable(output, columns, cells);
}

/** One line for each name and its text. Long texts are wrapped. */
export function factTable(output: Output, facts: readonly (readonly string[])[]): string[] {
  const cells = facts.map((fact) => fact.map(toLine));
  return renderTable(output, [{ style: 'dim' }, {}], cells, { indent: 2, wrap: true });
}

/** Makes every column as wide as its widest cell, but narrows the first if the last would have no room. */
function columnWidths(columns: readonly TableColumn[], rows: readonly (readonly string[])[], room: number): number[] {
  const widths = columns.map((column, index) => {
    const widest = rows.reduce((width, row) => Math.max(width, textWidth(row[index] ?? '')), 0);
    return Math.min(widest, column.maxWidth ?? widest);
  });
  const last = columns.length - 1;
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + GAP, 0);
  const wanted = Math.min(widths[last] ?? 0, LEAST_REST);
  const excess = before + wanted - room;
  if (excess > 0 && last > 0) widths[0] = Math.max(8, (widths[0] ?? 0) - excess);
  const taken = widths.slice(0, last).reduce((sum, width) => sum + width + GAP, 0);
  widths[last] = Math.min(widths[last] ?? 0, Math.max(wanted, room - taken));
  return widths;
}
