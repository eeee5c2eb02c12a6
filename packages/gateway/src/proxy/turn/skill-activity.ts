import type { TurnEnding } from 'skillwright/host';
import type { ToolCall, ToolResult, WireFrame } from 'skillwright/wire';
import { timeOf, type TurnReport } from './report-headers.ts';

/** The name of the events that tell a client of skills, if it asks for them. */
const EVENT = 'skillwright.activity';

/** A tool begins to run, or has ended. */
export function callFrame({ id, name }: ToolCall, result: ToolResult | undefined): WireFrame {
  const phase = result === undefined ? 'call-start' : 'call-end';
  return frameOf({ phase, call: id, tool: name, ...(result === undefined ? {} : { isError: result.isError }) });
}

/** What the headers of an answer that is not streamed say, and the usage of the last round alone. */
export function summaryFrame({ rounds, lastUsage }: TurnEnding, report: TurnReport): WireFrame {
  return frameOf({ phase: 'done', ran: report.ran, rounds, timeMs: timeOf(report), lastUsage: lastUsage ?? null });
}

function frameOf(activity: Readonly<Record<string, unknown>>): WireFrame {
  const data = JSON.stringify({ type: EVENT, ...activity });
  return { event: EVENT, data, raw: `event: ${EVENT}\ndata: ${data}\n\n` };
}
