import { z } from 'zod';
import type { BodyLimits } from '../../http/body/collect-bytes.ts';
import type { GatewayContext } from '../../http/gateway-env.ts';
import { readJson } from '../../http/body/request-body.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import { describeIssue, type RequestProblem } from './describe-issue.ts';
import type { RestRoute } from '../rest-route.ts';

/** The parts of a request, each as its schema parsed it; undefined for parts that the route does not have. */
export interface ReadParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Reads a request as its route describes it. Throws `InvalidRequest` with every problem. */
export async function readRequest(
  context: GatewayContext,
  { params, query, body }: Pick<RestRoute, 'params' | 'query' | 'body'>,
  limits: BodyLimits,
): Promise<ReadParts> {
  const problems: RequestProblem[] = [];
  const check = (place: RequestProblem['in'], schema: z.ZodType | undefined, value: () => unknown): unknown => {
    if (schema === undefined) return undefined;
    const { data, error } = schema.safeParse(value(), { reportInput: true });
    const issues = withoutEchoes(error?.issues ?? []);
    problems.push(...issues.flatMap((issue) => describeIssue(place, issue, schema)));
    return data;
  };
  const given = body === undefined ? undefined : (await readJson(context, limits)).value;
  const read = {
    params: check('path', params, () => context.req.param()),
    query: check('query', query ?? NO_QUERY, () => givenQuery(context, query, problems)),
    body: check('body', body, () => given),
  };
  if (problems.length > 0) throw invalidRequest(problems);
  return read;
}

/** Drops further problems of a value that already has the wrong type, such as its length. */
function withoutEchoes(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const wrongTypes = new Set<string>();
  return issues.filter(({ code, path }) => {
    const place = JSON.stringify(path);
    const isFirst = !wrongTypes.has(place);
    if (code === 'invalid_type') wrongTypes.add(place);
    return isFirst;
  });
}

const NO_QUERY = z.object({});

/** Clients of some vendors send their key in this parameter. The guard has already checked that key. */
const KEY_PARAMETER = 'key';

/** Reads the route's query parameters. Unknown or repeated ones are problems, because they must be mistakes. */
function givenQuery(
  { req }: GatewayContext,
  query: RestRoute['query'],
  problems: RequestProblem[],
): Record<string, string> {
  const known = Object.keys(query?.shape ?? {});
  return Object.fromEntries(
    Object.entries(req.queries()).flatMap(([name, values]) => {
      const field = name.slice(0, 100);
      const isKnown = known.includes(name);
      if (!isKnown && name !== KEY_PARAMETER)
        problems.push({ in: 'query', field, message: `unknown parameter '${field}' (${knownParameters(known)})` });
      else if (values.length > 1) problems.push({ in: 'query', field, message: `${field} must be given once` });
      return isKnown && values[0] !== undefined ? [[name, values[0]] as const] : [];
    }),
  );
}

function knownParameters(names: readonly string[]): string {
  return names.length === 0 ? 'there are no parameters' : `parameters: ${names.join(', ')}`;
}

const MAX_SHOWN = 10;

/** The error that lists every problem of a request. */
export function invalidRequest(problems: readonly RequestProblem[]): GatewayError {
  const shown = problems.slice(0, MAX_SHOWN).map(({ message }) => message);
  const more = problems.length > MAX_SHOWN ? `; and ${problems.length - MAX_SHOWN} more` : '';
  const text = `${shown.join('; ')}${more}`;
  return new GatewayError('InvalidRequest', `${beginsWithName(problems) ? text : capitalized(text)}.`, {
    data: { problems: problems.slice(0, 100) },
  });
}

/** Whether the message begins with a name, which keeps its case even at the start of a sentence. */
function beginsWithName([first]: readonly RequestProblem[]): boolean {
  return first !== undefined && first.field !== '' && first.message.startsWith(first.field);
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
