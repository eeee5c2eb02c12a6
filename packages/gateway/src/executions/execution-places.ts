import { setTimeout as delay } from 'node:timers/promises';
import type { KeyRing } from '../auth/key-ring.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { ExecutionRequest } from './executor.ts';
import type { LiveExecution } from './live-executions.ts';

/**
 * The most bytes of JSON in the inputs of all running executions together. Parsed inputs take several times as much
 * memory.
 */
const MAX_LIVE_BYTES = 33_554_432;
/** How long a model's call waits for a free place. `MAX_WAITING` limits how many calls may wait. */
const WAIT_MS = 30_000;
const MAX_WAITING = 1_000;

export interface PlacesParts {
  readonly keys: Pick<KeyRing, 'get' | 'isUsable' | 'onEnd'>;
  /** Concurrent executions of all keys together. */
  readonly most: number;
  /** Concurrent executions of a key without a limit of its own. */
  readonly mostOfKey: number;
}

export interface PlaceRequest extends Pick<ExecutionRequest, 'apiKeyId' | 'caller' | 'signal'> {
  /** The size of the input as JSON. */
  readonly bytes: number;
}

/** A slot for a running execution. */
export interface Place {
  /** Releases the place when the execution ends, and ends the execution when its key ends. */
  hold(live: LiveExecution): void;
  /** Releases the place of an execution that did not start. */
  leave(): void;
}

/**
 * Limits concurrent executions: requests by people over the limit are refused, and calls by models wait for a while.
 */
export interface ExecutionPlaces {
  /**
   * Takes a place. Throws `TooManyExecutions` if none is free, and `SkillNotAllowed` for a key that was revoked or has
   * expired.
   */
  take(request: PlaceRequest): Promise<Place>;
}

export function createExecutionPlaces({ keys, most, mostOfKey }: PlacesParts): ExecutionPlaces {
  const ofKeys = new Map<string, number>();
  let count = 0;
  let bytes = 0;
  let waiting = 0;
  let freed = Promise.withResolvers<void>();

  const hasRoom = (more: number): boolean => count < most && (count === 0 || bytes + more <= MAX_LIVE_BYTES);
  const wait = async (request: PlaceRequest): Promise<void> => {
    if (waiting >= MAX_WAITING) throw tooMany(`${waiting} others are already waiting`, { most });
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, ...(request.signal === undefined ? [] : [request.signal])]);
    const timeout = delay(WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    let isOver = false;
    void timeout.then(() => (isOver = true));
    waiting += 1;
    try {
      while (!hasRoom(request.bytes)) {
        await Promise.race([freed.promise, timeout]);
        if (isOver && !hasRoom(request.bytes)) throw tooMany(`${count} are running`, { most });
      }
    } finally {
      waiting -= 1;
      over.abort();
    }
  };
  /** Counts an execution. Returns the function to call once, when it ends. */
  const enter = (request: PlaceRequest, counted: string | null): (() => void) => {
    count += 1;
    bytes += request.bytes;
    if (counted !== null) ofKeys.set(counted, (ofKeys.get(counted) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      count -= 1;
      bytes -= request.bytes;
      const left = counted === null ? 0 : (ofKeys.get(counted) ?? 1) - 1;
      if (counted !== null && left === 0) ofKeys.delete(counted);
      else if (counted !== null) ofKeys.set(counted, left);
      freed.resolve();
      freed = Promise.withResolvers();
    };
  };

  return {
    async take(request) {
      const { apiKeyId, caller } = request;
      const key = apiKeyId === null ? undefined : await keys.get(apiKeyId);
      if (key !== undefined && !keys.isUsable(key)) throw ended(key.id);
      if (caller === 'model') await wait(request);
      const limit = key?.concurrentRequests ?? mostOfKey;
      if (caller === 'user' && apiKeyId !== null && (ofKeys.get(apiKeyId) ?? 0) >= limit)
        throw tooMany(`this key is at its limit of ${limit}`, { concurrentRequests: limit });
      if (!hasRoom(request.bytes)) throw tooMany(`${count} are running`, { most });
      const leave = enter(request, caller === 'user' ? apiKeyId : null);
      return {
        leave,
        hold(live) {
          const stop = key === undefined ? undefined : keys.onEnd(key, () => live.abort());
          const end = (): void => {
            stop?.();
            leave();
          };
          live.ended.then(end, end);
        },
      };
    },
  };
}

function tooMany(why: string, data: Readonly<Record<string, unknown>>): GatewayError {
  const message = `No more executions can start now: ${why}. Try again when one of them ends.`;
  return new GatewayError('TooManyExecutions', message, { data: { ...data, retryAfterSeconds: 1 } });
}

function ended(keyId: string): GatewayError {
  return new GatewayError('SkillNotAllowed', 'The key of this execution was revoked or has expired.', {
    data: { apiKeyId: keyId },
  });
}
