import type { Invocation } from '../command.ts';
import type { Output } from '../output.ts';
import { rowTable, type RowColumn } from '../text/table.ts';
import { amount } from '../validating/findings.ts';
import type { QueryValues } from './client/gateway-client.ts';

/** `--limit` and `--page`, for the gateway to check. */
export function pageQuery({ options }: Invocation): QueryValues {
  return { limit: options.text('limit'), page: options.text('page') };
}

/** Prints what the gateway answered: as it is with `--json`, otherwise in lines for a person. Returns the exit code 0. */
export function printAnswer({ output, globals }: Invocation, answer: unknown, lines: () => readonly string[]): number {
  if (globals.json) output.json(answer);
  else output.lines(lines());
  return 0;
}

/** What every list answers, whatever its rows are. */
interface ListPage {
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
}

/** Prints a page of a list: `12 skills`, `12 of 340 skills (page 2 of 29)`. Returns the exit code 0. */
export function printPage<Row>(
  invocation: Invocation,
  answer: ListPage,
  {
    noun,
    rows,
    columns,
  }: { readonly noun: string; readonly rows: readonly Row[]; readonly columns: readonly RowColumn<Row>[] },
): number {
  const { total, page, totalPages } = answer;
  const all = amount(total, noun);
  return printAnswer(invocation, answer, () => [
    ...(rows.length === 0 ? [] : [...rowTable(invocation.output, columns, rows), '']),
    rows.length === total ? all : `${rows.length} of ${all} (page ${page} of ${totalPages})`,
  ]);
}

/** Says that something was done. */
export function doneLine(output: Output, text: string): string {
  return `${output.style('good', '✓')} ${text}`;
}
