import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '../../packages/gateway/src/app.ts';
import { createSchemaCheck, schemaHazard } from '../../packages/skillwright/src/host.ts';

/** How long the event loop is blocked, as a multiple of a reference operation on this machine. */
export interface Blocking {
  readonly name: string;
  /** The reference operation. */
  readonly unit: string;
  readonly ratio: number;
  readonly limit: number;
}

const ROUNDS = 5;
const UPSTREAM = 'http://127.0.0.1:1/v1';

const list = (item: string, count: number): string => Array.from({ length: count }, () => item).join(',');
const keys = (count: number): string => Array.from({ length: count }, (_, place) => `"k${place}":0`).join(',');
const chat = (messages: string): string => `{"model":"m","messages":[{"role":"user","content":"Hi."},${messages}]}`;
const call = (args: string): string =>
  `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":${JSON.stringify(args)}}}]}`;

interface Body {
  readonly name: string;
  readonly body: string;
  /** The text whose `JSON.parse` is the reference. Default: the body. */
  readonly parsed?: string;
  readonly limit: number;
}

const MANY = `[${list('[]', 9_000_000)}]`;

/** A refused body takes a fraction of its parse time; a forwarded body takes longer than parsing. */
const BODIES: readonly Body[] = [
  { name: '27 MB of empty arrays, refused', body: chat(list('[]', 9_000_000)), limit: 0.5 },
  { name: '2.2 million keys, refused', body: chat(`{${keys(2_200_000)}}`), limit: 0.5 },
  { name: '27 MB of empty arrays in arguments, refused', body: chat(call(MANY)), parsed: MANY, limit: 0.5 },
  { name: '490,000 empty arrays, passed on', body: chat(list('[]', 490_000)), limit: 10 },
  {
    name: '490,000 values in a history, passed on',
    body: chat(list('{"role":"user","content":"Go on."}', 98_000)),
    limit: 10,
  },
  { name: '240,000 keys of an object, passed on', body: chat(`{"role":"user",${keys(240_000)}}`), limit: 10 },
];

/** The longest time that the event loop was blocked during the work. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isOver = false;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return Math.max(longest, performance.now() - last);
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const middle = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** Measures requests to a gateway in this thread. The gateway's upstream does not exist. */
async function requestBlocking(): Promise<Blocking[]> {
  const data = mkdtempSync(join(tmpdir(), 'skillwright-bench-'));
  const upstreams = [{ id: 'u', format: 'openai-chat' as const, baseUrl: UPSTREAM }];
  const gateway = await createGateway({ data, skills: [], upstreams, logLevel: 'silent' });
  const { secret } = await gateway.keys.create({ name: 'bench', scopes: ['proxy'] });
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const results: Blocking[] = [];
  try {
    for (const { name, body, parsed = body, limit } of BODIES) {
      const bytes = new TextEncoder().encode(body);
      const ratios: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const init = { method: 'POST', headers, body: bytes };
        const request = new Request('http://localhost/v1/chat/completions', init);
        const blocked = await longestBlock(async () => (await gateway.fetch(request)).text());
        ratios.push(blocked / timeOf(() => JSON.parse(parsed) as unknown));
      }
      results.push({ name, unit: 'of JSON.parse', ratio: middle(ratios), limit });
    }
  } finally {
    await gateway.close();
    rmSync(data, { recursive: true, force: true });
  }
  return results;
}

const pattern = (written: string): object => ({ type: 'string', pattern: written });

/** Measures schema checks that hit their time limit, as a multiple of that limit. */
function schemaBlocking(): Blocking[] {
  const slow = Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`p${place}`, pattern('^.*a.*a.*a.*b$')]));
  const value = Object.fromEntries(Object.keys(slow).map((name) => [name, 'a'.repeat(2_000)]));
  const items = { allOf: Array.from({ length: 1_000 }, () => ({ type: 'number' })) };
  const many = Array.from({ length: 5_000 }, (_, place) => [`p${place}`, pattern(`^(?:ab${place})+$`)] as const);
  const works: readonly (readonly [string, () => unknown])[] = [
    ['a hundred slow patterns', () => createSchemaCheck()({ type: 'object', properties: slow }, value)],
    [
      'a thousand schemas for 40,000 values',
      () => createSchemaCheck()({ type: 'object', properties: { a: { items } } }, { a: Array(40_000).fill(1) }),
    ],
    ['judging 5,000 patterns', () => schemaHazard({ type: 'object', properties: Object.fromEntries(many) })],
  ];
  return works.map(([name, work]) => {
    const times = Array.from({ length: ROUNDS }, () => timeOf(work));
    return { name, unit: 'of 100 ms', ratio: middle(times) / 100, limit: 2 };
  });
}

/** Measures how long hostile bodies and schemas block all other requests. */
export async function measureBlocking(): Promise<readonly Blocking[]> {
  return [...(await requestBlocking()), ...schemaBlocking()];
}
