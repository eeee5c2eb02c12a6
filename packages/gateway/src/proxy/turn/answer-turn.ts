import type { ModelClient, TurnEnding } from 'skillwright/host';
import type { ToolCall, ToolResult, WireFrame } from 'skillwright/wire';
import { onClientGone } from '../../http/client-gone.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { GatewayLog } from '../../http/log/log.ts';
import type { GatewayMetrics } from '../../http/metrics/gateway-metrics.ts';
import type { ConversationLedger } from '../../ledger/conversation-ledger.ts';
import { passedHeaders } from '../../upstream/forwarded-headers.ts';
import { failedAnswer, isRefusedForTools } from './failed-answer.ts';
import type { Injection, ProxiedRequest } from './injection.ts';
import { takeProxiedTurn, type TurnLimits } from './proxied-turn.ts';
import { injectedHeaders, reportHeaders, timeOf, type TurnReport } from './report-headers.ts';
import type { TurnTrace } from './turn-trace.ts';
import { failureCode } from './upstream-client.ts';

/** A stream to a client: what is written is waited for until the client takes it. */
interface ClientStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Something was written. */
  readonly isBegun: boolean;
  /** Settles when something is written first; never, if nothing is. */
  readonly begun: Promise<undefined>;
  write(frames: readonly WireFrame[]): Promise<void>;
  end(): Promise<void>;
}

/** The name of the events that tell a client of skills, if it asks for them. */
const EVENT = 'skillwright.activity';

export interface AnswerParts {
  readonly request: ProxiedRequest;
  readonly injection: Injection;
  readonly model: ModelClient;
  /** The id of the upstream that the model is at. */
  readonly upstream: string;
  readonly trace: TurnTrace;
  readonly counted: GatewayMetrics;
  readonly ledger: ConversationLedger;
  readonly limits: TurnLimits;
  readonly log: GatewayLog;
  /** The gateway ends. */
  readonly stopping: AbortSignal;
  readonly framing: 'sse' | 'json-array';
  readonly requestId: string;
  /** Headers of the client's request that are for the provider. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request as it came, for a model that takes no tools. */
  readonly passOn: (skipped: string) => Promise<Response>;
}

const NO_TOOLS = 'the model takes no tools';

/** A turn that is under way. */
interface AnsweredTurn {
  readonly parts: AnswerParts;
  readonly report: TurnReport;
  readonly client: ClientStream;
  /** Of the provider's first answer. */
  upstreamHeaders: Readonly<Record<string, string>> | undefined;
}

/** Leads the request through its rounds and answers the client in its own format, streaming or not. */
export async function answerTurn(context: Exchange, parts: AnswerParts): Promise<Response> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  onClientGone(context, leave);
  if (context.env.outgoing?.closed === true) leave();
  const { shown: injected, skipped } = parts.injection;
  const report: TurnReport = { injected, skipped, ran: [], startedAt: performance.now() };
  const answered: AnsweredTurn = { parts, report, client: createClientStream(leave), upstreamHeaders: undefined };
  const turn = takeTurn(answered, AbortSignal.any([gone.signal, parts.stopping]));
  turn.then(
    (ending) => writeDown(ending, parts),
    () => undefined,
  );
  return parts.request.stream ? streamedAnswer(context, turn, answered) : wholeAnswer(await turn, answered);
}

function writeDown(ending: TurnEnding, { trace, counted, upstream }: AnswerParts): void {
  const { failure } = ending;
  trace.end(ending);
  counted.turn({ ...ending, upstream });
  if (failure !== undefined && failure.kind !== 'cancelled') counted.upstreamFailure(upstream, codeOf(failure));
}

/** Statuses that HTTP does not have are as many as a provider likes. */
function codeOf(failure: NonNullable<TurnEnding['failure']>): string {
  const { answer } = failure;
  if (answer === undefined) return failureCode(failure);
  return answer.status >= 400 && answer.status <= 599 ? String(answer.status) : 'other';
}

function takeTurn(answered: AnsweredTurn, signal: AbortSignal): Promise<TurnEnding> {
  const { parts, report, client } = answered;
  const isShown = parts.request.stream && parts.request.headers.showsActivity && parts.framing === 'sse';
  const show = async (frame: WireFrame): Promise<void> => (isShown ? client.write([frame]) : undefined);
  return takeProxiedTurn({
    ...parts,
    signal,
    write: (frames) => client.write(frames),
    onReply(headers) {
      answered.upstreamHeaders ??= headers;
    },
    onCall(call, end) {
      if (end?.hasRun === true) report.ran.push(call.name);
      if (end !== undefined) parts.counted.toolCall(parts.upstream, end.result.isError);
      void show(callFrame(call, end?.result));
    },
    onSettled: (ending) => show(summaryFrame(ending, report)),
    onForgotten: (error) => parts.log.error({ requestId: parts.requestId, err: error }, 'a turn could not be kept'),
  });
}

