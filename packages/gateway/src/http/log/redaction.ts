const REDACTED = '[redacted]';

/** Keys of the gateway, and the query parameter in which Gemini's clients send theirs. */
const KEYS = /\bsk-sw-[\w-]{8,}|(?<=[?&]key=)[^&\s"'\\]+/g;

/** Fields that hold credentials, at any depth of a line of JSON, wherever somebody logs a request by mistake. */
const CREDENTIALS =
  /("(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-goog-api-key|apikey)":)(?:"(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*",?)*\])/gi;

/** What is in every line that one of those is in. Most lines have none of these, and are not searched any further. */
const SUSPICIOUS = /sk-sw-|key[="]|cookie"|authorization"/i;

/** Shorter texts are found in innocent words. */
const MIN_SECRET = 8;

/** Replaces every key in a line of JSON: fields that hold one, texts that look like one, and these. */
export function createRedaction(secrets: readonly string[]): (line: string) => string {
  const known = secrets
    .filter((secret) => secret.length >= MIN_SECRET)
    // As it stands in JSON.
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  return (line) =>
    known.reduce(
      (text, secret) => text.replaceAll(secret, REDACTED),
      SUSPICIOUS.test(line) ? line.replaceAll(CREDENTIALS, `$1"${REDACTED}"`).replaceAll(KEYS, REDACTED) : line,
    );
}
