export interface ValueRedaction {
  readonly text: (text: string) => string;
  readonly bytes: (bytes: Uint8Array) => Uint8Array;
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[];

/**
 * A copy of a value with every text in it redacted, keys too. Cycles and shared parts stay as they are; numbers
 * are checked as they are written; instances keep what JSON would show. Never throws, however deep the value is.
 */
export function redactDeep(value: unknown, redaction: ValueRedaction): unknown {
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

/** What JSON would show of an object, or a text in place of an unreadable object. */
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

/** Keys that become alike get numbers; `__proto__` is a key like others. */
function place(to: Record<string, unknown>, key: string, value: unknown): void {
  let free = key;
  for (let number = 2; Object.hasOwn(to, free); number += 1) free = `${key} (${number})`;
  Object.defineProperty(to, free, { value, writable: true, enumerable: true, configurable: true });
}