async function wholeAnswer(ending: TurnEnding, { parts, report, upstreamHeaders }: AnsweredTurn): Promise<Response> {
  if (isRefusedForTools(ending, parts.request)) return parts.passOn(NO_TOOLS);
  const own = reportHeaders(ending, report);
  if (ending.response === undefined || ending.error !== undefined) return failedAnswer(ending, own, parts);
  const headers = { ...passedHeaders(upstreamHeaders ?? {}), ...own };
  if (ending.rawResponse === undefined) return Response.json(ending.response, { headers });
  return new Response(ending.rawResponse as Uint8Array<ArrayBuffer>, {
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** As soon as there is something to send. Until then a failure has a status; from then on it is told in the stream. */
async function streamedAnswer(context: Exchange, turn: Promise<TurnEnding>, answered: AnsweredTurn): Promise<Response> {
  const { parts, report, client } = answered;
  const ending = await Promise.race([client.begun, turn]);
  if (ending !== undefined && !client.isBegun) {
    if (isRefusedForTools(ending, parts.request)) return parts.passOn(NO_TOOLS);
    return failedAnswer(ending, reportHeaders(ending, report), parts);
  }
  void endStream(turn, answered);
  return new Response(client.body, {
    headers: {
      ...passedHeaders(answered.upstreamHeaders ?? {}),
      'content-type': parts.framing === 'json-array' ? 'application/json' : 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      ...chunkedHeader(context),
      ...injectedHeaders(report),
    },
  });
}

/** What is said to be sent in chunks is sent at once by Node's adapter, which waits for more of any other answer. */
function chunkedHeader({ env }: Exchange): Record<string, string> {
  return env.incoming?.httpVersion === '1.1' ? { 'transfer-encoding': 'chunked' } : {};
}

/** A stream that has begun without a word of the model's, to keep it alive for one, has its error still to come. */
async function endStream(turn: Promise<TurnEnding>, { parts, client }: AnsweredTurn): Promise<void> {
  const { format } = parts.request;
  const failWith = (message: string): Promise<void> => {
    const writer = format.createStreamWriter({ isHidden: () => false, includesUsage: false, framing: parts.framing });
    return client.write(writer.fail(message));
  };
  try {
    const { error, hasWritten } = await turn;
    if (error !== undefined && !hasWritten) await failWith(error);
  } catch (error) {
    parts.log.error({ requestId: parts.requestId, err: error }, 'a stream ended early');
    await failWith('The gateway failed.');
  } finally {
    await client.end();
  }
}

/** A tool begins to run, or has ended. */
function callFrame({ id, name }: ToolCall, result: ToolResult | undefined): WireFrame {
  const phase = result === undefined ? 'call-start' : 'call-end';
  return frameOf({ phase, call: id, tool: name, ...(result === undefined ? {} : { isError: result.isError }) });
}

/** What the headers of an answer that is not streamed say, and the usage of the last round alone. */
function summaryFrame({ rounds, lastUsage }: TurnEnding, report: TurnReport): WireFrame {
  return frameOf({ phase: 'done', ran: report.ran, rounds, timeMs: timeOf(report), lastUsage: lastUsage ?? null });
}

function frameOf(activity: Readonly<Record<string, unknown>>): WireFrame {
  const data = JSON.stringify({ type: EVENT, ...activity });
  return { event: EVENT, data, raw: `event: ${EVENT}\ndata: ${data}\n\n` };
}

/** `onGone` is called when the client does not want the rest. */
function createClientStream(onGone: () => void): ClientStream {
  const encoder = new TextEncoder();
  const begun = Promise.withResolvers<undefined>();
  let isBegun = false;
  let isOver = false;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (own) => void (controller = own),
      pull: wake,
      cancel() {
        isOver = true;
        wake();
        onGone();
      },
    },
    { highWaterMark: 1 },
  );
  return {
    body,
    get isBegun() {
      return isBegun;
    },
    begun: begun.promise,
    async write(frames) {
      if (isOver || frames.length === 0) return;
      isBegun = true;
      begun.resolve(undefined);
      controller?.enqueue(encoder.encode(frames.map(({ raw }) => raw).join('')));
      if ((controller?.desiredSize ?? 1) > 0) return;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    },
    async end() {
      if (!isOver) controller?.close();
      isOver = true;
    },
  };
}
