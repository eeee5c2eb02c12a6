import { expect, it } from 'vitest';
import { createLoopClient } from '../proxy/loop/loop-client.ts';
import { startLoop } from '../proxy/loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../proxy/loop/loop-handlers.ts';
import { startRest } from '../rest/rest-gateway.ts';

const USAGE = { input: 100, output: 10, cachedInput: 0, reasoning: 0 };

async function metricsOf(url: string): Promise<readonly string[]> {
  return (await (await fetch(`${url}/metrics`)).text()).split('\n');
}

it('metrics name the route that handled the request, with parameters in braces and no patterns', async () => {
  const { url, client } = await startRest();
  const { call } = await client('manage', 'execute');
  await call('POST', '/api/skills/match', { text: 'a' });
  await call('POST', '/api/skills/install', {});
  await call('POST', '/api/skills/executions', {});
  await call('GET', '/api/skills/nope');
  await call('GET', '/api/skills/executions/nope/events');
  await call('POST', '/v1beta/models/nope:generateContent', {});
  await call('GET', '/v1/responses/resp_1');
  await call('GET', '/nowhere');
  const text = (await metricsOf(url)).filter((line) => line.startsWith('skillwright_http_requests_total')).join('\n');
  const routes = [...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route);
  expect(new Set(routes)).toEqual(
    new Set([
      '/api/skills/match',
      '/api/skills/install',
      '/api/skills/executions',
      '/api/skills/{id}',
      '/api/skills/executions/{id}/events',
      '/v1beta/models/{call}',
      '/v1/responses/{id}',
      'none',
    ]),
  );
});

it('metrics count turns, rounds, tokens, calls, executions, approvals and failures', async () => {
  const echo = (text: string): object => ({ calls: [{ name: 'echo', arguments: { text } }], usage: USAGE });
  const { url, model, gateway } = await startLoop({
    model: { script: [echo('a'), echo('fail'), { text: 'Done.', usage: USAGE }] },
    handlers: [ECHO_HANDLER],
  });
  const client = createLoopClient({ url, format: 'openai-chat', stream: false });
  await client.say('Begin.');
  const subject = { apiKeyId: null, sessionId: null, skillName: 'echo', target: 'echo', digest: 'd' };
  await gateway.approvals.ask({ ...subject, version: '1.0.0', input: {} });
  await model.close();
  await client.branch().say('Again.');
  const off = createLoopClient({ url, format: 'gemini', stream: false, headers: { 'x-skillwright-mode': 'off' } });
  await off.say('Begin.');
  const lines = await metricsOf(url);
  expect(lines).toEqual(
    expect.arrayContaining([
      'skillwright_turns_total{upstream="openai-chat"} 2',
      'skillwright_tokens_total{upstream="openai-chat",direction="input"} 300',
      'skillwright_tokens_total{upstream="openai-chat",direction="output"} 30',
      'skillwright_tool_calls_total{upstream="openai-chat",outcome="ok"} 1',
      'skillwright_tool_calls_total{upstream="openai-chat",outcome="error"} 1',
      'skillwright_executions_total{kind="handler",status="success"} 1',
      'skillwright_executions_total{kind="handler",status="error"} 1',
      'skillwright_upstream_failures_total{upstream="openai-chat",code="UpstreamUnreachable"} 1',
      'skillwright_upstream_failures_total{upstream="gemini",code="UpstreamUnreachable"} 1',
      'skillwright_approvals_waiting 1',
    ]),
  );
  expect(lines.join('\n')).toMatch(/^skillwright_rounds_total\{upstream="openai-chat"\} [34]$/m);
});
