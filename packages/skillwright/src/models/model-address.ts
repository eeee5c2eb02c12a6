import { parseRequestUrl, type RequestUrl } from '../net/http/request-url.ts';
import { SkillwrightError } from '../spec/errors/error.ts';
import type { WireFormatName } from '../spec/wire.ts';

/** The URL of each format's own provider. */
const HOME_URLS: Readonly<Record<WireFormatName, string>> = {
  'openai-chat': 'https://api.openai.com/v1',
  'openai-responses': 'https://api.openai.com/v1',
  'anthropic-messages': 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com',
};

/** The address of a model server: all request URLs are below it. */
export interface ModelAddress {
  readonly url: RequestUrl;
  /** The path of the base URL, without a trailing slash. */
  readonly path: string;
  /** The query to send with every request; `''` if there is none. */
  readonly query: string;
}

/** Reads a base URL. Default: the URL of the format's own provider. */
export function readAddress(baseUrl: unknown, format: WireFormatName): ModelAddress {
  const text = baseUrl ?? HOME_URLS[format];
  if (typeof text !== 'string') throw invalid(`must be a string, not ${typeof text}`);
  const url = parse(text);
  const [path = '', query = ''] = url.path.split(/\?(.*)/s);
  return { url, path: path.replace(/\/+$/, ''), query };
}

function parse(text: string): RequestUrl {
  if (text.includes('#')) throw invalid("has a fragment (the part after '#'), which is never sent; remove it");
  try {
    return parseRequestUrl(text.trim());
  } catch (error) {
    if (!SkillwrightError.isInstance(error)) throw error;
    throw new SkillwrightError('InvalidOptions', `Option 'baseUrl' is invalid. ${error.message}`, {
      data: { option: 'baseUrl' },
      cause: error,
    });
  }
}

/**
 * The URL of a format's request. People copy base URLs from many places, so the version in `target`, or all of
 * `target`, is not repeated if the base URL already ends with it: `…/v1` and `/v1/messages` give `…/v1/messages`.
 */
export function urlBelow({ url, path, query }: ModelAddress, target: string): string {
  const [targetPath = '', targetQuery = ''] = target.split(/\?(.*)/s);
  const base = path.split('/').slice(1);
  const wanted = targetPath.split('/').slice(1);
  const isVersioned = /^v\d/.test(wanted[0] ?? '');
  const shared = wanted.findLastIndex(
    (_, index) => (isVersioned || index === wanted.length - 1) && endsWith(base, wanted.slice(0, index + 1)),
  );
  const rest = wanted.slice(shared + 1);
  const queries = [query, targetQuery].filter((part) => part !== '').join('&');
  return `${url.origin}/${[...base, ...rest].join('/')}${queries === '' ? '' : `?${queries}`}`;
}

function endsWith(segments: readonly string[], last: readonly string[]): boolean {
  return last.length <= segments.length && last.every((part, index) => part === segments.at(index - last.length));
}

function invalid(problem: string): SkillwrightError {
  return new SkillwrightError('InvalidOptions', `Option 'baseUrl' ${problem}.`, { data: { option: 'baseUrl' } });
}
