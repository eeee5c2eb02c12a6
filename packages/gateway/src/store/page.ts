import type { SelectQueryBuilder, Simplify } from 'kysely';

/** A text that sorts after every id. */
export const LAST = '\u{10FFFF}';

/** The requested part of a list. */
export interface PageRequest {
  /** The number of the page, from 1. */
  readonly page: number;
  /** Rows per page. */
  readonly limit: number;
}

/** A page, in the form that every list returns. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalPages: number;
}

export function toPage<T>(data: readonly T[], total: number, { page, limit }: PageRequest): Page<T> {
  return { data, total, page, limit, totalPages: Math.ceil(total / limit) };
}

/** Reads one page of a query, in its order. */
export async function readPage<Database, Table extends keyof Database, Row, T>(
  query: SelectQueryBuilder<Database, Table, Row>,
  page: PageRequest,
  toItem: (row: Simplify<Row>) => T,
): Promise<Page<T>> {
  const rows = await query
    .limit(page.limit)
    .offset((page.page - 1) * page.limit)
    .execute();
  return toPage(rows.map(toItem), await countRows(query), page);
}

/** Counts the rows of a query. */
export async function countRows<Database, Table extends keyof Database, Row>(
  query: SelectQueryBuilder<Database, Table, Row>,
): Promise<number> {
  const all = query.clearSelect().clearOrderBy();
  const counted = all.select((expression) => expression.fn.countAll().as('count'));
  const { count } = (await counted.executeTakeFirstOrThrow()) as { readonly count: number };
  return count;
}
