import type { TraceEvent } from 'skillwright';

const WIDTH = 56;

/** The events of a run, one per line. Without times, so that two runs can be compared. */
export function traceLines(events: readonly TraceEvent[]): string[] {
  return events.map(lineOf);
}

function lineOf({ type, data }: TraceEvent): string {
  switch (type) {
    case 'llm_call':
      return `${type} ${data.turnIndex + 1}: ${data.calls.length === 0 ? 'answers' : `calls ${data.calls.join(', ')}`}`;
    case 'tool_call':
      return `  ${type} ${data.arguments} ${data.isError ? 'failed' : 'worked'}`;
    case 'tool_error':
      return `  ${type}, guided by ${data.guidedBy ?? 'nothing'}`;
    case 'skill_activated':
      return `  ${type} ${data.skillName}`;
    case 'skill_loaded':
      return `  ${type} ${data.bytes} bytes of it`;
    case 'run_end':
      return `${type}: ${data.reason}`;
  }
}

/** Two columns of lines under their headings. */
export function sideBySide(left: readonly string[], right: readonly string[]): string {
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const [one = '', other = ''] = [left[index], right[index]];
    return `${cut(one).padEnd(WIDTH)} | ${cut(other)}`.trimEnd();
  });
  return rows.join('\n');
}

function cut(text: string): string {
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}
