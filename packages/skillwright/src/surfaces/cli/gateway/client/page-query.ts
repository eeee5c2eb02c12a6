import type { Invocation } from '../../command.ts';
import { amount } from '../../validating/findings.ts';
import type { QueryValues } from './gateway-client.ts';

/** `--limit` and `--page`, for the gateway to check. */
export function pageQuery({ options }: Invocation): QueryValues {
  return { limit: options.text('limit'), page: options.text('page') };
}

/** What every list answers, whatever its rows are. */
interface ListPage {
  readonly data: readonly unknown[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
}

/** `12 skills`, `12 of 340 skills (page 2 of 29)` */
export function pageText({ data, total, page, totalPages }: ListPage, noun: string): string {
  if (data.length === total) return amount(total, noun);
  return `${data.length} of ${amount(total, noun)} (page ${page} of ${totalPages})`;
}
