import { STATUS_CODES } from 'node:http';
import type { ModelFailure } from '../spec/model.ts';
import type { ModelSettings } from './model-options.ts';
import { providerWords } from './provider-words.ts';
import { retryAfterMs } from './retry-after.ts';

/** An HTTP response that does not come from a model. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The part of the body that was read. */
  readonly body: Uint8Array;
}

/**
 * The failure for a server's error response: the server's message, what to do, and whether to retry. Contains no
 * secrets.
 */
export function toStatusFailure(answer: RefusedAnswer, settings: ModelSettings): ModelFailure {
  const { redactor, format } = settings;
  const safe = redactor.redactValue(answer) as RefusedAnswer;
  const words = providerWords(format, new TextDecoder().decode(safe.body));
  const who = `The model server '${settings.address.url.host}'`;
  const waitMs = retryAfterMs(answer.headers, Date.now());
  const said = words === '' ? 'without saying why.' : `and says: ${/[.!?…]$/.test(words) ? words : `${words}.`}`;
  return {
    kind: 'status',
    message: redactor.redactText(
      `${who} answered with ${nameOf(answer.status)}, ${said} ${remedy(answer, settings, waitMs)}`,
    ),
    isPassing: isPassing(answer),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    answer: safe,
  };
}

function nameOf(status: number): string {
  const name = STATUS_CODES[status];
  return `status ${status}${name === undefined ? '' : ` (${name})`}`;
}

const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);
const LASTING: ReadonlySet<number> = new Set([501, 505]);

/** Whether a retry may succeed. Providers tell this by certain statuses or by a header of their own. */
function isPassing({ status, headers }: RefusedAnswer): boolean {
  const advice = headers['x-should-retry'];
  if (advice === 'true' || advice === 'false') return advice === 'true';
  return PASSING.has(status) || (status >= 500 && !LASTING.has(status));
}

function remedy(answer: RefusedAnswer, settings: ModelSettings, waitMs: number | undefined): string {
  const { status, headers } = answer;
  const { model, address } = settings;
  const base = `the address, which is '${address.url.origin}${address.path}'`;
  if (status < 300) return `The response is not from a model API. Check ${base}.`;
  if (status < 400)
    return `It redirects${hostOf(headers.location)}, and keys are not sent to redirect targets. Check ${base}, and use the final URL.`;
  if (status === 401)
    return hasNoKey(settings)
      ? 'The server requires a key, and none was sent.'
      : 'Check that the key is valid for this provider.';
  if (status === 402) return 'Check the credit of the account that the key belongs to.';
  if (status === 403)
    return `Check that the key may use the model '${model}', and that the provider allows your location.`;
  if (status === 404) return `Check the name of the model, '${model}', and ${base}.`;
  if (status === 413) return 'The request is too large for the server. Send less.';
  const wait = waitMs === undefined ? 'Try again later' : `Try again in ${Math.ceil(waitMs / 1000)} s`;
  if (status === 429) return `${wait}, or ask the provider for a higher limit.`;
  return isPassing(answer) ? `${wait}.` : 'Change the request before you send it again.';
}

/** Whether no key is configured. Configured headers count as a key, because they may contain one. */
function hasNoKey({ apiKey, headers }: ModelSettings): boolean {
  return apiKey === '' && Object.keys(headers).length === 0;
}

/** The host of a redirect target. The rest of the URL may be secret, so messages must not contain it. */
function hostOf(location: string | undefined): string {
  const host = location === undefined ? undefined : URL.parse(location)?.host;
  return host === undefined || host === '' ? '' : ` to '${host.slice(0, 253)}'`;
}
