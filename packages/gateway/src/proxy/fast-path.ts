import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate } from '../auth/guard.ts';
import type { SiteCheck } from '../auth/site-check.ts';
import { isPlainRequest, NodeExchange } from '../http/exchange.ts';
import { endingOf, type Frame } from '../http/log/request-log.ts';
import { REQUEST_ID_HEADER } from '../http/log/request-id.ts';
import { sendResponse } from '../http/response/send-response.ts';
import { toldFailure } from '../upstream/failure-response.ts';
import { answerRequest } from './answer-request.ts';
import { modelCallAt, type ModelCall } from './model-calls.ts';
import type { ProxyParts } from './pass-through/pass-through.ts';

/** What stands around every request. */
export interface LaneGround {
  readonly frame: Frame;
  readonly checkSite: SiteCheck;
  readonly gate: Gate;
  readonly isClosing: () => boolean;
}

/** Answers a request of Node's server. False for one that it leaves to others. */
export type Lane = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/**
 * The way of requests to models past the framework, which took half of what the gateway itself takes to pass one on: the same
 * steps, one after the other. A request with anything unusual about it, or against it, is left to the framework.
 */
export function createModelLane(parts: ProxyParts, ground: LaneGround): Lane {
  // Answers to pages of other sites have headers of their own.
  const isOpenToPages = parts.config.allowedOrigins.length > 0;
  return (incoming, outgoing) => {
    if (incoming.method !== 'POST' || isOpenToPages || ground.isClosing() || !isPlainRequest(incoming)) return false;
    const path = pathOf(incoming.url ?? '');
    const asked = modelCallAt(path);
    if (asked === undefined) return false;
    const exchange = new NodeExchange(incoming, outgoing, path);
    if (!isOfOwnSite(exchange, ground)) return false;
    take(exchange, asked, parts, ground).catch((error: unknown) => {
      parts.log.error({ requestId: exchange.requestId, err: error }, 'an answer could not be sent');
      outgoing.destroy();
    });
    return true;
  };
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function isOfOwnSite(exchange: NodeExchange, { checkSite }: LaneGround): boolean {
  try {
    checkSite(exchange);
    return true;
  } catch {
    return false;
  }
}

async function take(exchange: NodeExchange, asked: ModelCall, parts: ProxyParts, ground: LaneGround): Promise<void> {
  const { requestId } = exchange;
  const { incoming, outgoing } = exchange.env;
  const land = ground.frame();
  let leave: (() => void) | undefined;
  let response: Response;
  try {
    const entered = await ground.gate(exchange, SCOPES);
    exchange.caller = entered.caller;
    leave = entered.leave;
    response = await answerRequest(exchange, asked, parts);
  } catch (error) {
    response = toldFailure(error, { format: asked.format, requestId, log: parts.log });
  }
  const { status } = response;
  const end = (): void => {
    leave?.();
    const apiKeyId = exchange.caller?.apiKeyId;
    const ending = endingOf(outgoing, status);
    land({ requestId, method: 'POST', path: exchange.req.path, route: asked.route, ...ending, apiKeyId });
  };
  if (outgoing.closed) end();
  else outgoing.once('close', end);
  if (outgoing.headersSent) return;
  // A provider's own id of the request is the better one to ask it by.
  if (!response.headers.has(REQUEST_ID_HEADER)) response.headers.set(REQUEST_ID_HEADER, requestId);
  sendResponse(response, incoming, outgoing);
}

const SCOPES = ['proxy'] as const;
