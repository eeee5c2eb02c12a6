import { messageOf } from '../spec/errors/error.ts';
import { type Conversation, latestOf } from '../models/demo/formats/conversation.ts';
import { isRecord } from '../models/demo/formats/json-values.ts';
import type { Refusal } from '../models/demo/formats/served-format.ts';
import { speak, type SpokenTurn } from '../models/demo/formats/spoken-turn.ts';
import type { ScriptedTurn, ScriptedModelOptions } from './scripted-model-options.ts';
import { keyRefusal } from './server/authentication.ts';
import { planFrames, planWhole, type ReplyPlan, type RequestEnding } from './server/reply.ts';
import type { FormatRequest } from './server/format-request.ts';
import type { ReadBody } from './server/request-body.ts';
import type { Route } from './server/routes.ts';

/** The next turn of the script, or why the request is refused. */
type NextTurn = { readonly turn: ScriptedTurn } | { readonly refusal: Refusal };

/** Plays the script. Never throws. */
type ScriptPlayer = (conversation: Conversation) => Promise<NextTurn>;

/** An answer, ready to send. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly plan: ReplyPlan;
  readonly delayMs: number;
  /** Called with the request's outcome. */
  readonly onEnd?: (ending: RequestEnding) => void;
}

/** What to do with a request. */
export interface Decision {
  readonly reply: Reply;
  readonly conversation: Conversation | undefined;
  readonly refusal: Refusal | undefined;
  readonly turn: ScriptedTurn | undefined;
}

/** A request with its HTTP facts. */
export interface Asked {
  readonly request: FormatRequest;
  readonly route: Route;
  readonly read: ReadBody;
  readonly requestId: string;
  /** The API key; `''` if there is none. */
  readonly key: string;
}

/** Decides what to do with a request. Never throws. */
export type Decide = (asked: Asked) => Promise<Decision>;

export function createDecide(options: ScriptedModelOptions): Decide {
  const play = createScriptPlayer(options);
  let accepted = 0;

  async function decide(asked: Asked): Promise<Decision> {
    const { request, route, read } = asked;
    const early = earlyRefusal(asked, options);
    if (early !== undefined) return refused(asked, early);
    const conversation = converse(asked, accepted);
    const [refusal] = options.strictness === 'off' ? [] : route.server.refusals(request);
    if (refusal !== undefined) return refused(asked, refusal, conversation);
    accepted += 1;
    const number = accepted;
    const next = await play(conversation);
    if ('refusal' in next) return refused(asked, next.refusal, conversation);
    const { turn } = next;
    const { callPrefix } = route.server;
    const place = { serial: String(number), model: request.model, callPrefix, requestLength: read.text.length };
    const { fault } = turn;
    const reply = fault?.type === 'status' ? faultReply(asked, fault) : shape(turn, asked, speak(turn, place));
    return { reply, conversation, refusal: undefined, turn };
  }

  // The turn is nested too deeply to be written, or its arguments are not JSON.
  return (asked) =>
    decide(asked).catch((error: unknown) =>
      refused(asked, scriptFailure(`The scripted turn cannot be sent: ${messageOf(error)}`)),
    );
}

function earlyRefusal(
  { request, route, read, key }: Asked,
  { apiKey, models }: ScriptedModelOptions,
): Refusal | undefined {
  return keyRefusal(key, apiKey, route.server.format) ?? read.refusal ?? modelRefusal(request.model, models);
}

function modelRefusal(model: string, models: readonly string[] | undefined): Refusal | undefined {
  if (models === undefined || model === '' || models.includes(model)) return undefined;
  return { status: 404, message: `The model '${model}' does not exist.`, param: 'model', code: 'model_not_found' };
}

function refused(asked: Asked, refusal: Refusal, conversation?: Conversation): Decision {
  return { reply: errorReply(asked, refusal), conversation, refusal, turn: undefined };
}

function errorReply({ request, route, requestId }: Asked, refusal: Refusal): Reply {
  return jsonReply(refusal.status, route.server.errorBody(refusal, request, requestId));
}

function faultReply(asked: Asked, fault: Extract<ScriptedTurn['fault'], { type: 'status' }>): Reply {
  const { status, retryAfter, message = `The script answers with status ${status}.` } = fault;
  const reply = errorReply(asked, { status, message });
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return { ...reply, headers: { ...reply.headers, ...headers } };
}

function converse({ request, route }: Asked, index: number): Conversation {
  const { body, model, stream } = request;
  const read = route.server.read(request);
  return { format: route.server.format, model, stream, ...read, ...latestOf(read.messages), index, body };
}

function shape(turn: ScriptedTurn, { request, route: { server } }: Asked, spoken: SpokenTurn): Reply {
  const delayMs = turn.delayMs ?? 0;
  request.memory.keepTurn(spoken);
  server.keep?.(spoken, request);
  if (!request.stream) {
    const { status, body } = server.answer(spoken, request);
    return { ...jsonReply(status, body), plan: planWhole(JSON.stringify(body), turn.fault), delayMs };
  }
  const type = request.framing === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
  const headers = { 'content-type': type, 'cache-control': 'no-cache' };
  return { status: 200, headers, plan: planFrames(server.frames(spoken, request), turn.fault), delayMs };
}

export function jsonReply(status: number, body: unknown): Reply {
  const plan = planWhole(JSON.stringify(body), undefined);
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, plan, delayMs: 0 };
}

function createScriptPlayer(options: ScriptedModelOptions): ScriptPlayer {
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
  if (respond !== undefined) return 'The respond function of this model returned no turn.';
  return `The script of this model has ${script?.length ?? 0} turns, and this is request ${used}.`;
}

function problemOf({ fault }: ScriptedTurn): string | undefined {
  if (fault?.type !== 'status' || (Number.isInteger(fault.status) && fault.status >= 400 && fault.status < 600)) {
    return undefined;
  }
  return `A scripted fault has a status from 400 to 599, not ${fault.status}.`;
}

/** The refusal for a fault in the script: a 400, because clients retry after a 500. */
function scriptFailure(message: string): Refusal {
  return { status: 400, message, code: 'script_failed' };
}
