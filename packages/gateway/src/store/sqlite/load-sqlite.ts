import type * as sqlite from 'node:sqlite';
import { GatewayError } from '../../spec/gateway-error.ts';

type Sqlite = typeof sqlite;

let loaded: Sqlite | undefined;

/**
 * `node:sqlite`, without the warning of Node 22 that it is experimental: what the gateway uses of it is the same in later
 * versions. It is not imported, because a Node without it could then not even say that it is too old.
 */
export function loadSqlite(): Sqlite {
  loaded ??= withoutItsWarning(() => process.getBuiltinModule('node:sqlite') as Sqlite | undefined);
  if (loaded !== undefined) return loaded;
  throw new GatewayError(
    'StoreUnavailable',
    `There is no node:sqlite in ${process.execPath}. Run the gateway with Node.`,
  );
}

/** Keeps the listeners for warnings, Node's own printer among them, from hearing that one; they hear all others. */
function withoutItsWarning<T>(load: () => T): T {
  const listeners = process.rawListeners('warning') as ((warning: Error) => void)[];
  const passOn = (warning: Error): void => {
    // The warning has no code.
    if (warning.name === 'ExperimentalWarning' && warning.message.startsWith('SQLite ')) return;
    for (const listener of listeners) listener.call(process, warning);
  };
  for (const listener of listeners) process.off('warning', listener);
  process.on('warning', passOn);
  // Node tells of warnings in the next tick.
  setImmediate(() => {
    process.off('warning', passOn);
    for (const listener of listeners) process.on('warning', listener);
  });
  return load();
}
