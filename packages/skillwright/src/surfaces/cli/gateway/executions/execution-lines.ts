import type { Output, Style } from '../../output.ts';
import { renderTable } from '../../text/table.ts';
import { toBlock, toJsonText, toLine } from '../../text/terminal-text.ts';
import { shortId } from '../find-id.ts';
import type { Execution } from '../client/rest-types.ts';
import { durationText, timeText } from '../time-text.ts';

const STYLES: Readonly<Record<string, Style>> = {
  success: 'good',
  error: 'error',
  timeout: 'error',
  cancelled: 'warning',
};

/** Executions, a line each. */
export function executionTable(output: Output, executions: readonly Execution[]): string[] {
  const rows = executions.map((execution) => [
    shortId(execution.id),
    timeText(execution.createdAt),
    execution.status,
    durationText(execution.durationMs),
    toLine(nameOf(execution)),
    toLine(execution.errorMessage ?? ''),
  ]);
  const columns = [
    { heading: 'ID', style: 'dim' },
    { heading: 'TIME (UTC)' },
    { heading: 'STATUS' },
    { heading: 'TOOK' },
    { heading: 'SKILL', style: 'name', maxWidth: 40 },
    { heading: 'ERROR' },
  ] as const;
  return renderTable(output, columns, rows);
}

/** One execution on a line, for those who follow. */
export function executionLine(output: Output, execution: Execution): string {
  const { id, createdAt, status, durationMs, errorMessage } = execution;
  const state = output.style(STYLES[status] ?? 'info', status);
  const error = errorMessage === null ? '' : `  ${toLine(errorMessage)}`;
  const took = durationMs === null ? '' : `  ${durationText(durationMs)}`;
  return `${output.style('dim', timeText(createdAt))}  ${state}  ${toLine(nameOf(execution))}${took}  ${output.style('dim', id)}${error}`;
}

/** Everything about one. */
export function executionDetails(output: Output, execution: Execution): string[] {
  const {
    id,
    status,
    errorMessage,
    errorCode,
    durationMs,
    tier,
    createdAt,
    apiKeyId,
    input,
    output: result,
  } = execution;
  const facts = [
    ['Id', id],
    ['Status', status],
    ['Began', `${timeText(createdAt)} UTC`],
    ['Took', durationText(durationMs)],
    ['Key', apiKeyId ?? 'none'],
    ...(tier === null ? [] : [['Tier', tier]]),
    ...(errorMessage === null ? [] : [['Error', errorText(errorCode, errorMessage)]]),
  ];
  return [
    output.style('heading', toLine(nameOf(execution))),
    ...renderTable(
      output,
      [{ style: 'dim' }, {}],
      facts.map((fact) => fact.map(toLine)),
      { indent: 2, wrap: true },
    ),
    ...block(output, 'Input', input),
    ...block(output, 'Output', result),
  ];
}

function block(output: Output, title: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const text = typeof value === 'string' ? toBlock(value) : toJsonText(value);
  return ['', output.style('heading', title), ...text.split('\n').map((line) => `  ${line}`)];
}

/** Messages of packages begin with their code. */
function errorText(code: string | null, message: string): string {
  return code === null || message.startsWith(`${code}:`) ? message : `${code}: ${message}`;
}

function nameOf({ skillName, version }: Execution): string {
  return version === null ? skillName : `${skillName}@${version}`;
}
