import { printAnswer, type Invocation } from '../../command.ts';
import { doneLine, section, type Output, type Style } from '../../output.ts';
import { factTable, type RowColumn } from '../../text/table.ts';
import { toBlock, toJsonText, toLine } from '../../text/terminal-text.ts';
import { pageQuery, printPage, durationText, timeText } from '../answers.ts';
import { readAllKeys } from '../client/all-pages.ts';
import type { GatewayClient } from '../client/gateway-client.ts';
import type { Execution, RestAnswers } from '../client/rest-types.ts';
import { shortId } from '../find-id.ts';
import { runAction, type ActionRequest, type GatewayActions } from '../run-action.ts';
import { findExecution, keyOption, runSkill, watch } from './executions-run.ts';

const ACTIONS: GatewayActions = {
  list: { words: [], run: list },
  show: { words: ['<id>'], run: show },
  run: { words: ['<skill>', '[input…]'], run: runSkill },
  cancel: { words: ['<id>'], run: cancel },
  watch: { words: ['<id>'], run: watch },
};

/** Executions of a gateway. */
export function run(invocation: Invocation): Promise<number> {
  return runAction('executions', ACTIONS, invocation);
}

async function list({ invocation, client }: ActionRequest): Promise<number> {
  const { options } = invocation;
  const page = await client.get<RestAnswers['listExecutions']>('/api/skills/executions', {
    status: options.text('status'),
    skill: options.text('skill'),
    apiKeyId: await keyOption(invocation, client),
    ...pageQuery(invocation),
  });
  return printPage(invocation, page, { noun: 'execution', rows: page.data, columns: COLUMNS });
}

async function show({ invocation, client, words }: ActionRequest): Promise<number> {
  const path = `/api/skills/executions/${encodeURIComponent(await findExecution(client, words[0] ?? ''))}`;
  const { execution } = await client.get<RestAnswers['getExecution']>(path);
  const key = invocation.globals.json ? '' : await keyText(client, execution);
  return printAnswer(invocation, execution, () => executionDetails(invocation.output, execution, key));
}

/** The name of the key and its id; only the id if this caller may not read keys, or the key is gone. */
async function keyText(client: GatewayClient, { apiKeyId }: Execution): Promise<string> {
  if (apiKeyId === null) return 'none';
  const keys = await readAllKeys(client).catch(() => []);
  const name = keys.find(({ id }) => id === apiKeyId)?.name;
  return name === undefined ? apiKeyId : `${name} (${apiKeyId})`;
}

async function cancel({ invocation, client, words }: ActionRequest): Promise<number> {
  const id = await findExecution(client, words[0] ?? '');
  const path = `/api/skills/executions/${encodeURIComponent(id)}/cancel`;
  const answer = await client.send<RestAnswers['cancelExecution']>('POST', path);
  const text = 'The gateway is ending the execution.';
  return printAnswer(invocation, { id, ...answer }, () => [doneLine(invocation.output, text)]);
}

const STYLES: Readonly<Record<string, Style>> = {
  success: 'good',
  error: 'error',
  timeout: 'error',
  cancelled: 'warning',
};

const COLUMNS: readonly RowColumn<Execution>[] = [
  { heading: 'ID', style: 'dim', cell: ({ id }) => shortId(id) },
  { heading: 'TIME (UTC)', cell: ({ createdAt }) => timeText(createdAt) },
  { heading: 'STATUS', cell: ({ status }) => status },
  { heading: 'TOOK', cell: ({ durationMs }) => durationText(durationMs) },
  { heading: 'SKILL', style: 'name', maxWidth: 40, cell: nameOf },
  { heading: 'ERROR', cell: ({ errorMessage }) => errorMessage ?? '' },
];

/** One execution on one line, for `logs`. */
export function executionLine(output: Output, execution: Execution): string {
  const { id, createdAt, status, durationMs, errorMessage } = execution;
  const parts = [
    output.style('dim', timeText(createdAt)),
    output.style(STYLES[status] ?? 'info', status),
    toLine(nameOf(execution)),
    ...(durationMs === null ? [] : [durationText(durationMs)]),
    output.style('dim', id),
    ...(errorMessage === null ? [] : [toLine(errorMessage)]),
  ];
  return parts.join('  ');
}

/** All details of one execution. */
function executionDetails(output: Output, execution: Execution, key: string): string[] {
  const { id, status, errorMessage, errorCode, durationMs, tier, createdAt, input, output: result } = execution;
  const facts = [
    ['Id', id],
    ['Status', status],
    ['Began', `${timeText(createdAt)} UTC`],
    ['Took', durationText(durationMs)],
    ['Key', key],
    ...(tier === null ? [] : [['Tier', tier]]),
    ...(errorMessage === null ? [] : [['Error', errorText(errorCode, errorMessage)]]),
  ];
  return [
    output.style('heading', toLine(nameOf(execution))),
    ...factTable(output, facts),
    ...block(output, 'Input', input),
    ...block(output, 'Output', result),
  ];
}

function block(output: Output, title: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const text = typeof value === 'string' ? toBlock(value) : toJsonText(value);
  return section(
    output,
    title,
    text.split('\n').map((line) => `  ${line}`),
  );
}

/** Error messages of packages start with their code. */
function errorText(code: string | null, message: string): string {
  return code === null || message.startsWith(`${code}:`) ? message : `${code}: ${message}`;
}

function nameOf({ skillName, version }: Execution): string {
  return version === null ? skillName : `${skillName}@${version}`;
}
