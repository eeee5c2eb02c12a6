import type { EventListener } from '../../../spec/events/events.ts';

/** Passes what each run prints to the follower of that run. */
export interface OutputFollowers {
  /** Gets the events of all runs. */
  readonly listener: EventListener;
  /** Follows one run, until the returned function is called. */
  readonly follow: (executionId: string, onText: (text: string) => void) => () => void;
}

export function createOutputFollowers(): OutputFollowers {
  const followers = new Map<string, (text: string) => void>();
  return {
    listener(event) {
      if (event.type === 'execution-output') followers.get(event.executionId)?.(event.text);
    },
    follow(executionId, onText) {
      followers.set(executionId, onText);
      return () => void followers.delete(executionId);
    },
  };
}
