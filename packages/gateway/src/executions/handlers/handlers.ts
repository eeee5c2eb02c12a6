import type { AgentTool } from 'skillwright';
import type { RegisteredMode, RegisteredSkill, Registry } from '../../registry/registered-skill.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { Handler } from '../executor.ts';
import type { HandlerDirectory } from './handler-directory.ts';

/** A handler that always exists. It returns its input, and for a text also the reversed text. */
export const ECHO_HANDLER_NAME = 'echo-handler';

export const echoHandler: Handler = (input) => {
  const { text } = input;
  return typeof text === 'string' ? { ...input, reversed: [...text].toReversed().join('') } : { ...input };
};

/** A skill that is a function of the host's program: it has one tool and a row of the registry. */
export interface HandlerSkill {
  /** The name of the skill, which is also the name of its tool and of its handler. */
  readonly name: string;
  /** The version of the skill. Default `1.0.0`. */
  readonly version?: string | undefined;
  readonly description: string;
  readonly inputSchema: AgentTool['inputSchema'];
  /** The schema of the output. Default: anything. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly tags?: readonly string[] | undefined;
  /**
   * `on`: always offered. `auto`: offered when it fits the task. `off`: never. Default `auto`. An operator's setting
   * outranks it.
   */
  readonly mode?: RegisteredMode | undefined;
  readonly execute: AgentTool['execute'];
  /**
   * Whether running the handler twice has the same effect as running it once. If so, a failed attempt is repeated.
   * Default false.
   */
  readonly isIdempotent?: boolean | undefined;
}

/** Skills that a program registers as functions: a short form of `executor.registerHandler` and `registry.put`. */
export interface Handlers {
  /**
   * Resolves to the row once requests can use the skill. If its name, version or schemas are invalid, rejects and
   * registers nothing; the failure is also logged, for callers that do not await it.
   */
  register(handler: HandlerSkill): Promise<RegisteredSkill>;
  /** Returns false if no skill has this name. */
  unregister(name: string): Promise<boolean>;
  readonly all: readonly HandlerSkill[];
  /** Resolves once all registered skills are in the registry. */
  settled(): Promise<void>;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const FIRST_VERSION = '1.0.0';

export interface HandlersParts {
  readonly registry: Registry;
  readonly directory: HandlerDirectory;
  /** Called if a skill could not be put in the registry. Requests cannot use it then. */
  readonly onError: (error: unknown) => void;
}

export function createHandlers({ registry, directory, onError }: HandlersParts): Handlers {
  const known = new Map<string, HandlerSkill>();
  let settled: Promise<void> = Promise.resolve();
  /** Serializes changes. Callers need not await them: a failure is logged and never becomes an unhandled rejection. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = settled.then(work);
    settled = done.then(() => undefined, onError);
    return done;
  };
  return {
    register: (handler) =>
      inTurn(async () => {
        const { name } = handler;
        assertHandler(handler);
        const row = await registry.put(rowOf(handler));
        directory.add(
          name,
          (input, { executionId, signal }) => handler.execute(input, { callId: executionId, signal }),
          {
            idempotent: handler.isIdempotent,
          },
        );
        known.set(name, handler);
        return row;
      }),
    unregister: (name) =>
      inTurn(async () => {
        const handler = known.get(name);
        if (handler === undefined) return false;
        known.delete(name);
        directory.remove(name);
        await registry.unregister(name, handler.version ?? FIRST_VERSION);
        return true;
      }),
    get all() {
      return [...known.values()];
    },
    settled: () => settled,
  };
}

function assertHandler({ name, execute }: HandlerSkill): void {
  if (!NAME.test(name))
    throw new GatewayError(
      'InvalidConfiguration',
      `'${name.slice(0, 100)}' is not a valid handler name. Use up to 64 letters, digits, '_' and '-', beginning with a letter or '_'.`,
    );
  if (typeof execute !== 'function')
    throw new GatewayError('InvalidConfiguration', `The 'execute' of handler '${name}' must be a function.`);
}

function rowOf(handler: HandlerSkill): Parameters<Registry['put']>[0] {
  const { name, version = FIRST_VERSION, description, inputSchema, outputSchema = {}, tags, mode } = handler;
  return {
    kind: 'handler',
    name,
    version,
    description,
    handler: name,
    schema: { input: inputSchema, output: outputSchema },
    tags: tags ?? [],
    mode: mode ?? 'auto',
  };
}
