// The package's own entry replaces the dispatcher that the whole process's `fetch` uses; this file of it does not.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const pool: typeof Pool;
  export default pool;
}
