/** Runs a task a moment later, together with other tasks. */
export type Together = (task: () => void) => void;

/**
 * Runs tasks after Node has processed all pending reads. All tasks share one `setImmediate`, because a separate one for
 * each task would cost more than most tasks.
 */
export function createAfterReads(): Together {
  let tasks: (() => void)[] = [];
  const run = (): void => {
    const due = tasks;
    tasks = [];
    for (const task of due) task();
  };
  return (task) => {
    if (tasks.push(task) === 1) setImmediate(run);
  };
}
