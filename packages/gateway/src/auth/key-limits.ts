import type { Clock } from '../spec/clock.ts';
import { GatewayError } from '../spec/gateway-error.ts';

const MINUTE = 60_000;
/** If there are more buckets than this, full buckets are dropped. */
const MAX_IDLE = 1000;

export interface Allowance {
  readonly requestsPerMinute: number;
  readonly concurrentRequests: number;
}

interface Use {
  /** Requests left in the bucket at the time `at`. */
  left: number;
  at: number;
  underWay: number;
}

/** Counts the requests of every tenant, in memory. */
export interface KeyLimits {
  /** Counts a request, and returns the function to call when the request ends. Throws if the tenant is at its limit. */
  enter(tenant: string, allowance: Allowance): () => void;
}

/** Keeps one bucket per tenant: full at first, refilled evenly, and never holding more than a minute's worth. */
export function createKeyLimits(now: Clock): KeyLimits {
  const uses = new Map<string, Use>();

  const useOf = (tenant: string, { requestsPerMinute }: Allowance): Use => {
    const time = now();
    const use = uses.get(tenant) ?? { left: requestsPerMinute, at: time, underWay: 0 };
    const gained = (Math.max(0, time - use.at) / MINUTE) * requestsPerMinute;
    use.left = Math.min(requestsPerMinute, use.left + gained);
    use.at = time;
    uses.set(tenant, use);
    if (uses.size > MAX_IDLE) forgetIdle(uses, time);
    return use;
  };

  return {
    enter: (tenant, allowance) => {
      const use = useOf(tenant, allowance);
      if (use.underWay >= allowance.concurrentRequests) throw tooManyAtOnce(allowance);
      if (use.left < 1) throw tooManyTooSoon(use, allowance);
      use.left -= 1;
      use.underWay += 1;
      let isOver = false;
      return () => {
        if (!isOver) use.underWay -= 1;
        isOver = true;
      };
    },
  };
}

function forgetIdle(uses: Map<string, Use>, time: number): void {
  for (const [tenant, use] of uses) if (use.underWay === 0 && time - use.at >= MINUTE) uses.delete(tenant);
}

function tooManyAtOnce({ concurrentRequests }: Allowance): GatewayError {
  const message = `This key is at its limit of ${concurrentRequests} concurrent requests. Try again when one of them ends.`;
  return new GatewayError('ConcurrencyLimited', message, { data: { concurrentRequests, retryAfterSeconds: 1 } });
}

function tooManyTooSoon({ left }: Use, { requestsPerMinute }: Allowance): GatewayError {
  const retryAfterSeconds = Math.ceil(((1 - left) * 60) / requestsPerMinute);
  const message = `This key is at its limit of ${requestsPerMinute} requests per minute. Try again in ${retryAfterSeconds} s.`;
  return new GatewayError('RateLimited', message, { data: { requestsPerMinute, retryAfterSeconds } });
}
