import type { EventListener } from './events.ts';

/** A listener that never throws: what the given one throws goes to `onThrow`. */
export function guardListener(
  listener: EventListener | undefined,
  onThrow: (error: unknown, type: string) => void,
): EventListener {
  return (event) => {
    try {
      listener?.(event);
    } catch (error) {
      onThrow(error, event.type);
    }
  };
}
