/** Hop-by-hop headers: they describe one connection, so a proxy never forwards them. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const NONE: ReadonlySet<string> = new Set();

/** Further hop-by-hop headers, in lower case: those that a message's `connection` headers name. */
export function namedByConnection(raw: readonly string[]): ReadonlySet<string> {
  let names: Set<string> | undefined;
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.length !== 10 || raw[index]?.toLowerCase() !== 'connection') continue;
    const value = raw[index + 1] ?? '';
    if (value === 'keep-alive' || value === 'close') continue;
    names ??= new Set();
    for (const name of value.split(',')) names.add(name.trim().toLowerCase());
  }
  return names ?? NONE;
}
