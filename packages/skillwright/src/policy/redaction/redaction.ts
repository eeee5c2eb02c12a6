import { secretForms } from './forms.ts';
import { createRedactionMatcher, type RedactionPattern } from './matcher.ts';
import { createRedactionStream, type RedactionStream } from './stream.ts';

/** Block characters, which are unlikely in a secret. */
const BLOCKS = Array.from({ length: 32 }, (_, index) => String.fromCodePoint(0x2588 + index));

/** Shorter secrets are ignored: replacing every `1234` would destroy the output. */
const MIN_SECRET_CHARACTERS = 6;

/**
 * Replaces secrets by `[redacted:NAME]`, or `[redacted]` if they have no name. Finds secrets that are written
 * literally, as a JSON string, percent-encoded, in base64 or in hex. This keeps secrets out of logs and away from
 * models. It does not stop a program that leaks secrets on purpose, because the program can encode them in another way.
 */
export interface Redactor {
  /** Returns the same text if nothing was found. */
  redactText(text: string): string;
  /** A deep copy with texts, keys, numbers and bytes redacted; the value itself if it has no secrets. */
  redactValue(value: unknown): unknown;
  /** Redacts bytes that arrive in chunks. Also finds secrets that are split between chunks. */
  stream(): RedactionStream;
  /** Names (or list positions) of secrets that are too short to redact: fewer than six characters. */
  readonly ignored: readonly string[];
}

/**
 * `secrets`: values by name, or without names. If secrets overlap in a text, the label of the longest secret replaces
 * all of them.
 */
export function createRedactor(secrets: readonly string[] | Readonly<Record<string, string>>): Redactor {
  const isNamed = !Array.isArray(secrets);
  const entries = Object.entries(secrets as Readonly<Record<string, string>>).map(
    ([name, value]) => [name, value.trim()] as const,
  );
  const ignored = entries.filter(([, value]) => isShort(value)).map(([name]) => name);
  const known = entries.filter(([, value]) => !isShort(value));
  if (known.length === 0) return { ...NO_REDACTION, ignored };

  const encoder = new TextEncoder();
  const forms = known.map(([, value]) => secretForms(value));
  const patterns = forms.flatMap((texts, owner): RedactionPattern[] =>
    texts.map((text) => ({ bytes: encoder.encode(text), owner })),
  );
  const matcher = createRedactionMatcher(patterns);
  const all = forms.flat();
  const labels = known.map(([name]) => encoder.encode(chooseLabel(isNamed ? name : undefined, all)));
  const stream = (): RedactionStream => createRedactionStream(matcher, labels);

  const redactText = (text: string): string => {
    let found = false;
    const bytes = encoder.encode(text);
    matcher.scan(bytes, 0, 0, () => (found = true));
    return found ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(redactBytes(bytes)) : text;
  };
  const redactBytes = (bytes: Uint8Array): Uint8Array => {
    const redaction = stream();
    const parts = [redaction.write(bytes), redaction.end()] as const;
    const whole = new Uint8Array(parts[0].length + parts[1].length);
    whole.set(parts[0]);
    whole.set(parts[1], parts[0].length);
    return whole;
  };
  const redactValue = (value: unknown): unknown => redactDeep(value, { text: redactText, bytes: redactBytes });
  return { redactText, redactValue, stream, ignored };
}

function isShort(secret: string): boolean {
  return secret.length < 2 * MIN_SECRET_CHARACTERS && [...secret].length < MIN_SECRET_CHARACTERS;
}

const NO_REDACTION: Omit<Redactor, 'ignored'> = {
  redactText: (text) => text,
  redactValue: (value) => value,
  stream: () => ({ write: (chunk) => chunk, end: () => new Uint8Array(0) }),
};

/**
 * The label for a secret: `[redacted:NAME]`, or the first alternative that cannot become part of any secret's form,
 * whatever is next to it. Otherwise, a secret such as `redacted` would remain in the output.
 */
function chooseLabel(name: string | undefined, forms: readonly string[]): string {
  const named = name !== undefined && /^[\w.-]{1,64}$/.test(name) ? [`[redacted:${name}]`] : [];
  const choices = [...named, '[redacted]', '<redacted>', '***', ...BLOCKS];
  return choices.find((choice) => forms.every((form) => !canTouch(choice, form))) ?? '[redacted]';
}

