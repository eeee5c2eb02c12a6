import type { AgentEvent } from '../../../../spec/events/agent-events.ts';
import type { TraceEvent } from '../../../../spec/events/trace.ts';
import { toLine } from '../../text/terminal-text.ts';
import { cutText } from '../../text/text-width.ts';
import { isJsonObject } from '../../../../parse/json/json-source.ts';

type ToolStart = Extract<AgentEvent, { type: 'tool-start' }>;
type ToolEnd = Extract<AgentEvent, { type: 'tool-end' }>;
type Retry = Extract<AgentEvent, { type: 'retry' }>;
type SkillActivated = Extract<TraceEvent, { type: 'skill_activated' }>;

/** More is never shown on a line; cutting first keeps huge texts cheap. */
const LONGEST = 2_000;

/** `→ load_skill word-count` */
export function callLine({ toolName, arguments: text }: ToolStart, columns: number): string {
  return cutText(`→ ${toLine(toolName.slice(0, LONGEST))} ${argumentWords(text)}`.trimEnd(), columns);
}

/** `← 12 words (73 ms)`; with the tool's name where several calls are under way. */
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
export function skillLine({ data: { skillName, trigger } }: SkillActivated, columns: number): string {
  return cutText(`• ${toLine(skillName.slice(0, LONGEST))}, by ${toLine(trigger.slice(0, LONGEST))}`, columns);
}

/** `… trying again in 2.0 s: The model server … answered with status 429` */
export function retryLine({ delayMs, error }: Retry, columns: number): string {
  return cutText(`… trying again in ${duration(delayMs)}: ${toLine(error.slice(0, LONGEST))}`, columns);
}

/** The values of arguments as words, with their names where there are several. */
function argumentWords(text: string): string {
  const values = text.length > LONGEST ? undefined : readObject(text);
  if (values === undefined) return toLine(text.slice(0, LONGEST));
  const entries = Object.entries(values);
  return toLine(entries.map(([name, value]) => (entries.length > 1 ? `${name}=` : '') + wordOf(value)).join(' '));
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function wordOf(value: unknown): string {
  return typeof value === 'string' && /^[^\s"'=]+$/.test(value) ? value : JSON.stringify(value);
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
