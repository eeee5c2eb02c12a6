import type { IncomingMessage } from 'node:http';
import { isRecord, type JsonRecord } from '../../models/demo/formats/json-values.ts';
import type { Refusal } from '../../models/demo/formats/served-format.ts';

/** Larger requests are refused, because every provider has some limit. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface ReadBody {
  /** The body as received. */
  readonly text: string;
  /** The body as an object; empty when the body is not a JSON object. */
  readonly json: JsonRecord;
  /** Why the body is refused, if it is. */
  readonly refusal: Refusal | undefined;
}

/** Reads the whole body. Throws only if the client goes away while sending. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BYTES) return refused('', { status: 413, message: 'Request exceeds the maximum size' });
  const text = Buffer.concat(chunks).toString('utf8');
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\b/i.test(type)) {
    const message = `Unsupported content type: '${type}'. This API method only accepts 'application/json' requests.`;
    return refused(text, { status: 400, message });
  }
  return parse(text);
}

function parse(text: string): ReadBody {
  try {
    const json: unknown = JSON.parse(text);
    if (isRecord(json)) return { text, json, refusal: undefined };
    return refused(text, { status: 400, message: 'The request body must be a JSON object.' });
  } catch {
    const message = 'We could not parse the JSON body of your request. The API expects a JSON payload.';
    return refused(text, { status: 400, message });
  }
}

function refused(text: string, refusal: Refusal): ReadBody {
  return { text, json: {}, refusal };
}
