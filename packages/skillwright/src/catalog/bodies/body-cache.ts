/** Bodies by file, the least recently used leaving first once they outgrow `maxBytes`. */
export interface BodyCache {
  get(key: string): string | undefined;
  set(key: string, body: string): void;
  clear(): void;
}

export function createBodyCache(maxBytes: number): BodyCache {
  const bodies = new Map<string, string>();
  let size = 0;
  const remove = (key: string): void => {
    const body = bodies.get(key);
    if (body === undefined) return;
    bodies.delete(key);
    size -= bytesOf(body);
  };
  return {
    get(key) {
      const body = bodies.get(key);
      if (body === undefined) return undefined;
      bodies.delete(key);
      bodies.set(key, body);
      return body;
    },
    set(key, body) {
      remove(key);
      bodies.set(key, body);
      size += bytesOf(body);
      for (const oldest of bodies.keys()) {
        if (size <= maxBytes || oldest === key) break;
        remove(oldest);
      }
    },
    clear() {
      bodies.clear();
      size = 0;
    },
  };
}

/** What a string costs at most: two bytes a character. */
function bytesOf(body: string): number {
  return body.length * 2;
}
