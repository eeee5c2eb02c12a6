import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authorize } from '../auth/guard.ts';
import type { SiteCheck } from '../auth/site-check.ts';
import { isPlainRequest, NodeRequestContext } from '../http/request-context.ts';
import { endingOf, type Frame } from '../http/log/request-log.ts';
import { REQUEST_ID_HEADER } from '../http/log/request-id.ts';
import { sendResponse } from '../http/response/send-response.ts';
import { toldFailure } from '../upstream/failure-response.ts';
import { answerRequest } from './answer-request.ts';
import { modelCallAt, type ModelCall } from './model-calls.ts';
import type { ProxyParts } from './pass-through/pass-through.ts';

/** The steps that every request takes, with the framework or without. */
export interface RequestSteps {
  readonly frame: Frame;
  readonly checkSite: SiteCheck;
  readonly authorize: Authorize;
  readonly isClosing: () => boolean;
}

/** Answers a request of Node's server. Returns false for a request that it leaves to others. */
export type FastPath = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/**
 * Handles model requests without the framework, which took half of the gateway's own time for a passed-through request.
 * Takes the same steps in the same order as the framework, and leaves unusual requests to the framework.
 */
export function createFastPath(parts: ProxyParts, steps: RequestSteps): FastPath {
  // If pages of other sites may use the gateway, responses need CORS headers, which only the framework adds.
  const isOpenToPages = parts.config.allowedOrigins.length > 0;
  return (incoming, outgoing) => {
    if (incoming.method !== 'POST' || isOpenToPages || steps.isClosing() || !isPlainRequest(incoming)) return false;
    const path = pathOf(incoming.url ?? '');
    const asked = modelCallAt(path);
    if (asked === undefined) return false;
    const context = new NodeRequestContext(incoming, outgoing, path);
    if (!isOfOwnSite(context, steps)) return false;
    take(context, asked, parts, steps).catch((error: unknown) => {
      parts.log.error({ requestId: context.requestId, err: error }, 'a response could not be sent');
      outgoing.destroy();
    });
    return true;
  };
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function isOfOwnSite(context: NodeRequestContext, { checkSite }: RequestSteps): boolean {
  try {
    checkSite(context);
    return true;
  } catch {
    return false;
  }
}

async function take(
  context: NodeRequestContext,
  asked: ModelCall,
  parts: ProxyParts,
  steps: RequestSteps,
): Promise<void> {
  const { requestId } = context;
  const { incoming, outgoing } = context.env;
  const land = steps.frame();
  let leave: (() => void) | undefined;
  let response: Response;
  try {
    const entered = await steps.authorize(context, SCOPES);
    context.caller = entered.caller;
    leave = entered.leave;
    response = await answerRequest(context, asked, parts);
  } catch (error) {
    response = toldFailure(error, { format: asked.format, requestId, log: parts.log });
  }
  const { status } = response;
  const end = (): void => {
    leave?.();
    const apiKeyId = context.caller?.apiKeyId;
    const ending = endingOf(outgoing, status);
    land({ requestId, method: 'POST', path: context.req.path, route: asked.route, ...ending, apiKeyId });
  };
  if (outgoing.closed) end();
  else outgoing.once('close', end);
  if (outgoing.headersSent) return;
  // A provider's own request id is more useful for support, so it is kept.
  if (!response.headers.has(REQUEST_ID_HEADER)) response.headers.set(REQUEST_ID_HEADER, requestId);
  sendResponse(response, incoming, outgoing);
}

const SCOPES = ['proxy'] as const;