/** Whether one text contains the other, or ends with the start of the other. */
function canTouch(label: string, form: string): boolean {
  if (label.includes(form)) return true;
  // Any other overlap includes an end of the label, so this check settles nearly all cases.
  if (!form.includes(label.slice(0, 1)) && !form.includes(label.slice(-1))) return false;
  if (form.includes(label)) return true;
  for (let size = Math.min(label.length, form.length) - 1; size > 0; size -= 1) {
    if (form.endsWith(label.slice(0, size)) || form.startsWith(label.slice(-size))) return true;
  }
  return false;
}

const MIN_VALUE_CHARACTERS = 8;
const SECRET_NAME =
  /(?:(?:^|_)(?:KEY|PASS|PAT|JWT|CREDENTIALS?)|API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)(?:_?\d+|_BASE64|_B64|_JSON|_PEM)?$/i;
/** Matches names of variables that hold a public key, which is not a secret. */
const PUBLIC_NAME = /PUBLIC_?KEY(?:_?\d+|_BASE64|_B64|_JSON|_PEM)?$/i;
const CREDENTIALS_NAME = /CREDENTIALS?$/i;
const PATH_VALUE = /^(?:[~.]{0,2}\/|[A-Za-z]:[\\/])/;

/**
 * The variables whose name indicates a secret, such as `OPENAI_API_KEY`, `GITHUB_TOKEN` or `PGPASSWORD`, and whose
 * value is long enough. Excludes names of files (`…_FILE`, `…_PATH`, and `…_CREDENTIALS` with a path as value),
 * sockets, public keys, and identifiers such as `AWS_ACCESS_KEY_ID`, which are shown to people on purpose.
 */
export function secretVariables(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => isSecret(name, value)));
}

function isSecret(name: string, value: string): boolean {
  if (value.trim().length < MIN_VALUE_CHARACTERS || !SECRET_NAME.test(name) || PUBLIC_NAME.test(name)) return false;
  return !(CREDENTIALS_NAME.test(name) && PATH_VALUE.test(value));
}

interface ValueRedaction {
  readonly text: (text: string) => string;
  readonly bytes: (bytes: Uint8Array) => Uint8Array;
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[];

/**
 * A copy of a value with every text redacted, including keys. Cycles and shared parts are kept; numbers are checked as
 * text; instances keep what JSON would show. Never throws, however deep the value is.
 */
function redactDeep(value: unknown, redaction: ValueRedaction): unknown {
  const copies = new Map<object, unknown>();
  const waiting: { from: Container; to: Record<string, unknown> | unknown[] }[] = [];

  function copyOf(source: unknown): unknown {
    if (typeof source === 'string') return redaction.text(source);
    if (typeof source === 'number' || typeof source === 'bigint') {
      const text = String(source);
      return redaction.text(text) === text ? source : redaction.text(text);
    }
    if (typeof source !== 'object' || source === null || source instanceof Date) return source;
    if (source instanceof Uint8Array) return redaction.bytes(source);
    if (copies.has(source)) return copies.get(source);
    const from = contentOf(source);
    if (typeof from !== 'object' || from === null) return copyOf(from);
    const to = Array.isArray(from) ? [] : {};
    copies.set(source, to);
    waiting.push({ from: from as Container, to });
    return to;
  }

  const result = copyOf(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { from, to } = next;
    if (Array.isArray(to)) for (const entry of from as readonly unknown[]) to.push(copyOf(entry));
    else for (const key of Object.keys(from)) place(to, redaction.text(key), copyOf(readKey(from, key)));
  }
  return result;
}

/** What JSON would show for an object, or a placeholder text for an unreadable object. */
function contentOf(source: object): unknown {
  try {
    if (Array.isArray(source)) return [...(source as readonly unknown[])];
    if (source instanceof Map) return [...(source as ReadonlyMap<unknown, unknown>)];
    if (source instanceof Set) return [...(source as ReadonlySet<unknown>)];
    if (source instanceof Error) {
      const { name, message, stack, cause } = source;
      return Object.assign({ name, message, stack }, cause === undefined ? {} : { cause }, source);
    }
    if ('toJSON' in source && typeof source.toJSON === 'function') return (source.toJSON as () => unknown).call(source);
    Object.keys(source);
    return source;
  } catch {
    return '[unreadable]';
  }
}

function readKey(from: Container, key: string): unknown {
  try {
    return (from as Readonly<Record<string, unknown>>)[key];
  } catch {
    return '[unreadable]';
  }
}

/** Sets a redacted key. Numbers keys that redaction makes equal, and treats `__proto__` as an ordinary key. */
function place(to: Record<string, unknown>, key: string, value: unknown): void {
  let free = key;
  for (let number = 2; Object.hasOwn(to, free); number += 1) free = `${key} (${number})`;
  Object.defineProperty(to, free, { value, writable: true, enumerable: true, configurable: true });
}
