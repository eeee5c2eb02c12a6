const REDACTED = '[redacted]';

/** Gateway keys, and the query parameter in which Gemini clients send theirs. */
const KEYS = /\bsk-sw-[\w-]{8,}|(?<=[?&]key=)[^&\s"'\\]+/g;

/** Fields that hold credentials, at any depth, in case a request is logged by mistake. */
const CREDENTIALS =
  /("(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-goog-api-key|apikey)":)(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\])/gi;

/** Matches every line that may hold a key. Lines that do not match, which are most, are not searched for keys. */
const SUSPICIOUS = /sk-sw-|key[="]|cookie"|authorization"/i;

/** The minimum length of a secret. Shorter texts also occur in ordinary words. */
const MIN_SECRET = 8;

/**
 * Redacts keys in a JSON line: the values of fields for credentials, texts that look like keys, and the given secrets.
 */
export function createRedaction(secrets: readonly string[]): (line: string) => string {
  const known = secrets
    .filter((secret) => secret.length >= MIN_SECRET)
    // Search for the secrets as they appear in JSON.
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  return (line) =>
    known.reduce(
      (text, secret) => text.replaceAll(secret, REDACTED),
      SUSPICIOUS.test(line) ? line.replaceAll(CREDENTIALS, `$1"${REDACTED}"`).replaceAll(KEYS, REDACTED) : line,
    );
}
