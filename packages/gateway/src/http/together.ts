/** Runs a task at the next moment of some kind, together with all others that wait for it. */
export type Together = (task: () => void) => void;

/** One timer for all tasks of a moment: one for each would cost more than most of them. */
export function createTogether(schedule: (run: () => void) => void): Together {
  let tasks: (() => void)[] = [];
  const run = (): void => {
    const due = tasks;
    tasks = [];
    for (const task of due) task();
  };
  return (task) => {
    if (tasks.push(task) === 1) schedule(run);
  };
}

/** When all that Node has found to read is taken in. */
export const createAfterReads = (): Together => createTogether(setImmediate);
