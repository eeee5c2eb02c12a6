/** Counts running requests, so that a shutdown can wait for them. */
export class RunningRequests {
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  get underWay(): number {
    return this.#underWay;
  }

  /** Counts a request. Returns the function to call when it ends; further calls do nothing. */
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

  /** Resolves to true once no request is running, or to false after `timeoutMs`. */
  async drained(timeoutMs: number): Promise<boolean> {
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
