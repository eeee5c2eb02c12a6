import { GatewayError } from '../../spec/gateway-error.ts';
import type { BuiltInSkill, Handler, HandlerOptions } from '../executor.ts';

/** A function that a skill may name. */
export type KnownHandler = Pick<BuiltInSkill, 'execute' | 'idempotent' | 'anonymous'>;

/**
 * The handlers of the host's program and, kept apart, the gateway's own. A skill can name only handlers of the host's
 * program.
 */
export interface HandlerDirectory {
  add(name: string, handler: Handler, options: HandlerOptions): void;
  remove(name: string): void;
  addBuiltIn(builtIn: KnownHandler & Pick<BuiltInSkill, 'name'>): void;
  has(name: string): boolean;
  readonly names: readonly string[];
  find(kind: 'handler' | 'builtin', name: string): KnownHandler | undefined;
}

/** The longest name that can be stored. */
const MAX_NAME = 50_000;

export function createHandlerDirectory(): HandlerDirectory {
  const handlers = new Map<string, KnownHandler>();
  const builtIns = new Map<string, KnownHandler>();
  return {
    add(name, handler, { idempotent = false }) {
      if (typeof name !== 'string' || name === '' || name.length > MAX_NAME)
        throw new GatewayError('InvalidConfiguration', 'A handler needs a name that is not empty.');
      if (typeof handler !== 'function')
        throw new GatewayError('InvalidConfiguration', `Handler '${name.slice(0, 100)}' must be a function.`);
      handlers.set(name, { execute: handler, idempotent, anonymous: true });
    },
    remove: (name) => void handlers.delete(name),
    addBuiltIn: ({ name, execute, idempotent, anonymous }) =>
      void builtIns.set(name, { execute, idempotent, anonymous }),
    has: (name) => handlers.has(name),
    get names() {
      return [...handlers.keys()].toSorted();
    },
    find: (kind, name) => (kind === 'builtin' ? builtIns : handlers).get(name),
  };
}
