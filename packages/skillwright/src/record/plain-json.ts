/** How deeply recorded values may be nested. Deeper values are useless in a record, and dangerous for its readers. */
const MAX_DEPTH = 100;
const OMITTED = '[omitted]';
const TRUNCATED = '[truncated]';
/** How many bytes each entry counts in addition to its text. */
const ENTRY_BYTES = 8;

/**
 * A copy of any value as JSON can hold it. Beyond `maxBytes`, texts are cut and entries left out. Values that JSON does
 * not support are described. The limit also stops values that share parts so often that writing them out would never
 * end. Never throws.
 */
function toPlainJson(value: unknown, maxBytes: number): unknown {
  // Fast path: most fields have one of these types.
  if (typeof value === 'string') return cutText(value, maxBytes);
  if (value === null || typeof value === 'boolean') return value;
  const ancestors = new Set<object>();
  let left = maxBytes;

  function copyOf(source: unknown, depth: number): unknown {
    left -= ENTRY_BYTES;
    if (typeof source === 'string') return copyText(source);
    if (typeof source === 'bigint') return copyText(String(source));
    if (typeof source === 'number') return Number.isFinite(source) ? source : null;
    if (typeof source === 'boolean' || source === null) return source;
    if (typeof source !== 'object') return undefined;
    if (ArrayBuffer.isView(source)) return `[binary, ${source.byteLength} bytes]`;
    if (ancestors.has(source)) return '[circular]';
    if (depth >= MAX_DEPTH) return OMITTED;
    ancestors.add(source);
    try {
      return copyContent(contentOf(source), depth + 1);
    } catch {
      return '[unreadable]';
    } finally {
      ancestors.delete(source);
    }
  }

  function copyContent(content: unknown, depth: number): unknown {
    if (typeof content !== 'object' || content === null) return copyOf(content, depth);
    if (Array.isArray(content)) return copyList(content as readonly unknown[], depth);
    return copyFields(content, depth);
  }

  function copyList(list: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (const entry of list) {
      if (left <= 0) return [...copy, OMITTED];
      copy.push(copyOf(entry, depth) ?? null);
    }
    return copy;
  }

  function copyFields(fields: object, depth: number): Record<string, unknown> {
    const copy = new Map<string, unknown>();
    for (const key of Object.keys(fields)) {
      if (left <= 0) {
        copy.set(OMITTED, true);
        break;
      }
      const field = copyOf(readField(fields, key), depth);
      if (field !== undefined) copy.set(copyText(key), field);
    }
    // Keeps `__proto__` as an ordinary key.
    return Object.fromEntries(copy);
  }

  function copyText(text: string): string {
    const cut = cutText(text, Math.max(0, left));
    left -= Buffer.byteLength(cut);
    return cut;
  }

  return copyOf(value, 0) ?? null;
}

/** Limits every field of a record separately, so that one large field does not cut the others. */
export function toPlainRecord<T extends object>(record: T, maxFieldBytes: number): T {
  const fields = Object.entries(record).map(([name, value]) => [name, toPlainJson(value, maxFieldBytes)] as const);
  return Object.fromEntries(fields) as T;
}

function readField(fields: object, key: string): unknown {
  try {
    return (fields as Readonly<Record<string, unknown>>)[key];
  } catch {
    return '[unreadable]';
  }
}

function contentOf(source: object): unknown {
  if (Array.isArray(source)) return source;
  if (source instanceof Map || source instanceof Set) return [...(source as Iterable<unknown>)];
  if ('toJSON' in source && typeof source.toJSON === 'function') return (source.toJSON as () => unknown).call(source);
  if (source instanceof Error) return { name: source.name, message: source.message };
  return source;
}

/** The text, or as many whole characters as fit, and a mark. */
function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return `${text.slice(0, read)}${TRUNCATED}`;
}
