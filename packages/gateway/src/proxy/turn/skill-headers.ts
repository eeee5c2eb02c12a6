import { hash } from 'node:crypto';
import type { RequestContext } from '../../http/request-context.ts';
import { parseReference, readRange } from '../../registry/version-range.ts';
import { GatewayError } from '../../spec/gateway-error.ts';

/** What a client asks of skills for one request. */
export interface SkillHeaders {
  /** No others than these. */
  readonly only: readonly string[] | undefined;
  readonly mode: 'on' | 'off' | 'auto' | undefined;
  /** Whether the client's stream tells what skills do. */
  readonly showsActivity: boolean;
  readonly session: string | undefined;
  /** Whether skills that are no built-ins are wanted. */
  readonly custom: boolean;
}

const MODES = ['on', 'off', 'auto'] as const;
const ACTIVITIES = ['hidden', 'events'];
const SWITCHES = ['on', 'off'];
const MAX_SESSION = 200;

export function readSkillHeaders({ req }: RequestContext): SkillHeaders {
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

/** Names that differ only in what is cut off stay different. */
function shortSession(name: string | undefined): string | undefined {
  if (name === undefined || name.length <= MAX_SESSION) return name;
  const digest = hash('sha256', name, 'hex');
  return `${name.slice(0, MAX_SESSION - digest.length - 1)}-${digest}`;
}

/** `name@range`, with a range that can be read. */
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
