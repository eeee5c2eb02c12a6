import { setTimeout as delay } from 'node:timers/promises';
import type { KeyRing } from '../auth/key-ring.ts';
import { GatewayError } from '../spec/gateway-error.ts';
import type { ExecutionRequest } from './executor.ts';
import type { LiveExecution } from './live-executions.ts';

/** Bytes of the inputs of everything that is under way; in memory they are several times as large. */
const MAX_LIVE_BYTES = 33_554_432;
/** How long a model's call waits for a place, and how many may wait. */
const WAIT_MS = 30_000;
const MAX_WAITING = 1_000;

export interface PlacesParts {
  readonly keys: Pick<KeyRing, 'get' | 'isUsable' | 'onEnd'>;
  /** Executions at a time, of everybody. */
  readonly most: number;
  /** Executions at a time of one key that has no limit of its own. */
  readonly mostOfKey: number;
}

export interface PlaceRequest extends Pick<ExecutionRequest, 'apiKeyId' | 'caller' | 'signal'> {
  /** The size of the input, as JSON. */
  readonly bytes: number;
}

/** What an execution has while it is under way. */
export interface Place {
  /** Gives the place back when the execution ends, and ends it when its key does. */
  hold(live: LiveExecution): void;
  /** Gives the place back: nothing came of it. */
  leave(): void;
}

/** How much may be under way: people are refused what is too much, and what models want waits a while. */
export interface ExecutionPlaces {
  /** Throws `TooManyExecutions`, and `SkillNotAllowed` for a key that was revoked or has expired. */
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
    if (waiting >= MAX_WAITING) throw tooMany(`${waiting} others wait for a place`, { most });
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, ...(request.signal === undefined ? [] : [request.signal])]);
    const timeout = delay(WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined);
    let isOver = false;
    void timeout.then(() => (isOver = true));
    waiting += 1;
    try {
      while (!hasRoom(request.bytes)) {
        await Promise.race([freed.promise, timeout]);
        if (isOver && !hasRoom(request.bytes)) throw tooMany(`${count} are under way`, { most });
      }
    } finally {
      waiting -= 1;
      over.abort();
    }
  };
  /** Counts it. Returns what to call, once, when it is over. */
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
        throw tooMany(`${limit} of this key are under way, as many as it may have`, { concurrentRequests: limit });
      if (!hasRoom(request.bytes)) throw tooMany(`${count} are under way`, { most });
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
  const message = `No more executions can begin now: ${why}. Try again when one has ended.`;
  return new GatewayError('TooManyExecutions', message, { data: { ...data, retryAfterSeconds: 1 } });
}

function ended(keyId: string): GatewayError {
  return new GatewayError('SkillNotAllowed', 'The key that this is for was revoked or has expired.', {
    data: { apiKeyId: keyId },
  });
}
