import type { z } from 'zod';
import type { BodyLimits } from '../http/collect-bytes.ts';
import type { GatewayContext } from '../http/gateway-env.ts';
import { readJson } from '../http/request-body.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import { describeIssue, type RequestProblem } from './describe-issue.ts';
import type { RestRoute } from './rest-route.ts';

/** The parts of a request, each as its schema makes it; undefined where the route describes none. */
export interface ReadParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Reads a request as its route describes it. Throws `InvalidRequest`, which names everything that is wrong. */
export async function readRequest(
  context: GatewayContext,
  { params, query, body }: Pick<RestRoute, 'params' | 'query' | 'body'>,
  limits: BodyLimits,
): Promise<ReadParts> {
  const problems: RequestProblem[] = [];
  const check = (place: RequestProblem['in'], schema: z.ZodType | undefined, value: () => unknown): unknown => {
    if (schema === undefined) return undefined;
    const { data, error } = schema.safeParse(value(), { reportInput: true });
    problems.push(...(error?.issues.flatMap((issue) => describeIssue(place, issue)) ?? []));
    return data;
  };
  const given = body === undefined ? undefined : (await readJson(context, limits)).value;
  const read = {
    params: check('path', params, () => context.req.param()),
    query: check('query', query, () => singleValues(context.req.queries(), problems)),
    body: check('body', body, () => given),
  };
  if (problems.length > 0) throw invalidRequest(problems);
  return read;
}

/** Nobody can mean two values of one parameter. */
function singleValues(queries: Readonly<Record<string, string[]>>, problems: RequestProblem[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(queries).flatMap(([name, values]) => {
      if (values.length > 1)
        problems.push({ in: 'query', field: name, message: `${name.slice(0, 100)} must be given once` });
      return values[0] === undefined ? [] : [[name, values[0]] as const];
    }),
  );
}

const MAX_SHOWN = 10;

/** The failure that names everything that is wrong with a request. */
export function invalidRequest(problems: readonly RequestProblem[]): GatewayError {
  const shown = problems.slice(0, MAX_SHOWN).map(({ message }) => message);
  const more = problems.length > MAX_SHOWN ? `; and ${problems.length - MAX_SHOWN} more` : '';
  const text = `${shown.join('; ')}${more}`;
  return new GatewayError('InvalidRequest', `${text.charAt(0).toUpperCase()}${text.slice(1)}.`, {
    data: { problems: problems.slice(0, 100) },
  });
}
