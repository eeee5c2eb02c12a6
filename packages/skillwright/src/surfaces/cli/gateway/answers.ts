import type { Page } from './client/rest-types.ts';
import { printAnswer, type Invocation } from '../command.ts';
import { rowTable, type RowColumn } from '../text/table.ts';
import { amount } from '../validating/findings.ts';
import type { QueryValues } from './client/gateway-client.ts';

/** `--limit` and `--page`. The gateway validates them. */
export function pageQuery({ options }: Invocation): QueryValues {
  return { limit: options.text('limit'), page: options.text('page') };
}

/** Prints a page of a list: `12 skills`, `12 of 340 skills (page 2 of 29)`. Returns the exit code 0. */
export function printPage<Row>(
  invocation: Invocation,
  answer: Page,
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

/** `2026-11-16 19:26:02`, in UTC; `never` if there is no time. */
export function timeText(time: number | null): string {
  return time === null ? 'never' : new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

/** `12 ms`, `3.4 s`; `–` if the duration is unknown. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
