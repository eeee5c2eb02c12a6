import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from '../../models/demo/formats/served-format.ts';
import type { WireFormatName } from '../../spec/wire.ts';

/** A request's API key, from the place where the provider expects it; `''` if there is none. */
export function keyOf(headers: IncomingHttpHeaders, url: URL, format: WireFormatName): string {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  if (format === 'anthropic-messages') return header(headers, 'x-api-key') || bearer;
  if (format === 'gemini') return header(headers, 'x-goog-api-key') || (url.searchParams.get('key') ?? '') || bearer;
  return bearer;
}

function header(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/**
 * Why a key is refused, in the provider's words; `undefined` if it is accepted. Without `wanted`, any key is accepted.
 */
export function keyRefusal(key: string, wanted: string | undefined, format: WireFormatName): Refusal | undefined {
  if (key !== '' && (wanted === undefined || key === wanted)) return undefined;
  const isMissing = key === '';
  if (format === 'gemini') {
    return isMissing
      ? {
          status: 403,
          message:
            "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
        }
      : { status: 400, message: 'API key not valid. Please pass a valid API key.' };
  }
  if (format === 'anthropic-messages') {
    return { status: 401, message: isMissing ? 'x-api-key header is required' : 'invalid x-api-key' };
  }
  const message = isMissing
    ? "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
    : 'Incorrect API key provided.';
  return { status: 401, message };
}
