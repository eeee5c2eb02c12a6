import { parseExact, wireFormat, type WireBody, type WireFormatName } from 'skillwright/wire';
import type { RequestContext } from '../http/request-context.ts';
import type { Caller } from '../http/gateway-env.ts';
import { objectIn, parseChecked, parseJson, readBody, type CheckedJson } from '../http/body/request-body.ts';
import type { GatewaySettings } from '../store/settings.ts';
import { failureResponse } from '../upstream/failure-response.ts';
import { keepAnswerOf } from './stored/answer-owner.ts';
import { answerTurn } from './turn/answer-turn.ts';
import { inject, type Injected, type ProxiedRequest } from './turn/injection.ts';
import { assertReach } from './stored/kept-reach.ts';
import type { ProxyParts } from './pass-through/pass-through.ts';
import { openProxiedTurn } from './turn/proxied-turn.ts';
import { readSkillHeaders } from './turn/skill-headers.ts';
import { skippedHeader } from './turn/report-headers.ts';

/** The properties of a model request that its path determines. */
export interface Asked {
  readonly format: WireFormatName;
  /** The model, if the path names it; otherwise the body does. */
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

/** Answers an authorized model request: with skills if some fit, otherwise by passing it on. */
export async function answerRequest(context: RequestContext, asked: Asked, parts: ProxyParts): Promise<Response> {
  const { bytes, value } = await readSent(context, asked.format, parts);
  const request = requestOf(context, asked, objectIn(value));
  const upstream = parts.upstreams.route(asked.format, request.model);
  if (upstream === undefined) {
    const failure = parts.upstreams.unknownModel(asked.format, request.model);
    return failureResponse(asked.format, failure, context.get('requestId'));
  }
  await assertReach(context.get('caller'), request, parts.ledger);
  const injected = await injectSafely(context, request, upstream.id, parts);
  const passOn = (skipped: string, given?: WireBody): Promise<Response> =>
    parts.passThrough(context, upstream, {
      body: given === undefined ? bytes : Buffer.from(JSON.stringify(given)),
      headers: skippedHeader(skipped),
      onAnswer: keepAnswerOf(request, upstream, parts),
    });
  if ('skipped' in injected) return passOn(injected.skipped, injected.body);
  const { injection } = injected;
  return answerTurn(openProxiedTurn({ context, parts, request, injection, upstream, passOn }));
}

/** The parsed body of a request, and the bytes to pass on. */
async function readSent(context: RequestContext, format: WireFormatName, { config }: ProxyParts): Promise<CheckedJson> {
  const bytes = await readBody(context, config.limits);
  if (wireFormat(format).keptAnswer !== undefined) return parseChecked(bytes, config.limits);
  return { bytes, value: parseJson(bytes, config.limits, parseExact) };
}

function requestOf(context: RequestContext, { format, model, stream }: Asked, body: WireBody): ProxiedRequest {
  return {
    format: wireFormat(format),
    body,
    model: model ?? (typeof body['model'] === 'string' ? body['model'] : ''),
    stream: stream ?? body['stream'] === true,
    // Gemini streams one JSON array unless the client asks for events.
    framing:
      format === 'gemini' && (context.req.query('alt') ?? context.req.query('$alt')) !== 'sse' ? 'json-array' : 'sse',
    tenant: context.get('caller').tenant,
    headers: readSkillHeaders(context),
  };
}

/** Adds skills, or none if the store fails: the proxy keeps working. */
async function injectSafely(
  context: RequestContext,
  request: ProxiedRequest,
  upstream: string,
  { store, skills, ledger, log, requestSkills }: ProxyParts,
): Promise<Injected> {
  try {
    return await inject(request, {
      host: skills,
      ledger,
      skillsOff: skillsOffFor(context.get('caller'), store.settings.current),
      upstream,
      findSkills: () => requestSkills({ ...request.headers, tenant: request.tenant }),
    });
  } catch (error) {
    log.error({ requestId: context.get('requestId'), err: error }, 'skills could not be added to a request');
    return { skipped: 'skills could not be added' };
  }
}

function skillsOffFor({ usesSkills }: Caller, { skillsEnabled }: GatewaySettings): string | undefined {
  if (!skillsEnabled) return 'skills are switched off';
  return usesSkills ? undefined : 'skills need a key, and this request has none';
}
