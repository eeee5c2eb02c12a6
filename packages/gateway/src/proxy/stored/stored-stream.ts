import { wireFormat, type WireFrame } from 'skillwright/wire';
import { isFailure, type Failure } from '../../upstream/upstream.ts';
import type { OwnAnswer } from './stored-answer.ts';

/** A provider's response for one part of a stored response, unparsed. */
export interface PartBytes {
  readonly status: number;
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

export type AskBytes = (id: string) => Promise<PartBytes | Failure>;

const FORMAT = wireFormat('openai-responses');

/** Streams a response that its provider keeps in parts as the client first received it, from the requested event. */
export async function storedStream(
  { answer, tools }: OwnAnswer,
  ask: AskBytes,
  startingAfter: string | undefined,
): Promise<Response | Failure> {
  const writer = FORMAT.createStreamWriter({
    isHidden: (tool) => tools.includes(tool),
    includesUsage: true,
    clientBody: answer.request,
    holdsText: FORMAT.isStructured(answer.request),
  });
  const frames: WireFrame[] = [];
  for (const [place, id] of answer.ids.entries()) {
    const part = await ask(id);
    if (isFailure(part)) return part;
    if (part.status !== 200) return refusal(part);
    if (place > 0) frames.push(...writer.nextRound());
    const reader = FORMAT.createStreamReader();
    for (const step of [...reader.read(part.bytes), ...reader.end()]) frames.push(...writer.write(step));
  }
  frames.push(...writer.finish());
  const after = startingAfter === undefined ? -1 : Number(startingAfter);
  const text = frames
    .filter((frame) => !(numberOf(frame) <= after))
    .map(({ raw }) => raw)
    .join('');
  return new Response(text, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  });
}

/** Passes the provider's refusal on unchanged. */
function refusal({ status, type, bytes }: PartBytes): Response {
  return new Response(new Uint8Array(bytes), { status, headers: { 'content-type': type ?? 'application/json' } });
}

function numberOf({ data }: WireFrame): number {
  try {
    const number: unknown = (JSON.parse(data) as { sequence_number?: unknown } | null)?.sequence_number;
    return typeof number === 'number' ? number : Infinity;
  } catch {
    return Infinity;
  }
}
