import type { Invocation } from '../../command.ts';
import { executionDetails, executionTable } from './execution-lines.ts';
import type { RestAnswers } from '../client/rest-types.ts';
import { pageQuery, pageText } from '../client/page-query.ts';
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
  const { output, options, globals } = invocation;
  const page = await client.get<RestAnswers['listExecutions']>('/api/skills/executions', {
    status: options.text('status'),
    skill: options.text('skill'),
    apiKeyId: await keyOption(invocation, client),
    ...pageQuery(invocation),
  });
  if (globals.json) output.json(page);
  else {
    if (page.data.length > 0) output.lines([...executionTable(output, page.data), '']);
    output.line(pageText(page, 'execution'));
  }
  return 0;
}

async function show({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const path = `/api/skills/executions/${encodeURIComponent(await findExecution(client, words[0] ?? ''))}`;
  const { execution } = await client.get<RestAnswers['getExecution']>(path);
  if (globals.json) output.json(execution);
  else output.lines(executionDetails(output, execution));
  return 0;
}

async function cancel({ invocation, client, words }: ActionRequest): Promise<number> {
  const { output, globals } = invocation;
  const id = await findExecution(client, words[0] ?? '');
  const answer = await client.send<RestAnswers['cancelExecution']>(
    'POST',
    `/api/skills/executions/${encodeURIComponent(id)}/cancel`,
  );
  if (globals.json) output.json({ id, ...answer });
  else output.line(`${output.style('good', '✓')} The execution is being ended.`);
  return 0;
}
