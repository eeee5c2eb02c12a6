/** Running work by name, for callers that need its result. */
export interface WaitingFor {
  add(name: string, work: Promise<unknown>): void;
  /** Waits for the work running now, not for work added later. */
  all(name: string): Promise<void>;
}

export function createWaitingFor(): WaitingFor {
  const underWay = new Map<string, Set<Promise<unknown>>>();
  return {
    add(name, work) {
      const works = underWay.get(name) ?? new Set<Promise<unknown>>();
      underWay.set(name, works.add(work));
      const leave = (): void => {
        works.delete(work);
        if (works.size === 0 && underWay.get(name) === works) underWay.delete(name);
      };
      work.then(leave, leave);
    },
    async all(name) {
      const works = underWay.get(name);
      if (works !== undefined) await Promise.allSettled(works);
    },
  };
}
