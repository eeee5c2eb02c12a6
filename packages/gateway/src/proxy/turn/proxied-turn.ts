import { driveTurn, type ModelClient, type TurnEnding } from 'skillwright/host';
import type { AssistantTurn, ModelFormat, ToolCall, ToolResult, WireBody, WireFrame } from 'skillwright/wire';
import type { ConversationLedger } from '../../ledger/conversation-ledger.ts';
import type { KeptAnswer, LedgerNote } from '../../ledger/ledger-note.ts';
import type { Injection, ProxiedRequest } from './injection.ts';
import type { TurnTrace } from './turn-trace.ts';

/** What a client understands of the answer that it gets: what it will send back, however its rounds came about. */
interface ClientView {
  /** Part of its stream. */
  read(frames: readonly WireFrame[]): void;
  /** The answer as one turn; `undefined` where it got none. */
  turn(ending: TurnEnding): AssistantTurn | undefined;
}

export interface TurnLimits {
  readonly maxRounds: number;
  /** For skills, from the first call of one on. */
  readonly maxTimeMs: number;
  readonly maxTokens: number;
  /** For the model to wind up after `maxTimeMs`, unless the client is getting its answer. */
  readonly graceMs: number;
  readonly keepAliveMs: number;
}

export interface ProxiedTurn {
  readonly request: ProxiedRequest;
  readonly injection: Injection;
  readonly model: ModelClient;
  /** The id of the upstream that the model is at. */
  readonly upstream: string;
  readonly trace: TurnTrace;
  readonly ledger: ConversationLedger;
  readonly limits: TurnLimits;
  readonly signal: AbortSignal;
  /** How the client reads a stream, where the format has two ways. */
  readonly framing?: 'sse' | 'json-array' | undefined;
  /** The client's stream; waited for. */
  readonly write: (frames: readonly WireFrame[]) => Promise<void>;
  /** Headers of the client's request that are for the provider. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onReply: (headers: Readonly<Record<string, string>>) => void;
  readonly onCall: (call: ToolCall, end?: { readonly result: ToolResult; readonly hasRun: boolean }) => void;
  /** The turn is over, and its last frames are about to be written; waited for. */
  readonly onSettled: (ending: TurnEnding) => Promise<void>;
  /** What the client did not see could not be kept. */
  readonly onForgotten: (error: unknown) => void;
}

/** Leads a client's request through as many rounds as its model needs, and keeps what the client does not see. */
export function takeProxiedTurn(turn: ProxiedTurn): Promise<TurnEnding> {
  const { request, injection, model, limits } = turn;
  const { format, stream, body: clientBody } = request;
  const { hosted } = injection;
  const view = createClientView(format, stream);
  const isEndless = format.requiredCall.isAsked(clientBody) && format.toolNames(clientBody).length === 0;
  const maxRounds = isEndless ? Math.min(limits.maxRounds, MAX_REQUIRED_ROUNDS) : limits.maxRounds;
  let isSettled = false;
  return driveTurn({
    format,
    body: injection.body,
    stream,
    model,
    isOurs: (tool) => hosted.isOurs(tool),
    client: {
      format,
      clientBody,
      includesUsage: format.usageChoice?.isAsked(clientBody) ?? true,
      framing: turn.framing,
      holdsText: format.isStructured(clientBody),
      extension: extensionOf,
    },
    bounds: { maxRounds, maxTokens: limits.maxTokens },
    maxTimeMs: limits.maxTimeMs,
    graceMs: limits.graceMs,
    timesCalls: true,
    keepAliveMs: limits.keepAliveMs,
    prepare: (body, round) => (isEndless && round >= maxRounds ? format.requiredCall.lift(body) : body),
    signal: turn.signal,
    headers: turn.headers,
    onReply: turn.onReply,
    onRound: (report) => turn.trace.round(report),
    onRefused: ({ call, reason }) => turn.trace.refused(call, reason),
    async write(frames) {
      if (!isSettled) view.read(frames);
      await turn.write(frames);
    },
    async execute(call, { signal }) {
      turn.onCall(call);
      const { id, name, argumentsText } = call;
      const startedAt = performance.now();
      const outcome = await hosted.execute({ callId: id, name, arguments: argumentsText }, { signal });
      turn.trace.call({ call, outcome, durationMs: performance.now() - startedAt });
      const result = { callId: id, name, content: outcome.content, isError: outcome.isError };
      turn.onCall(call, { result, hasRun: outcome.execution?.started !== false });
      return result;
    },
    async settle(ending, frames) {
      isSettled = true;
      view.read(frames);
      await keepTurn(ending, view, turn);
      await turn.onSettled(ending);
    },
  });
}

