const REDACTED = '[redacted]';
const REDACTED_BYTES = Buffer.from(REDACTED);
const NOTHING = Buffer.alloc(0);
/** Shorter keys are placeholders for servers that need none, and also occur in ordinary text. */
const MIN_KEY = 16;

/** Removes a key from bytes that arrive in pieces, also if the key is split between pieces. */
export interface KeyRedaction {
  /** The bytes that can be sent. The start of a key at the end of a piece is held until the next one. */
  redact(piece: Buffer): Buffer;
  /** The bytes still held, for a body that ended. */
  rest(): Buffer;
}

/** Whether a key is long enough to be searched for. */
export function isSecret(key: string): boolean {
  return key.length >= MIN_KEY;
}

export function createKeyRedaction(key: string): KeyRedaction {
  const secret = Buffer.from(key);
  let held: Buffer = NOTHING;
  return {
    redact(piece) {
      const bytes = held.length === 0 ? piece : Buffer.concat([held, piece]);
      const parts: Buffer[] = [];
      let from = 0;
      for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, from)) {
        parts.push(bytes.subarray(from, at), REDACTED_BYTES);
        from = at + secret.length;
      }
      const end = bytes.length - lengthOfStart(bytes.subarray(from), secret);
      held = bytes.subarray(end);
      parts.push(bytes.subarray(from, end));
      return Buffer.concat(parts);
    },
    rest() {
      const rest = held;
      held = NOTHING;
      return rest;
    },
  };
}

/** How many bytes at the end may be the start of the secret. */
function lengthOfStart(bytes: Buffer, secret: Buffer): number {
  let length = Math.min(bytes.length, secret.length - 1);
  while (length > 0 && !bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) length -= 1;
  return length;
}

export function redactText(text: string, key: string): string {
  return text.replaceAll(key, REDACTED);
}

/** Removes a key from raw headers. A header whose name contains the key is left out. */
export function redactHeaders(headers: string[], key: string): string[] {
  if (!headers.some((text) => text.includes(key))) return headers;
  return headers
    .filter((_, index) => headers[index - (index % 2)]?.includes(key) !== true)
    .map((text) => redactText(text, key));
}
