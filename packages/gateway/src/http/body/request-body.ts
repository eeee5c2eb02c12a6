import { parseExact } from 'skillwright/wire';
import { GatewayError } from '../../spec/gateway-error.ts';
import { isJsonObject } from '../../spec/json-object.ts';
import { collectIncoming, collectStream, type BodyLimits } from './collect-bytes.ts';
import type { RequestContext } from '../request-context.ts';
import { countValues, surveyJson } from './json-survey.ts';
import { packingOf, tooLarge, unpack } from './unpack.ts';

/** No API nests its requests a tenth as deeply; JSON.stringify fails some thousands of levels down. */
const MAX_DEPTH = 500;

/** Numbers are kept as they were written in bodies of up to so many values: it takes a microsecond for each of them. */
const MAX_EXACT_VALUES = 200_000;

/** Made once: each costs as much as it takes to parse a small body. It keeps nothing of what it decodes. */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The body as it was before it was packed. Throws coded errors; never keeps more than the limit. */
export async function readBody(context: RequestContext, limits: BodyLimits): Promise<Buffer> {
  assertCharset(context.req.header('content-type'));
  const packing = packingOf(context.req.header('content-encoding'));
  const announced = Number(context.req.header('content-length') ?? 0);
  if (announced > limits.bodyBytes) throw tooLarge(limits.bodyBytes);
  const bytes = await receive(context, limits);
  return packing === undefined ? bytes : unpack(bytes, packing, limits.bodyBytes);
}

/** From Node's request where there is one: a web stream around it costs more than everything else here. */
async function receive({ env, req }: RequestContext, limits: BodyLimits): Promise<Buffer> {
  if (env.incoming !== undefined) return collectIncoming(env.incoming, limits);
  const body = req.raw?.body ?? null;
  return body === null ? Buffer.alloc(0) : collectStream(body, limits);
}

/** A body that must be JSON, by its content type and in fact, with the bytes it was parsed from. */
export async function readJson(
  context: RequestContext,
  limits: BodyLimits,
): Promise<{ bytes: Buffer; value: unknown }> {
  assertJsonType(context.req.header('content-type'));
  return readAnyJson(context, limits);
}

/** The same for clients of models, which often say nothing true about their bodies. */
export async function readAnyJson(
  context: RequestContext,
  limits: BodyLimits,
): Promise<{ bytes: Buffer; value: unknown }> {
  const bytes = await readBody(context, limits);
  return { bytes, value: parseJson(bytes, limits) };
}

/**
 * Parses what has no more values than the limit: parsing blocks everybody else. `parse` is for numbers that JavaScript would
 * write otherwise, in bodies that are written again.
 */
export function parseJson(
  bytes: Buffer,
  limits: Pick<BodyLimits, 'jsonValues'>,
  parse?: (text: string) => unknown,
): unknown {
  return readText(bytes, limits, parse).value;
}

/** JSON that was parsed to be checked, and the bytes that say the same to any other reader of it. */
export interface CheckedJson {
  readonly value: unknown;
  readonly bytes: Buffer;
}

/**
 * The same for bytes that are passed on. Of a key that an object has twice, one reader takes the first and another the last:
 * such bytes are written anew, with the one that counted here.
 */
export function parseChecked(bytes: Buffer, limits: Pick<BodyLimits, 'jsonValues'>): CheckedJson {
  const { value, ownValues } = readText(bytes, limits, parseExact);
  return { value, bytes: countValues(value) === ownValues ? bytes : Buffer.from(JSON.stringify(value)) };
}

/** A value that was parsed. Throws where it is no object. */
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

/** What the parser says without what it quotes of the body, which may be private. */
function reasonOf(error: unknown): string {
  if (!(error instanceof SyntaxError)) return 'it is not UTF-8';
  const [place] = /at position \d+/.exec(error.message) ?? [];
  return place === undefined ? 'it ends too early or is malformed' : `it is malformed ${place}`;
}

/** Encodings in which every character of JSON's own is the byte that it is in UTF-8. */
const LIKE_UTF8 = /^(?:utf-?8|us-ascii|ascii|latin1|iso-8859-\d{1,2}|windows-125\d)$/i;

/**
 * Refuses a body that an upstream may decode to other JSON than the gateway reads: in UTF-7, `+ACI-` is a quotation mark that
 * ends a text, and what comes after it could name what the caller must not reach.
 */
function assertCharset(header: string | undefined): void {
  const other = charsetsOf(header ?? '').find((name) => !LIKE_UTF8.test(name));
  if (other === undefined) return;
  const message = `The charset '${other.slice(0, 40)}' is not supported. Send the body in UTF-8.`;
  throw new GatewayError('ContentTypeNotSupported', message);
}

/** The charsets of a Content-Type, also if it was sent twice, and in every spelling of the parameter. */
function charsetsOf(header: string): readonly string[] {
  return header.split(/[;,]/).flatMap((parameter) => {
    const [name = '', value = ''] = parameter.split('=', 2);
    return name.trim().toLowerCase().startsWith('charset') ? [value.replaceAll(/["\s]/g, '')] : [];
  });
}

/** Clients that name no type are taken at their body. */
function assertJsonType(header: string | undefined): void {
  const [type = ''] = header?.split(';') ?? [];
  const name = type.trim().toLowerCase();
  if (name === '' || name === 'application/json' || name.endsWith('+json')) return;
  throw new GatewayError(
    'ContentTypeNotSupported',
    `The content type '${name.slice(0, 60)}' is not supported. Send JSON.`,
  );
}