/**
 * A call is required, and the client has no tool for it: ours do not count, so that only this ends it. The model then may
 * answer in words.
 */
const MAX_REQUIRED_ROUNDS = 4;

/** What the last round used, where the answer has the usage of several: how much of the context is full. */
function extensionOf({ rounds, lastUsage }: Pick<TurnEnding, 'rounds' | 'lastUsage'>): WireBody | undefined {
  return rounds === 1 ? undefined : { skillwright: { rounds, lastUsage: lastUsage ?? null } };
}

/** What cannot be kept is not worth an answer that the client has paid for. */
async function keepTurn(ending: TurnEnding, view: ClientView, turn: ProxiedTurn): Promise<void> {
  if (ending.turn === undefined || ending.error !== undefined) return;
  const visible = view.turn(ending);
  if (visible === undefined) return;
  try {
    const { conversation, open } = turn.injection;
    const lost = lostIn(ending, ending.turn, turn);
    await turn.ledger.keep(conversation, visible, { ...noteOf(ending, ending.turn, turn), open, lost });
  } catch (error) {
    turn.onForgotten(error);
  }
}

function noteOf({ steps }: TurnEnding, last: AssistantTurn, turn: ProxiedTurn): LedgerNote {
  const { format } = turn.request;
  const { skills, tools, hosted, body } = turn.injection;
  const answer = answerOf([...steps.map((step) => step.turn), last], turn);
  const shown = { skills, tools, loaded: hosted.session.loaded, lastId: last.id, ...answer };
  const ours = last.calls.filter(({ name }) => hosted.isOurs(name));
  if (steps.length === 0 && ours.length === 0) return shown;
  const earlier = steps.filter((step) => step.turn !== last);
  const results = steps.find((step) => step.turn === last)?.results ?? ours.map(notRun);
  const isMixed = results.length > 0 && results.length < last.calls.length;
  const entries = [
    ...earlier.flatMap((step) => format.historyEntries(step.turn, step.results, body)),
    ...format.historyEntries(last, isMixed ? [] : results, body),
  ];
  return { ...shown, entries, ...(isMixed ? { mixed: { calls: last.calls, results } } : {}) };
}

/** Ids of entries that the client is shown and that led to what it is not. */
function lostIn({ steps }: TurnEnding, last: AssistantTurn, { request, injection }: ProxiedTurn): readonly string[] {
  const turns = new Set([...steps.map((step) => step.turn), last]);
  const isHidden = (tool: string): boolean => injection.hosted.isOurs(tool);
  return [...turns].flatMap((turn) => request.format.entryIds?.lost(turn, isHidden) ?? []);
}

/** Where the answer is, for a format whose providers keep answers. */
function answerOf(turns: readonly AssistantTurn[], { request, upstream }: ProxiedTurn): { answer?: KeptAnswer } {
  const repeated = request.format.keptAnswer?.repeated(request.body);
  const ids = [...new Set(turns.flatMap(({ id }) => id ?? []))];
  return repeated === undefined || ids.length === 0 ? {} : { answer: { upstream, ids, request: repeated } };
}

/** A call in an answer that ended too early, by its length for one: a history has an answer to every call. */
function notRun({ id, name }: ToolCall): ToolResult {
  const text = 'Error: the answer ended before this call was complete, and it was not run.';
  return { callId: id, name, content: [{ type: 'text', text }], isError: true };
}

function createClientView(format: ModelFormat, stream: boolean): ClientView {
  if (!stream)
    return {
      read: () => undefined,
      turn: ({ response }) => (response === undefined ? undefined : format.readResponse(response)),
    };
  const reader = format.createStreamReader();
  return {
    read(frames) {
      for (const { raw } of frames) reader.read(Buffer.from(raw));
    },
    turn() {
      reader.end();
      return reader.turn();
    },
  };
}
