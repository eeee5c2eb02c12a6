import { parseExact } from 'skillwright/wire';
import { GatewayError } from '../../spec/gateway-error.ts';
import { isJsonObject } from '../../spec/json-object.ts';
import { collectIncoming, collectStream, type BodyLimits } from './collect-bytes.ts';
import type { RequestContext } from '../request-context.ts';
import { countValues, surveyJson } from './json-survey.ts';
import { packingOf, tooLarge, unpack } from './unpack.ts';

/** The maximum nesting. No API needs a tenth of it, and JSON.stringify fails at a few thousand levels. */
const MAX_DEPTH = 500;

/**
 * Bodies with more values than this are parsed faster, but unusual numbers lose their spelling. Keeping the spelling
 * takes a microsecond for each value.
 */
const MAX_EXACT_VALUES = 200_000;

/** All requests share this decoder, because creating one costs as much as parsing a small body. It keeps no state. */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the decompressed body. Throws coded errors, and never holds more than the limit. */
export async function readBody(context: RequestContext, limits: BodyLimits): Promise<Buffer> {
  assertCharset(context.req.header('content-type'));
  const packing = packingOf(context.req.header('content-encoding'));
  const announced = Number(context.req.header('content-length') ?? 0);
  if (announced > limits.bodyBytes) throw tooLarge(limits.bodyBytes);
  const bytes = await receive(context, limits);
  return packing === undefined ? bytes : unpack(bytes, packing, limits.bodyBytes);
}

/**
 * Reads from Node's request if there is one, because wrapping it in a web stream costs more than all other steps
 * together.
 */
async function receive({ env, req }: RequestContext, limits: BodyLimits): Promise<Buffer> {
  if (env.incoming !== undefined) return collectIncoming(env.incoming, limits);
  const body = req.raw?.body ?? null;
  return body === null ? Buffer.alloc(0) : collectStream(body, limits);
}

/** Parses a body that must be JSON by content and by content type. Also returns its bytes. */
export async function readJson(
  context: RequestContext,
  limits: BodyLimits,
): Promise<{ bytes: Buffer; value: unknown }> {
  assertJsonType(context.req.header('content-type'));
  return readAnyJson(context, limits);
}

/** Like `readJson`, but ignores the content type, which clients of models often get wrong. */
export async function readAnyJson(
  context: RequestContext,
  limits: BodyLimits,
): Promise<{ bytes: Buffer; value: unknown }> {
  const bytes = await readBody(context, limits);
  return { bytes, value: parseJson(bytes, limits) };
}

/**
 * Parses a body. Limits its number of values, because parsing blocks all other requests. `parse` is for bodies that are
 * written again: it keeps numbers that JavaScript would write differently.
 */
export function parseJson(
  bytes: Buffer,
  limits: Pick<BodyLimits, 'jsonValues'>,
  parse?: (text: string) => unknown,
): unknown {
  return readText(bytes, limits, parse).value;
}

/** JSON that was parsed for checks, with bytes that every other parser reads the same way. */
export interface CheckedJson {
  readonly value: unknown;
  readonly bytes: Buffer;
}

/**
 * Like `parseJson`, for bytes that are passed on. If an object repeats a key, some parsers take the first value and
 * others the last, so the bytes are rewritten to contain only the value that was checked.
 */
export function parseChecked(bytes: Buffer, limits: Pick<BodyLimits, 'jsonValues'>): CheckedJson {
  const { value, ownValues } = readText(bytes, limits, parseExact);
  return { value, bytes: countValues(value) === ownValues ? bytes : Buffer.from(JSON.stringify(value)) };
}

/** Returns the value if it is an object; otherwise throws. */
export function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  if (isJsonObject(value)) return value;
  throw new GatewayError('InvalidJson', 'The body is not a JSON object.');
}

function readText(
  bytes: Buffer,
  { jsonValues }: Pick<BodyLimits, 'jsonValues'>,
  parse: (text: string) => unknown = JSON.parse,
): { readonly value: unknown; readonly ownValues: number } {
  const { depth, hasUnusualNumbers, values, ownValues } = surveyJson(bytes, { depth: MAX_DEPTH, values: jsonValues });
  if (depth > MAX_DEPTH)
    throw new GatewayError('InvalidJson', `The body is nested more than ${MAX_DEPTH} levels deep.`);
  if (values > jsonValues)
    throw new GatewayError(
      'TooManyValues',
      `The body has more than ${jsonValues} JSON values, the limit of this gateway. Send less, or raise \`limits.jsonValues\`.`,
      { data: { jsonValues } },
    );
  try {
    const text = STRICT_UTF8.decode(bytes);
    const value = hasUnusualNumbers && values <= MAX_EXACT_VALUES ? parse(text) : (JSON.parse(text) as unknown);
    return { value, ownValues };
  } catch (error) {
    throw new GatewayError('InvalidJson', `The body is not valid JSON: ${reasonOf(error)}.`, { cause: error });
  }
}

/** The parser's message, without the text that it quotes from the body, because the body may be private. */
function reasonOf(error: unknown): string {
  if (!(error instanceof SyntaxError)) return 'it is not UTF-8';
  const [place] = /at position \d+/.exec(error.message) ?? [];
  return place === undefined ? 'it ends too early or is malformed' : `it is malformed ${place}`;
}

/** Charsets that encode JSON's own characters in the same bytes as UTF-8. */
const LIKE_UTF8 = /^(?:utf-?8|us-ascii|ascii|latin1|iso-8859-\d{1,2}|windows-125\d)$/i;

/**
 * Refuses a body that an upstream might decode to different JSON than the gateway. In UTF-7, `+ACI-` is a quotation
 * mark that ends a text, and what follows could name something that the caller must not reach.
 */
function assertCharset(header: string | undefined): void {
  const other = charsetsOf(header ?? '').find((name) => !LIKE_UTF8.test(name));
  if (other === undefined) return;
  const message = `The charset '${other.slice(0, 40)}' is not supported. Send the body in UTF-8.`;
  throw new GatewayError('ContentTypeNotSupported', message);
}

/** The charsets of a Content-Type, in every spelling of the parameter, even if the header is repeated. */
function charsetsOf(header: string): readonly string[] {
  return header.split(/[;,]/).flatMap((parameter) => {
    const [name = '', value = ''] = parameter.split('=', 2);
    return name.trim().toLowerCase().startsWith('charset') ? [value.replaceAll(/["\s]/g, '')] : [];
  });
}

/** Accepts JSON content types, and a missing one. */
function assertJsonType(header: string | undefined): void {
  const [type = ''] = header?.split(';') ?? [];
  const name = type.trim().toLowerCase();
  if (name === '' || name === 'application/json' || name.endsWith('+json')) return;
  throw new GatewayError(
    'ContentTypeNotSupported',
    `The content type '${name.slice(0, 60)}' is not supported. Send JSON.`,
  );
}
