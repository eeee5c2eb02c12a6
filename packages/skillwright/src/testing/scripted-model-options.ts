import { SkillwrightError } from '../spec/errors/error.ts';
import { WIRE_FORMATS, type WireFormatName } from '../spec/wire.ts';
import type { Strictness } from './server/format-request.ts';
import type { Respond, ScriptedTurn } from './script.ts';

/** Options of `createScriptedModel`. */
export interface ScriptedModelOptions {
  /** The model's turns, one for each accepted request, in the order the requests come. Or `respond`. */
  readonly script?: readonly ScriptedTurn[];
  /** What happens once the script is used up: a 400 that says so, or the last turn again and again. Default `fail`. */
  readonly afterScript?: 'fail' | 'repeat';
  /** Decides each turn by the conversation: for several conversations at a time, or turns that depend on results. */
  readonly respond?: Respond;
  /** Formats that are served; paths of others are not found. Default all four. */
  readonly formats?: readonly WireFormatName[];
  /** The only key that is accepted. Default any, as long as there is one. */
  readonly apiKey?: string;
  /** The only models there are. Default any; the list of models has one, `scripted`. */
  readonly models?: readonly string[];
  /** `off` takes any request that can be read at all. Default every check. */
  readonly strictness?: Partial<Strictness> | 'off';
  /** Requests and answers that are remembered; older ones are forgotten. Default 10,000. */
  readonly remembered?: number;
  /** Default a free one. */
  readonly port?: number;
}

export function assertOptions(options: ScriptedModelOptions): void {
  const { script, respond, formats, remembered } = options;
  if ((script === undefined) === (respond === undefined)) {
    throw invalid('A scripted model takes either script or respond: give it exactly one of them.');
  }
  if (script?.length === 0 && options.afterScript === 'repeat') {
    throw invalid('A scripted model that repeats its last turn needs at least one: script is empty.');
  }
  const unknown = formats?.find((format) => !WIRE_FORMATS.includes(format));
  if (unknown !== undefined) {
    throw invalid(`A scripted model cannot speak '${unknown}'. Its formats are: ${WIRE_FORMATS.join(', ')}.`);
  }
  if (remembered !== undefined && !(Number.isSafeInteger(remembered) && remembered > 0)) {
    throw invalid(`The option remembered of a scripted model is a whole number from 1 on, not ${String(remembered)}.`);
  }
}

function invalid(message: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', message);
}
