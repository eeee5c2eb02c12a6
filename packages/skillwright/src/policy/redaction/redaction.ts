import { secretForms } from './forms.ts';
import { createRedactionMatcher, type RedactionPattern } from './matcher.ts';
import { createRedactionStream, type RedactionStream } from './stream.ts';
import { redactDeep } from './value.ts';

/** Block characters: none of them is likely in a secret, let alone all. */
const BLOCKS = Array.from({ length: 32 }, (_, index) => String.fromCodePoint(0x2588 + index));

export { secretVariables } from './variables.ts';

/** Shorter secrets are ignored: replacing every `1234` would destroy the output. */
const MIN_SECRET_CHARACTERS = 6;

/**
 * Replaces secrets by `[redacted:NAME]`, or `[redacted]` where they have no name: as they are, and as JSON string,
 * percent-encoded, base64 and hex. It keeps secrets out of logs and away from models; it is not a boundary against a
 * program that means to give them away, which can encode them otherwise.
 */
export interface Redactor {
  /** The text itself where nothing was found. */
  redactText(text: string): string;
  /** A deep copy with texts, keys, numbers and bytes redacted; the value itself where there are no secrets. */
  redactValue(value: unknown): unknown;
  /** For bytes that come in chunks: a secret that is cut between them is found. */
  stream(): RedactionStream;
  /** Names, or positions in the list, of secrets that are too short to be redacted: fewer than six characters. */
  readonly ignored: readonly string[];
}

/** `secrets`: values by name, or without names. If secrets overlap, the name of the longest one replaces them all. */
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
 * What stands in place of a secret: `[redacted:NAME]`, or the first choice that cannot become part of a form of any
 * secret, whatever stands beside it. A secret such as `redacted` would otherwise still be there afterwards.
 */
function chooseLabel(name: string | undefined, forms: readonly string[]): string {
  const named = name !== undefined && /^[\w.-]{1,64}$/.test(name) ? [`[redacted:${name}]`] : [];
  const choices = [...named, '[redacted]', '<redacted>', '***', ...BLOCKS];
  return choices.find((choice) => forms.every((form) => !canTouch(choice, form))) ?? '[redacted]';
}

/** Is one inside the other, or does one end as the other begins? */
function canTouch(label: string, form: string): boolean {
  if (label.includes(form)) return true;
  // Whatever else they share holds an end of the label: this settles nearly all.
  if (!form.includes(label.slice(0, 1)) && !form.includes(label.slice(-1))) return false;
  if (form.includes(label)) return true;
  for (let size = Math.min(label.length, form.length) - 1; size > 0; size -= 1) {
    if (form.endsWith(label.slice(0, size)) || form.startsWith(label.slice(-size))) return true;
  }
  return false;
}
