import { driveTurn, type TurnEnding } from 'skillwright/host';
import type { AssistantTurn, ToolCall, ToolResult, WireBody, WireFrame } from 'skillwright/wire';
import { onClientGone } from '../../http/response/response-end.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { KeptAnswer, LedgerNote } from '../../ledger/ledger-note.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { ProxyParts } from '../pass-through/pass-through.ts';
import { createClientStream, type ClientStream } from './client-stream.ts';
import type { Injection, ProxiedRequest } from './injection.ts';
import { timeOf, type TurnReport } from './report-headers.ts';
import { createTurnTrace, type TurnTrace } from './turn-trace.ts';
import { upstreamClient, type UpstreamClient } from './upstream-client.ts';

/** The parts of a client's request that its turn needs. */
interface TurnRequest {
  readonly context: RequestContext;
  readonly parts: ProxyParts;
  readonly request: ProxiedRequest;
  readonly injection: Injection;
  readonly upstream: Upstream;
  /** Passes the original request on, for a model that takes no tools. */
  readonly passOn: (skipped: string) => Promise<Response>;
}

/** The state of one client request that uses skills. Every step until the response shares the same object. */
export interface ProxiedTurn extends TurnRequest {
  readonly model: UpstreamClient;
  readonly trace: TurnTrace;
  readonly report: TurnReport;
  readonly client: ClientStream;
  /** Aborts when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
  /** The headers of the provider's first response. */
  replyHeaders: Readonly<Record<string, string>> | undefined;
}

export function openProxiedTurn(given: TurnRequest): ProxiedTurn {
  const { context, parts, request, injection, upstream } = given;
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  onClientGone(context, leave);
  if (context.env.outgoing?.closed === true) leave();
  const model = upstreamClient(context, upstream, { model: request.model, log: parts.log });
  const { shown: injected, skipped } = injection;
  return {
    ...given,
    model,
    trace: createTurnTrace({ request, injection, model: model.client }, parts),
    report: { injected, skipped, ran: [], startedAt: performance.now() },
    client: createClientStream(leave),
    signal: AbortSignal.any([gone.signal, parts.stopping]),
    replyHeaders: undefined,
  };
}

/** Drives a client's request through as many rounds as its model needs, and keeps the hidden part. */
export function driveProxiedTurn(turn: ProxiedTurn): Promise<TurnEnding> {
  const { request, injection, model, report, trace, client } = turn;
  const { counted, config } = turn.parts;
  const { format, stream, body: clientBody, framing } = request;
  const { skillRounds, skillMs, skillTokens, skillGraceMs, keepAliveMs } = config.limits;
  const { hosted } = injection;
  const isEndless = format.requiredCall.isAsked(clientBody) && format.toolNames(clientBody).length === 0;
  const maxRounds = isEndless ? Math.min(skillRounds, MAX_REQUIRED_ROUNDS) : skillRounds;
  const isShown = stream && request.headers.showsActivity && framing === 'sse';
  const show = async (frame: WireFrame): Promise<void> => (isShown ? client.write([frame]) : undefined);
  return driveTurn({
    format,
    body: injection.body,
    stream,
    model: model.client,
    headers: model.headers,
    isOurs: (tool) => hosted.isOurs(tool),
    client: {
      format,
      clientBody,
      includesUsage: format.usageChoice?.isAsked(clientBody) ?? true,
      framing,
      holdsText: format.isStructured(clientBody),
      extension: extensionOf,
    },
    bounds: { maxRounds, maxTokens: skillTokens },
    maxTimeMs: skillMs,
    graceMs: skillGraceMs,
    timesCalls: true,
    keepAliveMs,
    prepare: (body, round) => (isEndless && round >= maxRounds ? format.requiredCall.lift(body) : body),
    signal: turn.signal,
    onReply(headers) {
      turn.replyHeaders ??= headers;
    },
    onRound: (round) => trace.round(round),
    onRefused: ({ call, reason }) => trace.refused(call, reason),
    write: (frames) => client.write(frames),
    async execute(call, { signal }) {
      void show(callFrame(call, undefined));
      const { id, name, argumentsText } = call;
      const startedAt = performance.now();
      const outcome = await hosted.execute({ callId: id, name, arguments: argumentsText }, { signal });
      trace.call({ call, outcome, durationMs: performance.now() - startedAt });
      const result = { callId: id, name, content: outcome.content, isError: outcome.isError };
      if (outcome.execution?.started !== false) report.ran.push(outcome.usedTool ?? name);
      counted.toolCall(turn.upstream.id, result.isError);
      void show(callFrame(call, result));
      return result;
    },
    async settle(ending) {
      await keepTurn(ending, turn);
      await show(summaryFrame(ending, report));
    },
  });
}

