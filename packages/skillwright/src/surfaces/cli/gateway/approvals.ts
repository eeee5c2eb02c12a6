import type { Invocation } from '../command.ts';
import type { Output } from '../output.ts';
import { renderTable } from '../text/table.ts';
import { toJsonText, toLine } from '../text/terminal-text.ts';
import type { GatewayClient } from './client/gateway-client.ts';
import type { Approval, RestAnswers } from './client/rest-types.ts';
import { pageQuery, pageText } from './client/page-query.ts';
import { findId, shortId } from './find-id.ts';
import { type ActionRequest, type GatewayActions, runAction } from './run-action.ts';
import { timeText } from './time-text.ts';

const MAX_INPUT = 1000;

const ACTIONS: GatewayActions = {
  list: { words: [], run: list },
  show: { words: ['<id>'], run: show },
  allow: { words: ['<id>'], run: (request) => decide(request, 'allow') },
  deny: { words: ['<id>'], run: (request) => decide(request, 'deny') },
  withdraw: { words: ['<id>'], run: withdraw },
};

const PATH = '/api/approvals';

/** What models asked for and people decide about. */
export function run(invocation: Invocation): Promise<number> {
  return runAction('approvals', ACTIONS, invocation);
}

async function list({ invocation, client }: ActionRequest): Promise<number> {
  const { output, options, globals } = invocation;
  const query = { status: options.text('status'), ...pageQuery(invocation) };
  const page = await client.get<RestAnswers['listApprovals']>(PATH, query);
  if (globals.json) output.json(page);
  else {
    if (page.data.length > 0) output.lines([...approvalTable(output, page.data), '']);
    output.line(pageText(page, 'approval'));
  }
  return 0;
}

async function show({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const { approval } = await client.get<RestAnswers['getApproval']>(await pathOf(client, words));
  if (globals.json) output.json(approval);
  else output.lines(approvalDetails(output, approval));
  return 0;
}

async function decide({ invocation, client, words }: ActionRequest, decision: 'allow' | 'deny'): Promise<number> {
  const { output, options, globals } = invocation;
  const body = { decision, scope: options.text('scope') ?? 'once' };
  const path = await pathOf(client, words);
  const { approval } = await client.send<RestAnswers['decideApproval']>('POST', path, body);
  if (globals.json) output.json(approval);
  else {
    const { skillName, target, status, scope } = approval;
    output.line(
      `${output.style('good', '✓')} ${toLine(`${skillName}: ${target}`)} is ${status}, ${WORDS[scope ?? '']}.`,
    );
  }
  return 0;
}

const WORDS: Readonly<Record<string, string>> = {
  once: 'for this one call',
  conversation: 'in its conversation',
  always: 'until it is withdrawn or the skill changes',
};

async function withdraw({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const path = await pathOf(client, words);
  const answer = await client.send<RestAnswers['withdrawApproval']>('DELETE', path);
  if (globals.json) output.json(answer);
  else output.line(`${output.style('good', '✓')} It is taken back: the next call is asked about again.`);
  return 0;
}

async function pathOf(client: GatewayClient, [word = '']: readonly string[]): Promise<string> {
  const id = await findId(client, word, { path: PATH, noun: 'approval' });
  return `${PATH}/${encodeURIComponent(id)}`;
}

/** What models asked for, a line each. */
function approvalTable(output: Output, approvals: readonly Approval[]): string[] {
  const rows = approvals.map((approval) => [
    shortId(approval.id),
    timeText(approval.createdAt),
    statusText(approval),
    toLine(`${approval.skillName}: ${approval.target}`),
    toLine((JSON.stringify(approval.input) ?? '').slice(0, MAX_INPUT)),
  ]);
  const columns = [
    { heading: 'ID', style: 'dim' },
    { heading: 'TIME (UTC)' },
    { heading: 'STATUS' },
    { heading: 'SKILL', style: 'name', maxWidth: 40 },
    { heading: 'INPUT' },
  ] as const;
  return renderTable(output, columns, rows);
}

/** Everything about one. */
function approvalDetails(output: Output, approval: Approval): string[] {
  const { id, skillName, version, target, apiKeyId, sessionId, createdAt, expiresAt, decidedAt, decidedBy } = approval;
  const facts = [
    ['Id', id],
    ['Status', statusText(approval)],
    ['Asked', `${timeText(createdAt)} UTC`],
    ['Key', apiKeyId ?? 'none'],
    ['Session', sessionId ?? 'none'],
    ...(decidedAt === null ? [] : [['Decided', `${timeText(decidedAt)} UTC by ${decidedBy ?? 'the operator'}`]]),
    ...(approval.usedAt === null ? [] : [['Used', `${timeText(approval.usedAt)} UTC`]]),
    ['Until', expiresAt === null ? 'withdrawn' : `${timeText(expiresAt)} UTC`],
  ];
  return [
    output.style('heading', toLine(`${skillName}${version === null ? '' : `@${version}`}: ${target}`)),
    ...renderTable(
      output,
      [{ style: 'dim' }, {}],
      facts.map((fact) => fact.map(toLine)),
      { indent: 2, wrap: true },
    ),
    '',
    output.style('heading', 'Input'),
    ...toJsonText(approval.input)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

/** `pending`, `allowed always`, `allowed once, used` */
function statusText({ status, scope, usedAt }: Approval): string {
  return `${status}${scope === null ? '' : ` ${scope}`}${usedAt === null ? '' : ', used'}`;
}
