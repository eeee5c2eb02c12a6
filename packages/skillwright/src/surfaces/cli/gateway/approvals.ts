import { printAnswer, type Invocation } from '../command.ts';
import { doneLine, type Output } from '../output.ts';
import { factTable, type RowColumn } from '../text/table.ts';
import { toJsonText, toLine } from '../text/terminal-text.ts';
import { pageQuery, printPage, timeText } from './answers.ts';
import type { GatewayClient } from './client/gateway-client.ts';
import type { Approval, RestAnswers } from './client/rest-types.ts';
import { findId, shortId } from './find-id.ts';
import { type ActionRequest, type GatewayActions, runAction } from './run-action.ts';

const MAX_INPUT = 1000;

const ACTIONS: GatewayActions = {
  list: { words: [], run: list },
  show: { words: ['<id>'], run: show },
  allow: { words: ['<id>'], run: (request) => decide(request, 'allow') },
  deny: { words: ['<id>'], run: (request) => decide(request, 'deny') },
  withdraw: { words: ['<id>'], run: withdraw },
};

const PATH = '/api/approvals';

/** Lists and answers the runs that models requested and that need approval. */
export function run(invocation: Invocation): Promise<number> {
  return runAction('approvals', ACTIONS, invocation);
}

async function list({ invocation, client }: ActionRequest): Promise<number> {
  const query = { status: invocation.options.text('status'), ...pageQuery(invocation) };
  const page = await client.get<RestAnswers['listApprovals']>(PATH, query);
  return printPage(invocation, page, { noun: 'approval', rows: page.data, columns: COLUMNS });
}

async function show({ invocation, client, words }: ActionRequest): Promise<number> {
  const { approval } = await client.get<RestAnswers['getApproval']>(await pathOf(client, words));
  return printAnswer(invocation, approval, () => approvalDetails(invocation.output, approval));
}

async function decide({ invocation, client, words }: ActionRequest, decision: 'allow' | 'deny'): Promise<number> {
  const { output, options } = invocation;
  const body = { decision, scope: options.text('scope') ?? 'once' };
  const path = await pathOf(client, words);
  const { approval } = await client.send<RestAnswers['decideApproval']>('POST', path, body);
  const { skillName, target, status, scope } = approval;
  const text = `${toLine(`${skillName}: ${target}`)} is ${status}, ${WORDS[scope ?? '']}.`;
  return printAnswer(invocation, approval, () => [doneLine(output, text)]);
}

const WORDS: Readonly<Record<string, string>> = {
  once: 'for this one call',
  conversation: 'in its conversation',
  always: 'until it is withdrawn or the skill changes',
};

async function withdraw({ invocation, client, words }: ActionRequest): Promise<number> {
  const path = await pathOf(client, words);
  const answer = await client.send<RestAnswers['withdrawApproval']>('DELETE', path);
  const text = 'The approval was withdrawn. The next call needs a new one.';
  return printAnswer(invocation, answer, () => [doneLine(invocation.output, text)]);
}

async function pathOf(client: GatewayClient, [word = '']: readonly string[]): Promise<string> {
  const id = await findId(client, word, { path: PATH, noun: 'approval' });
  return `${PATH}/${encodeURIComponent(id)}`;
}

const COLUMNS: readonly RowColumn<Approval>[] = [
  { heading: 'ID', style: 'dim', cell: ({ id }) => shortId(id) },
  { heading: 'TIME (UTC)', cell: ({ createdAt }) => timeText(createdAt) },
  { heading: 'STATUS', cell: statusText },
  { heading: 'SKILL', style: 'name', maxWidth: 40, cell: ({ skillName, target }) => `${skillName}: ${target}` },
  { heading: 'INPUT', cell: ({ input }) => (JSON.stringify(input) ?? '').slice(0, MAX_INPUT) },
];

/** All details of one approval. */
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
    ...factTable(output, facts),
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
