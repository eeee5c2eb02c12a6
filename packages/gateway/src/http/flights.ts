/** Counts the requests that are under way, so that a shutdown can wait for them. */
export class Flights {
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  get underWay(): number {
    return this.#underWay;
  }

  /** Counts one. Returns what to call when it has ended; calling it again does nothing. */
  begin(): () => void {
    this.#underWay += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** True once nothing is under way; false if that takes longer. */
  async landed(timeoutMs: number): Promise<boolean> {
    if (this.#underWay === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    const isOver = await Promise.race([
      new Promise<true>((resolve) => {
        this.#waiting.push(() => resolve(true));
      }),
      new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), timeoutMs);
      }),
    ]);
    clearTimeout(timer);
    return isOver;
  }
}
