/** The report about a value that a handler threw. */
export interface ThrownStory {
  readonly message: string;
  readonly stack?: string;
}

const MAX_MESSAGE = 200_000;
const MAX_STACK = 200_000;

/** Describes any thrown value, even one that cannot be shown. Never throws. */
export function describeThrown(thrown: unknown): ThrownStory {
  try {
    const { message, name, stack } = (thrown ?? {}) as { message?: unknown; name?: unknown; stack?: unknown };
    if (typeof message === 'string') {
      const story = { message: (message === '' ? String(name) : message).slice(0, MAX_MESSAGE) };
      return typeof stack === 'string' ? { ...story, stack: stack.slice(0, MAX_STACK) } : story;
    }
    const plain = typeof thrown === 'object' && thrown !== null ? JSON.stringify(thrown) : String(thrown);
    return { message: plain.slice(0, MAX_MESSAGE) };
  } catch {
    return { message: 'it threw a value that cannot be shown' };
  }
}

/** A result as JSON, or why it has no JSON form and what to do. Nothing is dropped silently. */
export function encodeAnswer(value: unknown): { readonly text: string } | { readonly refusal: string } {
  let refusal: string | undefined;
  try {
    const text = JSON.stringify(value ?? null, function refuseLoss(this: Record<string, unknown>, key, item: unknown) {
      refusal ??= lossOf(this[key], item);
      return refusal === undefined ? item : null;
    }) as string | undefined;
    if (refusal !== undefined) return { refusal };
    return text === undefined ? { refusal: `it is a ${typeof value}, which is not valid JSON` } : { text };
  } catch (error) {
    if (error instanceof RangeError) return { refusal: 'it is nested too deeply, or too large' };
    return { refusal: describeThrown(error).message.split('\n', 1)[0] ?? '' };
  }
}

/**
 * The loss if a value becomes JSON; `undefined` if there is none. `raw` is the value before its `toJSON` was called.
 */
function lossOf(raw: unknown, item: unknown): string | undefined {
  if (ArrayBuffer.isView(raw) || raw instanceof ArrayBuffer) return 'it contains binary data; encode it as base64 text';
  if (typeof item === 'number' && !Number.isFinite(item)) return `it contains ${item}, which is not valid JSON`;
  if (typeof item === 'bigint') return 'it contains a BigInt, which is not valid JSON';
  if (item instanceof Map || item instanceof Set)
    return `it contains a ${item instanceof Map ? 'Map' : 'Set'}, which is not valid JSON; return an object or an array`;
  return undefined;
}
