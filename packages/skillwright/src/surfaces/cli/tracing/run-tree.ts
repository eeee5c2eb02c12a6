import { amount } from '../validating/findings.ts';
import { toLine } from '../text/terminal-text.ts';
import type { TextNode, TextPart } from './text-tree.ts';
import type { TracedRun } from './traced-runs.ts';
import type { TraceEvent, DataOf } from '../../../spec/events/trace.ts';

const LONGEST_TEXT = 2_000;
const ERROR_LINES = 4;
const REASON_LINES = 4;

/**
 * A run as a tree: for each request, the skills that were added before it, the request, its calls, and their results. A
 * run in `others` appears below the call that started it.
 */
export function runTree(run: TracedRun, others: readonly TracedRun[] = []): TextNode {
  const { requests, toolCalls, failedCalls, usage, reason } = run;
  const forks = others.filter(({ parent }) => parent?.runId === run.runId);
  const failed = failedCalls === 0 ? '' : `, ${failedCalls} failed`;
  const calls: TextPart = { text: `${amount(toolCalls, 'tool call')}${failed}` };
  return {
    parts: [
      { text: clean(run.runId), style: 'heading' },
      { text: run.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'), style: 'dim' },
    ],
    children: [
      {
        parts: [
          { text: duration(run.durationMs) },
          { text: amount(requests, 'request') },
          failed === '' ? calls : { ...calls, style: 'warning' },
          tokens(usage),
          { text: reason === null ? '' : `ended: ${clean(reason)}`, style: reason === 'end' ? 'dim' : 'warning' },
        ],
      },
      ...toSteps(run.events).flatMap((step) => stepNodes(step, forks)),
      ...endNodes(run),
    ],
  };
}

/** The run's error, unless a request already shows it. */
function endNodes({ events }: TracedRun): TextNode[] {
  const told = new Set(events.flatMap(({ type, data }) => (type === 'llm_call' ? [data.error] : [])));
  return events.flatMap(({ type, data }) =>
    type === 'run_end' && data.error !== null && !told.has(data.error) ? [errorNode(data.error)] : [],
  );
}

function stepNodes({ turnIndex, skills, request, calls }: TracedStep, forks: readonly TracedRun[]): TextNode[] {
  // Skills without a model, such as those of `activateSkills`, have no request.
  if (request === undefined && calls.length === 0) return skills.map(skillNode);
  const title: TextPart = { text: `request ${turnIndex + 1}`, style: 'heading' };
  const error = request?.error ?? null;
  return [
    ...skills.map(skillNode),
    {
      parts:
        request === undefined
          ? [title, { text: 'no response recorded', style: 'dim' }]
          : [title, ...requestParts(request)],
      children: [
        ...(error === null ? [] : [errorNode(error)]),
        ...calls.map((call) =>
          callNode(
            call,
            forks.filter(({ parent }) => parent?.callId === call.callId),
          ),
        ),
      ],
    },
  ];
}

function requestParts(request: NonNullable<TracedStep['request']>): TextPart[] {
  const { model, durationMs, firstTokenMs, usage, stop, attempts, error } = request;
  return [
    { text: clean(model), style: 'name' },
    { text: duration(durationMs) },
    { text: firstTokenMs === null ? '' : `first token ${duration(firstTokenMs)}`, style: 'dim' },
    ...(usage === null ? [] : [tokens(usage)]),
    {
      text: usage !== null && usage.cachedInput > 0 ? `${usage.cachedInput.toLocaleString('en')} cached` : '',
      style: 'dim',
    },
    { text: attempts > 1 ? `${attempts} attempts` : '', style: 'warning' },
    { text: error === null ? clean(stop ?? 'not answered') : 'failed', style: error === null ? 'dim' : 'error' },
  ];
}

function callNode({ callId, call, error, skills }: TracedCall, forks: readonly TracedRun[]): TextNode {
  const isError = call?.isError ?? error !== undefined;
  const result = call === undefined || isError ? '' : clean(call.result);
  return {
    parts: [
      isError ? { text: '✗', style: 'error' } : { text: '✓', style: 'good' },
      { text: clean(call?.toolName ?? error?.toolName ?? callId), style: 'name' },
      { text: call === undefined ? 'not finished' : duration(call.durationMs) },
      { text: clean(call?.arguments ?? ''), style: 'dim' },
    ],
    children: [
      ...(isError ? [errorNode(failureText(call, error))] : []),
      ...skills.map(skillNode),
      ...forks.map((fork) => runTree(fork)),
      ...(error === undefined ? [] : [adviceNode(error)]),
      ...(result === '' ? [] : [{ parts: [{ text: `→ ${result}` }] }]),
    ],
  };
}

function failureText(call: TracedCall['call'], error: TracedCall['error']): string {
  if (error === undefined) return call?.result ?? '';
  return error.code === null ? error.error : `${error.code}: ${error.error}`;
}

/** What the model was told in addition to the error. */
function adviceNode({ guidedBy, isRetrySafe }: NonNullable<TracedCall['error']>): TextNode {
  const by = guidedBy === null ? 'no skill had guidance' : `guided by ${clean(guidedBy)}`;
  const text = `${by}; ${isRetrySafe ? 'safe to call again' : 'not safe to call again'}`;
  return { parts: [{ text, style: 'dim' }] };
}

function errorNode(error: string): TextNode {
  return { parts: [{ text: clean(error) || 'no message', style: 'error' }], maxLines: ERROR_LINES };
}

function skillNode({ activated, loaded }: TracedSkill): TextNode {
  const trigger = activated?.trigger ?? loaded?.trigger ?? '';
  const { score = null, reasons = [] } = activated ?? {};
  return {
    parts: [
      { text: `skill ${clean(activated?.skillName ?? loaded?.skillName ?? '')}`, style: 'info' },
      { text: clean(trigger) },
      { text: score === null ? '' : `score ${Number(score.toFixed(2))}`, style: 'dim' },
      { text: loaded === undefined ? 'not loaded' : `${amount(loaded.bytes, 'byte')} loaded`, style: 'dim' },
    ],
    children:
      reasons.length === 0
        ? []
        : [{ parts: [{ text: clean(reasons.join('; ')), style: 'dim' }], maxLines: REASON_LINES }],
  };
}

function tokens({ input, output }: { readonly input: number; readonly output: number }): TextPart {
  return { text: `${input.toLocaleString('en')} tokens in, ${output.toLocaleString('en')} out` };
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Number(ms.toPrecision(2))} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(2)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

function clean(text: string): string {
  return toLine(text.slice(0, LONGEST_TEXT));
}

/** A skill that was added to the conversation, as far as the trace shows. */
interface TracedSkill {
  readonly activated?: DataOf<'skill_activated'>;
  readonly loaded?: DataOf<'skill_loaded'>;
}

interface TracedCall {
  readonly callId: string;
  readonly call: DataOf<'tool_call'> | undefined;
  readonly error: DataOf<'tool_error'> | undefined;
  /** The skills that were selected because of the call, or that the call loaded. */
  readonly skills: readonly TracedSkill[];
}

/** A request to the model, with its result and calls. */
interface TracedStep {
  readonly turnIndex: number;
  /** The skills that were added before the request. */
  readonly skills: readonly TracedSkill[];
  /** The request's event; `undefined` if the request got no response, or its line is missing. */
  readonly request: DataOf<'llm_call'> | undefined;
  readonly calls: readonly TracedCall[];
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };
type OpenCall = Mutable<Omit<TracedCall, 'skills'>> & { readonly skills: Mutable<TracedSkill>[] };
type OpenStep = Mutable<Omit<TracedStep, 'skills' | 'calls'>> & {
  readonly skills: Mutable<TracedSkill>[];
  readonly calls: OpenCall[];
};

/** The steps of one run, from its events in trace order. */
function toSteps(events: readonly TraceEvent[]): readonly TracedStep[] {
  const steps = new Map<number, OpenStep>();
  /** The skill and the call of the previous event, to which a `skill_loaded` event belongs. */
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

/** Finds the call with this id that does not have this part yet, or adds one. Ids may repeat. */
function openCall({ calls }: OpenStep, callId: string, part: 'call' | 'error'): OpenCall {
  const known = calls.findLast((call) => call.callId === callId && call.call === undefined && call[part] === undefined);
  if (known !== undefined) return known;
  const added: OpenCall = { callId, call: undefined, error: undefined, skills: [] };
  calls.push(added);
  return added;
}

/** The id of the failed call that fired a trigger. */
function failedCall({ context }: DataOf<'skill_activated'>): string | undefined {
  const { toolCall } = context;
  if (typeof toolCall !== 'object' || toolCall === null || !('id' in toolCall)) return undefined;
  return typeof toolCall.id === 'string' ? toolCall.id : undefined;
}
