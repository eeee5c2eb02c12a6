import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

/** Of one connection only, and so not handed on. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers of a request as the server gets them; its body is framed anew, and `host` is the caller's to set. */
export function onwardHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = namedBy(headers.connection ?? '');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isHandedOn(name, named) && name !== 'host'));
}

/** The headers of a response as the program gets them, repeated ones as they came. */
export function onwardRawHeaders(headers: readonly string[]): string[] {
  const pairs = headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? ''] as const] : []));
  const named = namedBy(pairs.find(([name]) => name.toLowerCase() === 'connection')?.[1] ?? '');
  return pairs.filter(([name]) => isHandedOn(name.toLowerCase(), named)).flat();
}

function namedBy(connection: string): ReadonlySet<string> {
  return new Set(connection.split(',').map((name) => name.trim().toLowerCase()));
}

function isHandedOn(name: string, named: ReadonlySet<string>): boolean {
  return !CONNECTION_HEADERS.has(name) && !named.has(name);
}
