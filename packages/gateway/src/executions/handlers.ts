import { createRanker, type RankableSkill } from 'skillwright';
import type { AgentTool } from 'skillwright/host';
import { GatewayError } from '../spec/gateway-error.ts';

/** A skill that is a function of the host's program: one tool. */
export interface HandlerSkill {
  /** Also the name of its tool. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: AgentTool['inputSchema'];
  readonly tags?: readonly string[] | undefined;
  /** `on`: always there. `auto`: when it fits the task. `off`: never. Default `auto`. */
  readonly mode?: 'on' | 'off' | 'auto' | undefined;
  readonly execute: AgentTool['execute'];
  /** Calling it twice is as good as once. Default false. */
  readonly isIdempotent?: boolean | undefined;
}

/** The handlers that a program registered. */
export interface Handlers {
  register(handler: HandlerSkill): void;
  unregister(name: string): boolean;
  readonly all: readonly HandlerSkill[];
  /** The tools for a task: those the conversation has, those that are always there, then those that fit, best first. */
  toolsFor(request: {
    readonly task: string;
    /** Names of tools that the conversation has. */
    readonly known: readonly string[];
    readonly only: readonly string[] | undefined;
    readonly mode: HandlerSkill['mode'];
  }): readonly AgentTool[];
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const MAX_MATCHES = 5;

export function createHandlers(): Handlers {
  const handlers = new Map<string, HandlerSkill>();
  let ranker: ReturnType<typeof createRanker> | undefined;
  return {
    register(handler) {
      if (!NAME.test(handler.name))
        throw new GatewayError(
          'InvalidConfiguration',
          `'${handler.name.slice(0, 100)}' is no name for a handler: use up to 64 letters, digits, '_' and '-', a letter or '_' first.`,
        );
      handlers.set(handler.name, handler);
      ranker = undefined;
    },
    unregister(name) {
      ranker = undefined;
      return handlers.delete(name);
    },
    get all() {
      return [...handlers.values()];
    },
    toolsFor({ task, known, only, mode }) {
      if (handlers.size === 0) return [];
      const wanted = [...handlers.values()].filter(({ name }) => only === undefined || only.includes(name));
      // What is off is off for every request.
      const modeOf = (handler: HandlerSkill): HandlerSkill['mode'] =>
        handler.mode === 'off' ? 'off' : (mode ?? handler.mode ?? (only === undefined ? 'auto' : 'on'));
      const always = wanted.filter((handler) => modeOf(handler) === 'on');
      const candidates = new Set(wanted.filter((handler) => modeOf(handler) === 'auto').map(({ name }) => name));
      ranker ??= createRanker([...handlers.values()].map(toRankable));
      const ranked = candidates.size === 0 ? [] : ranker.rank(task, { limit: handlers.size });
      const fitting = ranked.filter(({ id }) => candidates.has(id)).slice(0, MAX_MATCHES);
      const stay = wanted.filter((handler) => modeOf(handler) !== 'off' && known.includes(handler.name));
      return [...new Set([...stay, ...always, ...fitting.flatMap(({ id }) => handlers.get(id) ?? [])])].map(toTool);
    },
  };
}

function toRankable({ name, description, tags }: HandlerSkill): RankableSkill {
  return { id: name, name, description, ...(tags === undefined ? {} : { tags }) };
}

function toTool({ name, description, inputSchema, execute, isIdempotent }: HandlerSkill): AgentTool {
  return { name, description, inputSchema, execute, isIdempotent };
}
