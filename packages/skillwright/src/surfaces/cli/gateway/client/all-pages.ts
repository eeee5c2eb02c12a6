import type { GatewayClient, QueryValues } from './gateway-client.ts';
import type { ApiKey, RestAnswers, Skill } from './rest-types.ts';

/** The most rows that the gateway returns in one response. */
export const MAX_LIMIT = '200';
/** The most pages that a command reads to find something. */
const MAX_PAGES = 25;

/** All keys, including revoked ones. */
export function readAllKeys(client: GatewayClient): Promise<ApiKey[]> {
  return readAll(client, { path: '/api/keys', query: {}, rowsOf: ({ data }: RestAnswers['listKeys']) => data });
}

/** All skills, or those that match a query. */
export function readAllSkills(client: GatewayClient, query: QueryValues = {}): Promise<Skill[]> {
  return readAll(client, { path: '/api/skills', query, rowsOf: ({ skills }: RestAnswers['listSkills']) => skills });
}

interface WholeList<Page, Row> {
  readonly path: string;
  readonly query: QueryValues;
  readonly rowsOf: (page: Page) => readonly Row[];
}

async function readAll<Page extends { readonly totalPages: number }, Row>(
  client: GatewayClient,
  { path, query, rowsOf }: WholeList<Page, Row>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await client.get<Page>(path, { ...query, limit: MAX_LIMIT, page: String(page) });
    rows.push(...rowsOf(answer));
    if (page >= answer.totalPages) break;
  }
  return rows;
}
