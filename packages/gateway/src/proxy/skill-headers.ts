import type { GatewayContext } from '../http/gateway-env.ts';
import { GatewayError } from '../spec/gateway-error.ts';

/** What a client asks of skills for one request. */
export interface SkillHeaders {
  /** No others than these. */
  readonly only: readonly string[] | undefined;
  readonly mode: 'on' | 'off' | 'auto' | undefined;
  /** Whether the client's stream tells what skills do. */
  readonly showsActivity: boolean;
  readonly session: string | undefined;
}

const MODES = ['on', 'off', 'auto'] as const;
const ACTIVITIES = ['hidden', 'events'];
const MAX_SESSION = 200;

export function readSkillHeaders({ req }: GatewayContext): SkillHeaders {
  const names = req
    .header('x-skillwright-skills')
    ?.split(',')
    .map((name) => name.trim());
  const mode = req.header('x-skillwright-mode')?.trim().toLowerCase();
  const activity = req.header('x-skillwright-activity')?.trim().toLowerCase() ?? 'hidden';
  if (mode !== undefined && !isMode(mode)) throw invalid('x-skillwright-mode', mode, MODES);
  if (!ACTIVITIES.includes(activity)) throw invalid('x-skillwright-activity', activity, ACTIVITIES);
  return {
    only: names?.filter((name) => name !== ''),
    mode,
    showsActivity: activity === 'events',
    session: req.header('x-skillwright-session')?.slice(0, MAX_SESSION),
  };
}

function isMode(text: string): text is (typeof MODES)[number] {
  return (MODES as readonly string[]).includes(text);
}

function invalid(header: string, value: string, known: readonly string[]): GatewayError {
  const message = `The header ${header} is '${value.slice(0, 60)}'. It takes ${known.join(', ')}.`;
  return new GatewayError('InvalidHeader', message, { data: { header } });
}
