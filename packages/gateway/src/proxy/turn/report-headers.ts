import type { TurnEnding } from 'skillwright/host';

/** What is told of the skills in an answer. */
export interface TurnReport {
  /** Names of the skills that the model was shown. */
  readonly injected: readonly string[];
  /** What the client asked for and did not get, and why. */
  readonly skipped: string | undefined;
  /** Names of the tools that ran, in the order in which they ended. */
  readonly ran: string[];
  readonly startedAt: number;
}

export function injectedHeaders({ injected, skipped }: TurnReport): Record<string, string> {
  return {
    ...listHeader('x-skillwright-injected', injected),
    ...(skipped === undefined ? {} : skippedHeader(skipped)),
  };
}

/** Why there are no skills in an answer, or not all that were asked for. */
export function skippedHeader(why: string): Record<string, string> {
  return { 'x-skillwright-skipped': why.replaceAll(/[^\x20-\x7e]+/g, '?').slice(0, MAX_REASON) };
}

/** Only where the answer is whole before it is sent: of a stream, the headers come first. */
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

/** Names in a header: only what a header can hold, and no more than fits. None, no header. */
function listHeader(header: string, names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const list = names.map((name) => name.replaceAll(/[^\x21-\x7e]+/g, '_')).join(', ');
  return { [header]: list.slice(0, MAX_LIST) };
}
