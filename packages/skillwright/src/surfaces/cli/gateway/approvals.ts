import type { Invocation } from '../command.ts';
import { approvalDetails, approvalTable } from './approval-lines.ts';
import { findId } from './find-id.ts';
import type { GatewayClient } from './client/gateway-client.ts';
import type { ApprovalRow, PageAnswer } from './client/gateway-records.ts';
import { pageQuery, pageText } from './client/page-query.ts';
import { runAction, type ActionRequest, type GatewayActions } from './run-action.ts';
import { toLine } from '../text/terminal-text.ts';

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
  const page = await client.get<PageAnswer<ApprovalRow>>(PATH, query);
  if (globals.json) output.json(page);
  else {
    if (page.data.length > 0) output.lines([...approvalTable(output, page.data), '']);
    output.line(pageText(page, 'approval'));
  }
  return 0;
}

async function show({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const { approval } = await client.get<{ readonly approval: ApprovalRow }>(await pathOf(client, words));
  if (globals.json) output.json(approval);
  else output.lines(approvalDetails(output, approval));
  return 0;
}

async function decide({ invocation, client, words }: ActionRequest, decision: 'allow' | 'deny'): Promise<number> {
  const { output, options, globals } = invocation;
  const body = { decision, scope: options.text('scope') ?? 'once' };
  const path = await pathOf(client, words);
  const { approval } = await client.send<{ readonly approval: ApprovalRow }>('POST', path, body);
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
  const answer = await client.send<object>('DELETE', path);
  if (globals.json) output.json(answer);
  else output.line(`${output.style('good', '✓')} It is taken back: the next call is asked about again.`);
  return 0;
}

async function pathOf(client: GatewayClient, [word = '']: readonly string[]): Promise<string> {
  const id = await findId(client, word, { path: PATH, noun: 'approval' });
  return `${PATH}/${encodeURIComponent(id)}`;
}
