import type { AgentTool } from 'skillwright';
import type { RegisteredMode, RegisteredSkill, Registry } from '../../registry/registered-skill.ts';
import { GatewayError } from '../../spec/gateway-error.ts';
import type { Handler } from '../executor.ts';
import type { HandlerDirectory } from './handler-directory.ts';

/** A handler that is always there: it answers what it is given, and a text backwards, too. */
export const ECHO_HANDLER_NAME = 'echo-handler';

export const echoHandler: Handler = (input) => {
  const { text } = input;
  return typeof text === 'string' ? { ...input, reversed: [...text].toReversed().join('') } : { ...input };
};

/** A skill that is a function of the host's program: one tool, and its row of the registry. */
export interface HandlerSkill {
  /** Also the name of its tool and of its handler. */
  readonly name: string;
  /** Default `1.0.0`. */
  readonly version?: string | undefined;
  readonly description: string;
  readonly inputSchema: AgentTool['inputSchema'];
  /** The schema of its answer. Default: anything. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly tags?: readonly string[] | undefined;
  /** `on`: always there. `auto`: when it fits the task. `off`: never. Default `auto`; what an operator set outranks it. */
  readonly mode?: RegisteredMode | undefined;
  readonly execute: AgentTool['execute'];
  /** Calling it twice is as good as once: a failed attempt is repeated. Default false. */
  readonly isIdempotent?: boolean | undefined;
}

/** The skills that a program registered as functions: a short way to `executor.registerHandler` and `registry.put`. */
export interface Handlers {
  /**
   * Resolves to its row once requests get it. Rejects, and registers nothing, if its name, version or schemas cannot be used; the
   * log has the failure, too, for those who do not wait.
   */
  register(handler: HandlerSkill): Promise<RegisteredSkill>;
  /** False when there is none of this name. */
  unregister(name: string): Promise<boolean>;
  readonly all: readonly HandlerSkill[];
  /** Resolves once the registry has those that it takes. */
  settled(): Promise<void>;
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const FIRST_VERSION = '1.0.0';

export interface HandlersParts {
  readonly registry: Registry;
  readonly directory: HandlerDirectory;
  /** Told when a skill could not be put in the registry; no request gets it then. */
  readonly onError: (error: unknown) => void;
}

export function createHandlers({ registry, directory, onError }: HandlersParts): Handlers {
  const known = new Map<string, HandlerSkill>();
  let settled: Promise<void> = Promise.resolve();
  /** One after the other. Nobody has to wait for it: a failure is logged, and never an unhandled rejection. */
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
      `'${name.slice(0, 100)}' is no name for a handler: use up to 64 letters, digits, '_' and '-', a letter or '_' first.`,
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
