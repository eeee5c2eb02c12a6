import type { EventListener } from './events.ts';

/** A listener that never throws: what the given one throws goes to `onThrow`, also where it does so later. */
export function guardListener(
  listener: EventListener | undefined,
  onThrow: (error: unknown, type: string) => void,
): EventListener {
  return (event) => {
    try {
      const told: unknown = listener?.(event);
      if (told instanceof Promise) told.catch((error: unknown) => onThrow(error, event.type));
    } catch (error) {
      onThrow(error, event.type);
    }
  };
}
