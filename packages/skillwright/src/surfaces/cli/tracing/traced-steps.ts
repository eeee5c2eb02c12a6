import type { TraceEvent, TraceType } from '../../../spec/events/trace.ts';

type DataOf<Type extends TraceType> = Extract<TraceEvent, { type: Type }>['data'];

/** A skill that came into the conversation, as far as it is told of. */
export interface TracedSkill {
  readonly activated?: DataOf<'skill_activated'>;
  readonly loaded?: DataOf<'skill_loaded'>;
}

export interface TracedCall {
  readonly callId: string;
  readonly call: DataOf<'tool_call'> | undefined;
  readonly error: DataOf<'tool_error'> | undefined;
  /** Those that were looked for because of it, or that it loaded. */
  readonly skills: readonly TracedSkill[];
}

/** A request to the model, and what came of it. */
export interface TracedStep {
  readonly turnIndex: number;
  /** Skills that were there before the model was asked. */
  readonly skills: readonly TracedSkill[];
  /** `undefined` when it was not answered, or its line is lost. */
  readonly request: DataOf<'llm_call'> | undefined;
  readonly calls: readonly TracedCall[];
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };
type OpenCall = Mutable<Omit<TracedCall, 'skills'>> & { readonly skills: Mutable<TracedSkill>[] };
type OpenStep = Mutable<Omit<TracedStep, 'skills' | 'calls'>> & {
  readonly skills: Mutable<TracedSkill>[];
  readonly calls: OpenCall[];
};

/** The steps of one run, from its events in the order in which they were told. */
export function toSteps(events: readonly TraceEvent[]): readonly TracedStep[] {
  const steps = new Map<number, OpenStep>();
  /** The skill or the call that a `skill_loaded` right after it belongs to. */
  let lastSkill: Mutable<TracedSkill> | undefined;
  let lastCall: OpenCall | undefined;

  for (const event of events) {
    if (event.type === 'run_end') continue;
    const step = stepAt(steps, event.data.turnIndex);
    const before = { skill: lastSkill, call: lastCall };
    lastSkill = undefined;
    lastCall = undefined;
    switch (event.type) {
      case 'llm_call':
        step.request = event.data;
        break;
      case 'tool_error':
        openCall(step, event.data.callId, 'error').error = event.data;
        break;
      case 'tool_call':
        lastCall = openCall(step, event.data.callId, 'call');
        lastCall.call = event.data;
        break;
      case 'skill_activated': {
        const callId = failedCall(event.data);
        lastSkill = { activated: event.data };
        (callId === undefined ? step : openCall(step, callId, 'error')).skills.push(lastSkill);
        break;
      }
      case 'skill_loaded':
        if (before.skill?.activated?.skillName === event.data.skillName) before.skill.loaded = event.data;
        else (before.call ?? step).skills.push({ loaded: event.data });
        break;
    }
  }
  return [...steps.values()];
}

function stepAt(steps: Map<number, OpenStep>, turnIndex: number): OpenStep {
  const step = steps.get(turnIndex) ?? { turnIndex, skills: [], request: undefined, calls: [] };
  steps.set(turnIndex, step);
  return step;
}

/** The call of this id that still lacks this part: ids may repeat. */
function openCall({ calls }: OpenStep, callId: string, part: 'call' | 'error'): OpenCall {
  const known = calls.findLast((call) => call.callId === callId && call.call === undefined && call[part] === undefined);
  if (known !== undefined) return known;
  const added: OpenCall = { callId, call: undefined, error: undefined, skills: [] };
  calls.push(added);
  return added;
}

/** Of a trigger that a failed call fired. */
function failedCall({ context }: DataOf<'skill_activated'>): string | undefined {
  const { toolCall } = context;
  if (typeof toolCall !== 'object' || toolCall === null || !('id' in toolCall)) return undefined;
  return typeof toolCall.id === 'string' ? toolCall.id : undefined;
}
