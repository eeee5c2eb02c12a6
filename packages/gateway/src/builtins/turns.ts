/** Serializes work on the same resource. */
export interface Turns {
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(key, work) {
      const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
      const done = turn
        .catch(() => {})
        .finally(() => {
          if (last.get(key) === done) last.delete(key);
        });
      last.set(key, done);
      return turn;
    },
  };
}
