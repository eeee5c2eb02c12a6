import type { Conversation } from '../models/demo/formats/conversation.ts';
import { isRecord } from '../models/demo/formats/json-values.ts';
import type { Refusal } from '../models/demo/formats/served-format.ts';
import type { ScriptedTurn } from './script.ts';
import type { ScriptedModelOptions } from './scripted-model-options.ts';

/** The next turn of the script, or why there is none. */
export type NextTurn = { readonly turn: ScriptedTurn } | { readonly refusal: Refusal };

/** Never throws. */
export type ScriptPlayer = (conversation: Conversation) => Promise<NextTurn>;

export function createScriptPlayer(options: ScriptedModelOptions): ScriptPlayer {
  const { script = [], afterScript = 'fail', respond } = options;
  let used = 0;
  const next = (): ScriptedTurn | undefined => {
    used += 1;
    return script[used - 1] ?? (afterScript === 'repeat' ? script.at(-1) : undefined);
  };
  return async (conversation) => {
    try {
      const turn = await (respond === undefined ? next() : respond(conversation));
      if (!isRecord(turn)) return { refusal: scriptFailure(missingTurn(options, used)) };
      const problem = problemOf(turn);
      return problem === undefined ? { turn } : { refusal: scriptFailure(problem) };
    } catch (error) {
      return { refusal: scriptFailure(`The respond function of this model failed: ${messageOf(error)}`) };
    }
  };
}

function missingTurn({ script, respond }: ScriptedModelOptions, used: number): string {
  if (respond !== undefined) return 'The respond function of this model answered no turn.';
  return `The script of this model has ${script?.length ?? 0} turns, and this is request ${used}.`;
}

function problemOf({ fault }: ScriptedTurn): string | undefined {
  if (fault?.type !== 'status' || (Number.isInteger(fault.status) && fault.status >= 400 && fault.status < 600)) {
    return undefined;
  }
  return `A scripted fault has a status from 400 to 599, not ${fault.status}.`;
}

/** A 400, because clients try again after a 500. */
export function scriptFailure(message: string): Refusal {
  return { status: 400, message, code: 'script_failed' };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
