import type { ModelFormat } from '../spec/formats/model-format.ts';
import { shorten } from '../parse/shown-value.ts';

const MAX_CHARACTERS = 500;

/** The provider's own error message on one line; `''` if there is none. */
export function providerWords(format: ModelFormat, body: string): string {
  const text = body.trim();
  const words = isPage(text) ? titleOf(text) : (errorOf(format, text) ?? text);
  return onOneLine(words);
}

/**
 * Whether this is an HTML page. Such a page comes from a server in front of the provider or from another kind of
 * server.
 */
function isPage(text: string): boolean {
  return /^(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body)\b/i.test(text);
}

function titleOf(page: string): string {
  return /<(?:title|h1)\b[^<>]{0,200}>([^<]{1,500})</i.exec(page)?.[1] ?? 'a page without a title';
}

/** Reads the error where the format puts it. If it is not there, the text is quoted unchanged. */
function errorOf(format: ModelFormat, text: string): string | undefined {
  const value = parse(text);
  const holder: unknown = Array.isArray(value) ? value[0] : value;
  const isError = typeof holder === 'object' && holder !== null && Object.hasOwn(holder, 'error');
  return isError ? format.readResponse(holder).error : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function onOneLine(words: string): string {
  const line = words.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return shorten(line, MAX_CHARACTERS);
}
