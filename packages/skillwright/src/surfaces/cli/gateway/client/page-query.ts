import type { Invocation } from '../../command.ts';
import { amount } from '../../validating/findings.ts';
import type { QueryValues } from './gateway-client.ts';
import type { PageAnswer } from './gateway-records.ts';

/** `--limit` and `--page`, for the gateway to check. */
export function pageQuery({ options }: Invocation): QueryValues {
  return { limit: options.text('limit'), page: options.text('page') };
}

/** `12 skills`, `12 of 340 skills (page 2 of 29)` */
export function pageText({ data, total, page, totalPages }: PageAnswer<unknown>, noun: string): string {
  if (data.length === total) return amount(total, noun);
  return `${data.length} of ${amount(total, noun)} (page ${page} of ${totalPages})`;
}
