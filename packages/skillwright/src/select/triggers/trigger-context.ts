/** The context of a trigger, from the caller that fires it. Any fields are allowed; these have a meaning. */
export interface TriggerContext {
  /** The tool that failed. */
  readonly toolName?: string | undefined;
  /** The error: a text, an `Error`, or anything that contains text. */
  readonly error?: unknown;
  readonly toolCall?: unknown;
  readonly turnIndex?: number | undefined;
  /** The user's task; `task` is the short form. */
  readonly taskDescription?: string | undefined;
  readonly task?: string | undefined;
  readonly projectId?: string | undefined;
  /** What the user typed, or the name of a skill. */
  readonly command?: string | undefined;
  /** Arguments for the skill that the command names. Default: the text after the name. */
  readonly arguments?: string | readonly string[] | undefined;
  readonly messages?: readonly unknown[] | undefined;
  /** Files that the conversation is about, for skills with `paths`. */
  readonly files?: readonly string[] | undefined;
  readonly [field: string]: unknown;
}

/** A text of a context, and the field that contains it. */
export interface ContextText {
  readonly field: string;
  readonly text: string;
}

const MAX_DEPTH = 4;
const MAX_TEXTS = 200;
const MAX_TEXT = 4_096;

/** The texts in a context, cut to the length, depth and number that can matter. Skips cycles and failing getters. */
export function contextTexts(context: TriggerContext): ContextText[] {
  const texts: ContextText[] = [];
  const seen = new Set<unknown>();
  const visit = (field: string, value: unknown, depth: number): void => {
    if (texts.length >= MAX_TEXTS) return;
    if (typeof value === 'string') texts.push({ field, text: value.slice(0, MAX_TEXT) });
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH && !seen.has(value)) {
      seen.add(value);
      for (const [, item] of entriesOf(value)) visit(field, item, depth + 1);
    }
  };
  for (const [field, value] of entriesOf(context)) visit(field, value, 0);
  return texts;
}

/** The user's task; `undefined` if no text says it. */
export function taskOf(context: TriggerContext): string | undefined {
  return [readField(context, 'taskDescription'), readField(context, 'task')].find((task) => typeof task === 'string');
}

/** What the user typed; `undefined` if it is not text. */
export function commandOf(context: TriggerContext): string | undefined {
  const command = readField(context, 'command');
  return typeof command === 'string' ? command : undefined;
}

/** The value of a field; `undefined` if it cannot be read. */
export function readField(value: object, field: string): unknown {
  try {
    return Reflect.get(value, field) as unknown;
  } catch {
    return undefined;
  }
}

/** The entries of an object, limited to what can matter. Bytes and buffers contain no texts. */
function entriesOf(value: object): (readonly [string, unknown])[] {
  if (ArrayBuffer.isView(value)) return [];
  try {
    return keysOf(value).map((key) => [key, readField(value, key)]);
  } catch {
    return [];
  }
}

/**
 * Uses a list's length, because listing millions of keys would take long. Includes an error's message, which is not
 * enumerable.
 */
function keysOf(value: object): string[] {
  if (Array.isArray(value)) return Array.from({ length: Math.min(value.length, MAX_TEXTS) }, (_, at) => String(at));
  const hidden = value instanceof Error ? ['name', 'message'] : [];
  return [...new Set([...hidden, ...Object.keys(value).slice(0, MAX_TEXTS)])];
}
