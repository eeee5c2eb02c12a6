/** A longer secret is matched only literally and as a JSON string, because its other forms would cost memory. */
const MAX_ENCODED_CHARACTERS = 16_384;
const MIN_PEM_LINE_CHARACTERS = 12;
/** The columns at which tools wrap base64. */
const WRAP_COLUMNS = [64, 76];

/**
 * Every text in which a secret may appear: plain, as a JSON string, percent-encoded, base64 and hex. For base64, only
 * the part that does not depend on the surrounding bytes.
 */
export function secretForms(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  const forms = new Set(textForms(text));
  if (text.length <= MAX_ENCODED_CHARACTERS) {
    const bytes = new TextEncoder().encode(text);
    for (const form of base64Forms(bytes)) forms.add(form);
    const hex = hexOf(bytes);
    forms.add(hex).add(hex.toUpperCase());
  }
  for (const line of pemLines(text)) for (const form of textForms(line)) forms.add(form);
  return [...forms];
}

function textForms(text: string): string[] {
  const plain = text.includes('\n') ? [text, text.replace(/\r?\n/g, '\r\n'), text.replaceAll('\r\n', '\n')] : [text];
  const encoded = text.length <= MAX_ENCODED_CHARACTERS ? percentForms(text) : [];
  return [...plain, ...plain.flatMap(jsonForms), ...encoded];
}

/**
 * The forms that JSON writers produce: all escape quotes, backslashes and controls; some also `/`, `<`, `>`, `&`, `'`
 * or non-ASCII characters.
 */
function jsonForms(text: string): string[] {
  const least = JSON.stringify(text).slice(1, -1);
  const escaped = [least, escapeUnits(least, /[<>&']/g), escapeUnits(least, /[\u0080-\uFFFF]/g)];
  escaped.push(escapeUnits(least, /[<>&'\u0080-\uFFFF]/g));
  const slashed = [...escaped, ...escaped.map((form) => form.replaceAll('/', '\\/'))];
  return [
    ...slashed,
    ...slashed.map((form) => form.replace(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`)),
  ];
}

function escapeUnits(text: string, units: RegExp): string {
  return text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The characters that each kind of percent-encoder leaves unchanged: for URL components, for whole URLs, strict, strict
 * except for `/`, and for HTML forms.
 */
const UNENCODED = [/[\w.~!*'()-]/, /[\w.~!*'();,/?:@&=+$#-]/, /[\w.~-]/, /[\w.~/-]/, /[\w.*-]/];

function percentForms(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const forms = UNENCODED.flatMap((kept) => {
    const form = percentEncode(bytes, kept);
    return [form, form.replaceAll('%20', '+')];
  });
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

function percentEncode(bytes: Uint8Array, kept: RegExp): string {
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += byte < 128 && kept.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function base64Forms(bytes: Uint8Array): string[] {
  const forms = [0, 1, 2].flatMap((before) => alignedForms(bytes, before));
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

/**
 * The base64 of a secret that follows `before` other bytes. Contains only the characters that do not depend on other
 * bytes, once for a secret inside a longer text and once for a secret at its end.
 */
function alignedForms(bytes: Uint8Array, before: number): string[] {
  const shifted = new Uint8Array(before + bytes.length);
  shifted.set(bytes, before);
  const whole = toBase64(shifted);
  const first = Math.ceil((before * 8) / 6);
  const inside = whole.slice(first, Math.floor((shifted.length * 8) / 6));
  const forms = [inside, whole.slice(first), whole.slice(first).replace(/=+$/, '')];
  return before === 0 ? [...forms, ...WRAP_COLUMNS.flatMap((columns) => wrappedLines(whole, columns))] : forms;
}

function wrappedLines(base64: string, columns: number): string[] {
  const lines: string[] = [];
  for (let start = 0; start < base64.length && base64.length > columns; start += columns) {
    const line = base64.slice(start, start + columns);
    if (line.length >= MIN_PEM_LINE_CHARACTERS) lines.push(line);
  }
  return lines;
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The lines of a PEM that contain its key; in a variable, its line breaks are often the two characters `\n`. */
function pemLines(text: string): string[] {
  if (!text.includes('-----BEGIN ')) return [];
  return text
    .split(/\r?\n|\\n/)
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_PEM_LINE_CHARACTERS && /^[\w+/=]+$/.test(line));
}
