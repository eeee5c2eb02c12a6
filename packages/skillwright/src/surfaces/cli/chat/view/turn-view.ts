import type { AgentResult } from '../../../../agent/turn/agent-turn.ts';
import type { AgentEvent, AgentEventListener } from '../../../../spec/events/agent-events.ts';
import type { TraceEvent, TraceListener } from '../../../../spec/events/trace.ts';
import type { Output, Style } from '../../output.ts';
import { toBlock, toLine } from '../../text/terminal-text.ts';
import { callLine, resultLine, retryLine, skillLine } from './activity-lines.ts';
import { createCleanStream } from './clean-stream.ts';

/** A reason that is not here has a message of its own. */
const NOTES: Partial<Record<AgentResult['reason'], string>> = {
  cancelled: 'Cancelled.',
  empty: 'The model returned an empty answer.',
  length: "The answer is cut off, because it reached the model's length limit.",
  refusal: 'The model declined to answer.',
  'content-filter': "The provider's content filter stopped the answer.",
  'max-turns': 'The model reached the limit of tool rounds and was stopped. Raise it with --max-turns.',
  'repeated-failures': 'The model repeated the same failing call and was stopped.',
};

/** Shows one turn of a conversation to a person. */
export interface TurnView {
  show(event: AgentEvent): void;
  /** Skills that nobody called come by a trigger. */
  showTrace(event: TraceEvent): void;
  /** Goes to the start of a line, for somebody else who wants to write. */
  pause(): void;
  end(result: AgentResult): void;
}

export interface TurnOutputs {
  /** What the model says. */
  readonly answer: Output;
  /** What it does. */
  readonly activity: Output;
}

export function createTurnView({ answer, activity }: TurnOutputs): TurnView {
  const text = createCleanStream();
  const reasoning = createCleanStream();
  const calls = createCallLines(activity);
  // Programs get the answer alone, in one piece; what the model says on the way to it is activity.
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

/** What tells views of a turn. */
export function listenersOf(...views: readonly Pick<TurnView, 'show' | 'showTrace'>[]): {
  readonly onEvent: AgentEventListener;
  readonly onTrace: TraceListener;
} {
  return {
    onEvent: (event) => views.forEach((view) => view.show(event)),
    onTrace: (event) => views.forEach((view) => view.showTrace(event)),
  };
}

/** What is said of a turn that did not end by itself; `undefined` where it did. */
function endingNote({ reason, error }: Pick<AgentResult, 'reason' | 'error'>): string | undefined {
  if (reason === 'end') return undefined;
  return NOTES[reason] ?? error ?? `The answer ended early: ${reason}.`;
}
