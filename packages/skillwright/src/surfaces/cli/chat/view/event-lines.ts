import type { AgentResult } from '../../../../agent/turn/agent-turn.ts';
import type { AgentEvent } from '../../../../spec/events/agent-events.ts';
import type { TraceEvent, TraceType } from '../../../../spec/events/trace.ts';
import type { Output } from '../../output.ts';
import { toJsonText } from '../../text/terminal-text.ts';
import type { FailedCall } from '../failed-calls.ts';

/** Writes what happens as JSON, an object a line. */
export interface EventLines {
  start(facts: { readonly model: string; readonly isDemo: boolean; readonly skills: readonly string[] }): void;
  show(event: AgentEvent): void;
  /** Of traces, those that say what no other event does. */
  showTrace(event: TraceEvent): void;
  end(result: AgentResult, failedCalls: readonly FailedCall[]): void;
}

const TOLD_BY_TRACES: ReadonlySet<TraceType> = new Set<TraceType>(['skill_activated', 'skill_loaded', 'tool_error']);

export function createEventLines(output: Output): EventLines {
  // Strings in JSON hold no line ends: those there are belong to the layout.
  const write = (value: object): void => output.exact(`${toJsonText(value).replaceAll(/\n */g, '')}\n`);
  return {
    start: (facts) => write({ type: 'start', ...facts }),
    show: write,
    showTrace: (event) => TOLD_BY_TRACES.has(event.type) && write(event),
    end: ({ messages: _messages, ...result }, failedCalls) => write({ type: 'result', ...result, failedCalls }),
  };
}
