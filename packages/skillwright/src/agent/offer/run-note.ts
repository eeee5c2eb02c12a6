import { cutText } from '../../select/listing/listing-text.ts';
import { escapedLine } from '../../select/listing/shown-text.ts';
import type { RunCheck } from '../../run/admission/run-checks.ts';

/** What a model is told of a skill that has something to run, and on a host that can run none of it. */
export interface RunNote {
  /** After the description, in the listing. */
  readonly listed: string;
  /** After the instructions. */
  readonly loaded: string;
  /** After the description of a tool. */
  readonly tool: string;
}

const MAX_LISTED = 160;
const MAX_REASON = 600;

/** `undefined` for a skill that runs here, or has nothing to run. A reason may quote the skill, so it is escaped. */
export function runNote(check: RunCheck | undefined, hasScripts: boolean): RunNote | undefined {
  if (check === undefined || check.runs) return undefined;
  const what = hasScripts ? 'scripts' : 'tools';
  const whole = escapedLine(check.reason);
  const reason = cutText(whole, MAX_REASON);
  const short = cutText(whole, MAX_LISTED);
  const remedy = cutText(escapedLine(check.remedy), MAX_REASON);
  return {
    listed: `(its ${what} cannot run here: ${short})`,
    loaded:
      `The ${what} of this skill cannot run here: ${reason}. Do not imitate them with other tools or services: ` +
      `tell the user that they cannot run, why, and what to do about it: ${remedy}`,
    tool: `(It cannot run here: ${short}. Do not imitate it with other tools or services: tell the user.)`,
  };
}
