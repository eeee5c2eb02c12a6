import { createRequire } from 'node:module';
import type { Pool } from 'undici';

/** How long a connection is kept for the next request. */
const IDLE_MS = 15_000;
/** What a burst of requests has opened is forgotten after so long. */
const TTL_MS = 600_000;
/** A connection has one request at a time; as many are made as are needed. */
const OPTIONS: Pool.Options = {
  connections: null,
  pipelining: 1,
  allowH2: false,
  keepAliveTimeout: IDLE_MS,
  clientTtl: TTL_MS,
};

/** This file of the package alone: its entry replaces the dispatcher that the `fetch` of the whole process uses. */
const UndiciPool = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof Pool;

/** Connections to an upstream, kept and shared. Opens none before it is used. */
export function createUpstreamPool(origin: string): Pool {
  return new UndiciPool(origin, OPTIONS);
}
