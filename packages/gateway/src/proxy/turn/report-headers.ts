import type { TurnEnding } from 'skillwright/host';

/** The facts about skills that a response reports. */
export interface TurnReport {
  /** Names of the skills that the model was shown. */
  readonly injected: readonly string[];
  /** Skills that the client asked for and did not get, with the reason. */
  readonly skipped: string | undefined;
  /** Names of the tools that ran, in the order in which they finished. */
  readonly ran: string[];
  readonly startedAt: number;
}

export function injectedHeaders({ injected, skipped }: TurnReport): Record<string, string> {
  return {
    ...listHeader('x-skillwright-injected', injected),
    ...(skipped === undefined ? {} : skippedHeader(skipped)),
  };
}

/** The header that says why skills are missing from a response. */
export function skippedHeader(why: string): Record<string, string> {
  return { 'x-skillwright-skipped': why.replaceAll(/[^\x20-\x7e]+/g, '?').slice(0, MAX_REASON) };
}

/**
 * The headers that report a turn. Only for an answer that is complete before it is sent, because a stream sends its
 * headers first.
 */
export function reportHeaders({ rounds }: TurnEnding, report: TurnReport): Record<string, string> {
  return {
    ...injectedHeaders(report),
    ...listHeader('x-skillwright-ran', report.ran),
    'x-skillwright-rounds': String(rounds),
    'x-skillwright-time-ms': String(timeOf(report)),
  };
}

export function timeOf({ startedAt }: TurnReport): number {
  return Math.round(performance.now() - startedAt);
}

const MAX_LIST = 1_000;
const MAX_REASON = 300;

/** Lists names in a header: only valid characters, and only as many as fit. No names, no header. */
function listHeader(header: string, names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const list = names.map((name) => name.replaceAll(/[^\x21-\x7e]+/g, '_')).join(', ');
  return { [header]: list.slice(0, MAX_LIST) };
}
