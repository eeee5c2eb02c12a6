import { wireFormat } from 'skillwright/wire';
import type { BodyLimits } from '../http/body/collect-bytes.ts';
import { parseJson } from '../http/body/request-body.ts';
import type { Clock } from '../spec/clock.ts';
import { callUpstream } from './call-upstream.ts';
import type { Dialect, ListedModel } from './dialects/dialect.ts';
import { isFailure, type UpstreamPlace } from './upstream.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import { DEMO_MODEL, type Upstreams } from './upstreams.ts';

const KNOWN_MS = 60_000;
const FAILED_MS = 5_000;
const MAX_BYTES = 16 * 1024 ** 2;

export interface ModelListOptions {
  readonly now: Clock;
  /** Called for upstreams whose list cannot be read. The models of the others are still listed. */
  readonly onFailure: (upstream: string, reason: string) => void;
  readonly limits: Pick<BodyLimits, 'jsonValues'>;
  /** How long an upstream may take to return its list. Default 5,000. */
  readonly timeoutMs?: number;
}

/** The models of all upstreams. */
export interface ModelLists {
  /**
   * The models that a client of this dialect can request, including the demo model. Lists each model once, as its
   * provider describes it.
   */
  of(dialect: Dialect): Promise<readonly ListedModel[]>;
}

type Models = readonly ListedModel[];

/** Fetches all lists together on demand, and caches them for a minute. */
export function createModelLists(upstreams: Upstreams, options: ModelListOptions): ModelLists {
  const { now, onFailure, limits, timeoutMs = 5_000 } = options;
  const known = new Map<string, { readonly list: Promise<Models>; readonly until: number }>();

  const remember = (name: string, list: Promise<Models>, ms: number): Promise<Models> => {
    known.set(name, { list, until: now() + ms });
    return list;
  };

  const listOf = (place: UpstreamPlace, dialect: Dialect): Promise<Models> => {
    // Upstreams that differ only in their format share one list.
    const name = JSON.stringify([place.origin, place.pathFor(dialect.listPath), place.keyHeaders]);
    const found = known.get(name);
    if (found !== undefined && found.until > now()) return found.list;
    const list = askForList(place, dialect, { timeoutMs, limits }).then((answer) => {
      if (typeof answer !== 'string') return answer;
      onFailure(place.id, answer);
      return remember(name, Promise.resolve([]), FAILED_MS);
    });
    return remember(name, list, KNOWN_MS);
  };

  return {
    of: async (dialect) => {
      const own = upstreams.all.filter(({ format }) => dialect.formats.includes(format));
      const lists = await Promise.all(
        own.map(async (upstream): Promise<Models> => {
          const listed = upstream.place === undefined ? [] : await listOf(upstream.place, dialect);
          const named = upstream.models.filter((pattern) => !pattern.includes('*')).map((id) => dialect.describe(id));
          return [...listed, ...named].filter(({ id }) => upstreams.route(upstream.format, id) === upstream);
        }),
      );
      return eachOnce([...lists.flat(), dialect.describe(DEMO_MODEL)]);
    },
  };
}

/** Keeps the first description of each model, which is the provider's own. */
function eachOnce(models: Models): Models {
  const seen = new Set<string>();
  return models.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Requests the list of an upstream. Returns the list, or the reason why there is none. */
async function askForList(
  place: UpstreamPlace,
  dialect: Dialect,
  { timeoutMs, limits }: Required<Pick<ModelListOptions, 'timeoutMs' | 'limits'>>,
): Promise<Models | string> {
  const { headers } = wireFormat(dialect.formats[0]).target({ model: DEMO_MODEL, stream: false, apiKey: '' });
  const call = callUpstream(place, {
    method: 'GET',
    path: place.pathFor(dialect.listPath),
    headers: [...Object.entries(headers).flat(), 'accept', 'application/json', ...place.keyHeaders],
  });
  const timer = setTimeout(() => call.end(), timeoutMs);
  try {
    const answer = await call.answer;
    if (isFailure(answer)) return answer.message;
    if (answer.statusCode !== 200) return `It answered with status ${answer.statusCode}.`;
    return dialect.readList(parseJson(await bytesOf(answer), limits));
  } catch (error) {
    return `Its list cannot be read: ${String(error)}`;
  } finally {
    clearTimeout(timer);
    call.end();
  }
}

/** Reads a list up to the limit. A longer list is cut off there, so it is not valid JSON and counts as unreadable. */
async function bytesOf({ message }: UpstreamAnswer): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
