import type { AgentResult } from '../../../../agent/turn/agent-turn.ts';
import type { AgentEvent, AgentEventListener } from '../../../../spec/events/agent-events.ts';
import type { TraceEvent, TraceListener } from '../../../../spec/events/trace.ts';
import type { Output, Style } from '../../output.ts';
import { toBlock, toLine, cutText } from '../../text/terminal-text.ts';
import { jsonObject } from '../../../../parse/json/json-source.ts';

/** Messages for turns that ended early, by reason. Other reasons have a message of their own. */
const NOTES: Partial<Record<AgentResult['reason'], string>> = {
  cancelled: 'Cancelled.',
  empty: 'The model returned an empty answer.',
  length: "The answer is cut off, because it reached the model's length limit.",
  refusal: 'The model declined to answer.',
  'content-filter': "The provider's content filter stopped the answer.",
  'max-turns': 'The model reached the limit of tool rounds and was stopped. Raise it with --max-turns.',
  'repeated-failures': 'The model repeated the same failing call and was stopped.',
};

/** Displays one turn of a conversation. */
export interface TurnView {
  show(event: AgentEvent): void;
  /** Shows each skill that a trigger selected, because no tool call shows such a skill. */
  showTrace(event: TraceEvent): void;
  /** Moves to the start of a line, before other code writes to the terminal. */
  pause(): void;
  end(result: AgentResult): void;
}

interface TurnOutputs {
  /** The model's output. */
  readonly answer: Output;
  /** The agent's actions. */
  readonly activity: Output;
}

export function createTurnView({ answer, activity }: TurnOutputs): TurnView {
  const text = createCleanStream();
  const reasoning = createCleanStream();
  const calls = createCallLines(activity);
  // Programs get only the final answer, in one piece. Any text that the model writes before the final answer counts as
  // activity.
  const isHeld = !answer.isTty;
  const live = isHeld ? activity : answer;
  let held = '';
  let isMidLine = false;

  const write = (piece: string, style?: Style): void => {
    if (piece === '') return;
    isMidLine = !piece.endsWith('\n');
    live.exact(style === undefined ? piece : live.style(style, piece));
  };
  const pause = (): void => {
    write(text.end());
    write(reasoning.end(), 'dim');
    if (isMidLine) write('\n');
  };

  return {
    show(event) {
      if (event.type === 'text') {
        if (isHeld) held += event.text;
        else write(text.add(event.text));
      } else if (event.type === 'reasoning') write(reasoning.add(event.text), 'dim');
      else if (event.type === 'retry') {
        pause();
        activity.line(activity.style('warning', retryLine(event, activity.columns)));
      } else if (event.type === 'tool-start' || event.type === 'tool-end') {
        write(toBlock(held), 'dim');
        held = '';
        pause();
        calls.show(event);
      }
    },
    showTrace(event) {
      if (event.type !== 'skill_activated') return;
      pause();
      activity.line(activity.style('dim', skillLine(event, activity.columns)));
    },
    pause,
    end(result) {
      pause();
      const said = toBlock(result.text);
      if (isHeld && said !== '') answer.exact(said.endsWith('\n') ? said : `${said}\n`);
      const note = endingNote(result);
      if (note === undefined) return;
      const isError = result.reason !== 'cancelled';
      activity.line(
        isError ? `${activity.style('error', 'error:')} ${toLine(note)}` : activity.style('dim', toLine(note)),
      );
    },
  };
}

function createCallLines(output: Output): { show(event: Extract<AgentEvent, { callId: string }>): void } {
  let running = 0;
  let isOneOfSeveral = false;
  return {
    show(event) {
      if (event.type === 'tool-start') {
        running += 1;
        isOneOfSeveral ||= running > 1;
        return output.line(output.style('dim', callLine(event, output.columns)));
      }
      output.line(output.style(event.isError ? 'error' : 'dim', resultLine(event, isOneOfSeveral, output.columns)));
      running -= 1;
      if (running === 0) isOneOfSeveral = false;
    },
  };
}

/** Listeners that pass every event to these views. */
export function listenersOf(...views: readonly Pick<TurnView, 'show' | 'showTrace'>[]): {
  readonly onEvent: AgentEventListener;
  readonly onTrace: TraceListener;
} {
  return {
    onEvent: (event) => views.forEach((view) => view.show(event)),
    onTrace: (event) => views.forEach((view) => view.showTrace(event)),
  };
}

