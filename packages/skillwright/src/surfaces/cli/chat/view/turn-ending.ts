import type { AgentResult } from '../../../../agent/turn/agent-turn.ts';

/** What is said of a turn that did not end by itself; `undefined` where it did. */
export function endingNote({ reason, error }: Pick<AgentResult, 'reason' | 'error'>): string | undefined {
  if (reason === 'end') return undefined;
  return NOTES[reason] ?? error ?? `The answer ended early: ${reason}.`;
}

/** A reason that is not here has a message of its own. */
const NOTES: Partial<Record<AgentResult['reason'], string>> = {
  cancelled: 'Cancelled.',
  empty: 'The model said nothing.',
  length: 'The answer is cut off: it became longer than the model may answer.',
  refusal: 'The model declined to answer.',
  'content-filter': "The provider's content filter ended the answer.",
  'max-turns': 'The model kept calling tools and was stopped. --max-turns lets it go on for longer.',
  'repeated-failures': 'The model made the same failing call again and again, and was stopped.',
};
