import { hash } from 'node:crypto';
import { closestName } from 'skillwright/host';
import type { RequestContext } from '../../http/request-context.ts';
import { parseReference, readRange } from '../../registry/version-range.ts';
import { GatewayError } from '../../spec/gateway-error.ts';

/** The skills that a client asks for in one request, and how. */
export interface SkillHeaders {
  /** The only skills that the request may use; `undefined` for all skills. */
  readonly only: readonly string[] | undefined;
  readonly mode: 'on' | 'off' | 'auto' | undefined;
  /** Whether the client's stream reports what skills do. */
  readonly showsActivity: boolean;
  readonly session: string | undefined;
  /** Whether skills other than built-ins may be used. */
  readonly custom: boolean;
}

/** The start of every request header that the gateway defines. Headers for keys are not among them. */
const PREFIX = 'x-skillwright-';
const KNOWN = ['skills', 'mode', 'activity', 'session', 'custom-skills'] as const;
const OURS = /^x[-_]skillwright[-_]/;

const MODES = ['on', 'off', 'auto'] as const;
const ACTIVITIES = ['hidden', 'events'];
const SWITCHES = ['on', 'off'];
const MAX_SESSION = 200;

export function readSkillHeaders(context: RequestContext): SkillHeaders {
  const { req } = context;
  assertKnown(context);
  const names = req
    .header('x-skillwright-skills')
    ?.split(',')
    .map((name) => name.trim());
  const mode = req.header('x-skillwright-mode')?.trim().toLowerCase();
  const activity = req.header('x-skillwright-activity')?.trim().toLowerCase() ?? 'hidden';
  const custom = req.header('x-skillwright-custom-skills')?.trim().toLowerCase();
  if (mode !== undefined && !isMode(mode)) throw invalid('x-skillwright-mode', mode, MODES);
  if (!ACTIVITIES.includes(activity)) throw invalid('x-skillwright-activity', activity, ACTIVITIES);
  if (custom !== undefined && !SWITCHES.includes(custom))
    throw invalid('x-skillwright-custom-skills', custom, SWITCHES);
  for (const name of names ?? []) assertRange(name);
  return {
    only: names?.filter((name) => name !== ''),
    mode,
    showsActivity: activity === 'events',
    custom: custom !== 'off',
    session: shortSession(req.header('x-skillwright-session')),
  };
}

/**
 * Throws for an unknown header with our prefix: without an error, a misspelled header would silently have no effect.
 */
function assertKnown({ env, req }: RequestContext): void {
  const names = env.incoming === undefined ? (req.raw?.headers.keys() ?? []) : Object.keys(env.incoming.headers);
  for (const name of names) {
    if (!OURS.test(name) || KNOWN.some((known) => name === PREFIX + known)) continue;
    const nearest = closestName(name.slice(PREFIX.length), KNOWN);
    const hint =
      nearest === undefined
        ? `Known headers: ${KNOWN.map((known) => PREFIX + known).join(', ')}.`
        : `Did you mean ${PREFIX}${nearest}?`;
    const message = `The header ${name.slice(0, 60)} is not known. ${hint}`;
    throw new GatewayError('InvalidHeader', message, { data: { header: name.slice(0, 60) } });
  }
}

/** Shortens a session name. Long names that differ only at the end stay different. */
function shortSession(name: string | undefined): string | undefined {
  if (name === undefined || name.length <= MAX_SESSION) return name;
  const digest = hash('sha256', name, 'hex');
  return `${name.slice(0, MAX_SESSION - digest.length - 1)}-${digest}`;
}

/** Throws unless the text is `name@range` with a valid range. */
function assertRange(reference: string): void {
  const { range } = parseReference(reference);
  if (range !== undefined) readRange(range);
}

function isMode(text: string): text is (typeof MODES)[number] {
  return (MODES as readonly string[]).includes(text);
}

function invalid(header: string, value: string, known: readonly string[]): GatewayError {
  const message = `The header ${header} is '${value.slice(0, 60)}'. It takes ${known.join(', ')}.`;
  return new GatewayError('InvalidHeader', message, { data: { header } });
}