/** The message for a turn that did not end normally; `undefined` if it did. */
function endingNote({ reason, error }: Pick<AgentResult, 'reason' | 'error'>): string | undefined {
  if (reason === 'end') return undefined;
  return NOTES[reason] ?? error ?? `The answer ended early: ${reason}.`;
}

type ToolStart = Extract<AgentEvent, { type: 'tool-start' }>;
type ToolEnd = Extract<AgentEvent, { type: 'tool-end' }>;
type Retry = Extract<AgentEvent, { type: 'retry' }>;
type SkillActivated = Extract<TraceEvent, { type: 'skill_activated' }>;

/** The most characters of a line that are processed. Cutting first keeps very long text cheap. */
const LONGEST = 2_000;

/**
 * `→ load_skill word-count`
 * @internal Exported for its tests.
 */
export function callLine({ toolName, arguments: text }: ToolStart, columns: number): string {
  return cutText(`→ ${toLine(toolName.slice(0, LONGEST))} ${argumentWords(text)}`.trimEnd(), columns);
}

/**
 * `← 12 words (73 ms)`; starts with the tool's name if several calls are running.
 * @internal Exported for its tests.
 */
export function resultLine(
  { toolName, result, durationMs }: ToolEnd,
  isOneOfSeveral: boolean,
  columns: number,
): string {
  const name = isOneOfSeveral ? `${toLine(toolName.slice(0, LONGEST))}: ` : '';
  const lines = result.split('\n', LONGEST).filter((line) => line.trim() !== '');
  const more = lines.length - 1;
  const ending = `${more > 0 ? ` … ${more} more ${more === 1 ? 'line' : 'lines'}` : ''} (${duration(durationMs)})`;
  const first = toLine(lines[0]?.slice(0, LONGEST) ?? '');
  return cutText(`← ${name}${first === '' ? 'nothing' : first}`, Math.max(20, columns - ending.length)) + ending;
}

/** `• tool-call-error-recovery, by tool_call_error` */
function skillLine({ data: { skillName, trigger } }: SkillActivated, columns: number): string {
  return cutText(`• ${toLine(skillName.slice(0, LONGEST))}, by ${toLine(trigger.slice(0, LONGEST))}`, columns);
}

/** `… trying again in 2.0 s: The model server … answered with status 429` */
function retryLine({ delayMs, error }: Retry, columns: number): string {
  return cutText(`… trying again in ${duration(delayMs)}: ${toLine(error.slice(0, LONGEST))}`, columns);
}

/** The argument values as words, with their names if there are several. */
function argumentWords(text: string): string {
  const values = text.length > LONGEST ? undefined : jsonObject(text);
  if (values === undefined) return toLine(text.slice(0, LONGEST));
  const entries = Object.entries(values);
  return toLine(entries.map(([name, value]) => (entries.length > 1 ? `${name}=` : '') + wordOf(value)).join(' '));
}

function wordOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"'=]+$/.test(value) ? value : JSON.stringify(value);
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Removes terminal control sequences from streamed text. */
interface CleanStream {
  /** Returns the text that can be shown so far. */
  add(piece: string): string;
  /** Returns the remaining text. */
  end(): string;
}

/** The longest unfinished escape sequence that is held back. The visible part of a longer one is shown. */
const MAX_HELD = 256;
/** A sequence that may continue in the next piece: half a surrogate pair, a CRLF, or an escape sequence. */
const UNFINISHED =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is for
  /(?:[\uD800-\uDBFF]|\r|(?:\u001B\[|\u009B)[ -?]*|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u009C\u001B]*\u001B?|\u001B[ -/]*)$/;

/** @internal Exported for its tests. */
export function createCleanStream(): CleanStream {
  let held = '';
  return {
    add(piece) {
      const text = held + piece;
      const tail = text.slice(-MAX_HELD);
      const start = UNFINISHED.exec(tail)?.index ?? tail.length;
      held = tail.slice(start);
      return toBlock(text.slice(0, text.length - held.length));
    },
    end() {
      const rest = toBlock(held);
      held = '';
      return rest;
    },
  };
}
