import { randomUUID } from 'node:crypto';
import type { TraceEvent, ModelClient } from 'skillwright';
import {
  createSkillTraces,
  createTurnTraces,
  type RoundReport,
  type ToolOutcome,
  type TurnEnding,
} from 'skillwright/host';
import type { ToolCall } from 'skillwright/wire';
import type { GatewayParts } from '../../parts.ts';
import type { Injection, ProxiedRequest } from './injection.ts';

/** Follows a turn for its trace. The trace is written after the turn, in the background. */
export interface TurnTrace {
  round(report: RoundReport): void;
  call(answered: { readonly call: ToolCall; readonly outcome: ToolOutcome; readonly durationMs: number }): void;
  /** Records a call that did not run. */
  refused(call: ToolCall, reason: string): void;
  end(ending: TurnEnding): void;
}

export interface TracedTurn {
  readonly request: ProxiedRequest;
  readonly injection: Injection;
  readonly model: ModelClient;
}

/** The most events to keep of one turn, not counting its last event. */
const MAX_EVENTS = 500;
/** The most characters of tool input and output to keep of one turn, if they are kept at all. */
const MAX_TEXT = 262_144;
const MAX_ERROR = 500;

export function createTurnTrace(
  { request, injection, model }: TracedTurn,
  { traceLog, store, now }: Pick<GatewayParts, 'traceLog' | 'store' | 'now'>,
): TurnTrace {
  const runId = randomUUID();
  const startedAt = now();
  const { events, add } = createEventList(store.settings.current.traceContent);
  let rounds = 0;
  const source = { onTrace: add, runId, turnIndex: () => rounds };
  const turns = createTurnTraces({ ...source, model, stream: request.stream });
  const skills = createSkillTraces(source);
  for (const { skill, score, reasons } of injection.reasons)
    add({
      type: 'skill_activated',
      timestamp: new Date(startedAt).toISOString(),
      data: {
        runId,
        turnIndex: 0,
        skillName: skill.qualifiedName,
        trigger: 'task_match',
        context: {},
        score: score ?? null,
        reasons,
      },
    });
  return {
    round(report) {
      turns.round(report);
      rounds += 1;
    },
    call(answered) {
      const { call, outcome } = answered;
      turns.call(answered);
      if (!outcome.isError) return;
      const code = outcome.execution?.code ?? null;
      skills.toolError({ ...failedCall(call), error: outcome.text, code });
    },
    refused: (call, reason) => skills.toolError({ ...failedCall(call), error: reason, code: null }),
    end(ending) {
      turns.end(ending);
      const { usage, error } = ending;
      traceLog.add({
        id: runId,
        tenant: request.tenant,
        session: injection.hosted.session.id,
        startedAt,
        durationMs: Math.max(0, now() - startedAt),
        model: model.model,
        format: request.format.name,
        rounds: ending.rounds,
        inputTokens: usage?.input ?? null,
        outputTokens: usage?.output ?? null,
        skills: injection.shown,
        error: error === undefined ? null : error.slice(0, MAX_ERROR).toWellFormed(),
        events,
      });
    },
  };
}

type StoredEvent = Pick<TraceEvent, 'type' | 'timestamp'> & { readonly data: Readonly<Record<string, unknown>> };

/** A bounded list of events. Texts of people and tools are left out unless content is on. */
function createEventList(keepsContent: boolean): { events: readonly StoredEvent[]; add: (event: TraceEvent) => void } {
  const events: StoredEvent[] = [];
  let textLength = 0;
  return {
    events,
    add(event) {
      if (events.length >= MAX_EVENTS && event.type !== 'run_end') return;
      textLength += lengthOf(event);
      events.push(keepsContent && textLength <= MAX_TEXT ? { ...event, data: { ...event.data } } : withoutTexts(event));
    },
  };
}

function lengthOf({ type, data }: TraceEvent): number {
  if (type === 'tool_call') return data.arguments.length + data.result.length;
  return type === 'tool_error' ? data.error.length : 0;
}

function withoutTexts(event: TraceEvent): StoredEvent {
  const { type, timestamp } = event;
  if (type === 'tool_call') return { type, timestamp, data: { ...event.data, arguments: '', result: '' } };
  if (type === 'tool_error') return { type, timestamp, data: { ...event.data, error: '' } };
  return { type, timestamp, data: { ...event.data } };
}

function failedCall({ id, name }: ToolCall): {
  callId: string;
  toolName: string;
  isRetrySafe: boolean;
  guidedBy: null;
} {
  return { callId: id, toolName: name, isRetrySafe: false, guidedBy: null };
}
