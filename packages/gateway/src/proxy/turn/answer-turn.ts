import type { TurnEnding } from 'skillwright/host';
import type { RequestContext } from '../../http/request-context.ts';
import { passedHeaders } from '../../upstream/forwarded-headers.ts';
import { failedAnswer, isRefusedForTools } from './failed-answer.ts';
import { driveProxiedTurn, type ProxiedTurn } from './proxied-turn.ts';
import { injectedHeaders, reportHeaders } from './report-headers.ts';
import { failureCode } from './upstream-client.ts';

const NO_TOOLS = 'the model takes no tools';

/** Drives a request through its rounds and answers the client in its own format, streaming or not. */
export async function answerTurn(turn: ProxiedTurn): Promise<Response> {
  const ending = driveProxiedTurn(turn);
  ending.then(
    (ended) => writeDown(ended, turn),
    () => undefined,
  );
  return turn.request.stream ? streamedAnswer(ending, turn) : wholeAnswer(await ending, turn);
}

function writeDown(ending: TurnEnding, { trace, parts: { counted }, upstream }: ProxiedTurn): void {
  const { failure } = ending;
  trace.end(ending);
  counted.turn({ ...ending, upstream: upstream.id });
  if (failure !== undefined && failure.kind !== 'cancelled') counted.upstreamFailure(upstream.id, codeOf(failure));
}

/** A provider may send any number of invalid statuses, so they share one code. */
function codeOf(failure: NonNullable<TurnEnding['failure']>): string {
  const { answer } = failure;
  if (answer === undefined) return failureCode(failure);
  return answer.status >= 400 && answer.status <= 599 ? String(answer.status) : 'other';
}

async function wholeAnswer(ending: TurnEnding, turn: ProxiedTurn): Promise<Response> {
  if (isRefusedForTools(ending, turn.request)) return turn.passOn(NO_TOOLS);
  const own = reportHeaders(ending, turn.report);
  if (ending.response === undefined || ending.error !== undefined) return failedAnswer(ending, own, turn);
  const headers = { ...passedHeaders(turn.replyHeaders ?? {}), ...own };
  if (ending.rawResponse === undefined) return Response.json(ending.response, { headers });
  return new Response(ending.rawResponse as Uint8Array<ArrayBuffer>, {
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/**
 * Resolves when the first output is ready. A failure before that gets an error status; a later failure is reported in
 * the stream.
 */
async function streamedAnswer(ending: Promise<TurnEnding>, turn: ProxiedTurn): Promise<Response> {
  const { context, request, report, client } = turn;
  const ended = await Promise.race([client.begun, ending]);
  if (ended !== undefined && !client.isBegun) {
    if (isRefusedForTools(ended, request)) return turn.passOn(NO_TOOLS);
    return failedAnswer(ended, reportHeaders(ended, report), turn);
  }
  void endStream(ending, turn);
  return new Response(client.body, {
    headers: {
      ...passedHeaders(turn.replyHeaders ?? {}),
      'content-type': request.framing === 'json-array' ? 'application/json' : 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      ...chunkedHeader(context),
      ...injectedHeaders(report),
    },
  });
}

/** Node's adapter sends chunked responses at once, but buffers the beginning of others. */
function chunkedHeader({ env }: RequestContext): Record<string, string> {
  return env.incoming?.httpVersion === '1.1' ? { 'transfer-encoding': 'chunked' } : {};
}

/**
 * Ends a stream. One that began without output of the model, such as with a keep-alive message, still reports its error
 * here.
 */
async function endStream(ending: Promise<TurnEnding>, { context, parts, request, client }: ProxiedTurn): Promise<void> {
  const { format, framing } = request;
  const failWith = (message: string): Promise<void> => {
    const writer = format.createStreamWriter({ isHidden: () => false, includesUsage: false, framing });
    return client.write(writer.fail(message));
  };
  try {
    const { error, hasWritten } = await ending;
    if (error !== undefined && !hasWritten) await failWith(error);
  } catch (error) {
    parts.log.error({ requestId: context.get('requestId'), err: error }, 'a stream ended early');
    await failWith('The gateway failed.');
  } finally {
    await client.end();
  }
}