/**
 * How long a required call is repeated if the client has no tools: the gateway's own calls do not satisfy it, so only
 * this limit ends it. The model may then answer in text.
 */
const MAX_REQUIRED_ROUNDS = 4;

/**
 * The usage of the last round, which shows how full the context is. Reported only if the answer's usage is the sum of
 * several rounds.
 */
function extensionOf({ rounds, lastUsage }: Pick<TurnEnding, 'rounds' | 'lastUsage'>): WireBody | undefined {
  return rounds === 1 ? undefined : { skillwright: { rounds, lastUsage: lastUsage ?? null } };
}

/** Keeps the hidden part of a turn. A failure is only logged, because the client has paid for the answer. */
async function keepTurn(ending: TurnEnding, turn: ProxiedTurn): Promise<void> {
  const { clientTurn } = ending;
  if (ending.turn === undefined || clientTurn === undefined || ending.error !== undefined) return;
  try {
    const { conversation, open } = turn.injection;
    const lost = lostIn(ending, ending.turn, turn);
    await turn.parts.ledger.keep(conversation, clientTurn, { ...noteOf(ending, ending.turn, turn), open, lost });
  } catch (error) {
    turn.parts.log.error({ requestId: turn.context.get('requestId'), err: error }, 'a turn could not be saved');
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

/** Ids of entries that the client was shown and that led to hidden entries. */
function lostIn({ steps }: TurnEnding, last: AssistantTurn, { request, injection }: ProxiedTurn): readonly string[] {
  const turns = new Set([...steps.map((step) => step.turn), last]);
  const isHidden = (tool: string): boolean => injection.hosted.isOurs(tool);
  return [...turns].flatMap((turn) => request.format.entryIds?.lost(turn, isHidden) ?? []);
}

/** Where the response is stored, for formats whose providers store responses. */
function answerOf(
  turns: readonly AssistantTurn[],
  { request, upstream, injection: { hosted, tools } }: ProxiedTurn,
): { answer?: KeptAnswer } {
  const repeated = request.format.keptAnswer?.repeated(request.body);
  const ids = [...new Set(turns.flatMap(({ id }) => id ?? []))];
  if (repeated === undefined || ids.length === 0) return {};
  const called = new Set(turns.flatMap(({ calls }) => calls.map(({ name }) => name)));
  const alsoHidden = [...called].filter((name) => hosted.isOurs(name) && !tools.includes(name));
  const answer: KeptAnswer = { upstream: upstream.id, ids, request: repeated };
  return { answer: alsoHidden.length === 0 ? answer : { ...answer, alsoHidden } };
}

/**
 * The result for a call in an answer that ended too early, such as at its token limit: histories need a result for
 * every call.
 */
function notRun({ id, name }: ToolCall): ToolResult {
  const text = 'Error: the answer ended before this call was complete, and it was not run.';
  return { callId: id, name, content: [{ type: 'text', text }], isError: true };
}

/** Reports the start or end of a tool call. */
function callFrame({ id, name }: ToolCall, result: ToolResult | undefined): WireFrame {
  const phase = result === undefined ? 'call-start' : 'call-end';
  return frameOf({ phase, call: id, tool: name, ...(result === undefined ? {} : { isError: result.isError }) });
}

/** Reports in a stream what the headers of a whole answer would say, and the usage of the last round alone. */
function summaryFrame({ rounds, lastUsage }: TurnEnding, report: TurnReport): WireFrame {
  return frameOf({ phase: 'done', ran: report.ran, rounds, timeMs: timeOf(report), lastUsage: lastUsage ?? null });
}

/** The name of the events that report skills to a client that asks for them. */
const EVENT = 'skillwright.activity';

function frameOf(activity: Readonly<Record<string, unknown>>): WireFrame {
  const data = JSON.stringify({ type: EVENT, ...activity });
  return { event: EVENT, data, raw: `event: ${EVENT}\ndata: ${data}\n\n` };
}
