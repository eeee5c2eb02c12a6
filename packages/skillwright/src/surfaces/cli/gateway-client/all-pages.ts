import type { GatewayClient, QueryValues } from './gateway-client.ts';
import type { PageAnswer } from './gateway-records.ts';

/** The most that a list answers at once. */
export const MAX_LIMIT = '200';
/** More rows than this are not looked through for a person. */
const MAX_PAGES = 25;

/** All rows of a list, page by page. */
export async function readAllPages<Row>(client: GatewayClient, path: string, query: QueryValues = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await client.get<PageAnswer<Row>>(path, { ...query, limit: MAX_LIMIT, page: String(page) });
    rows.push(...answer.data);
    if (page >= answer.totalPages) break;
  }
  return rows;
}
