import { expect, it } from 'vitest';
import { startGatewayTo } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { CHAT, chunk, leftOpen, sse, type RawTurn } from '../loop/raw-loop.ts';
import { startUpstream } from '../../upstream-server.ts';

it('tells the client and the log when shutdown cuts off a stream', async () => {
  const begun = leftOpen(sse(chunk({ content: 'Once' }))) as Extract<RawTurn, (...given: never[]) => unknown>;
  const upstream = await startUpstream((request, response) => void begun(response, request));
  const { url, lines, close } = await startGatewayTo({ baseUrl: () => `${upstream.url}/v1` }, {}, [ECHO_HANDLER]);
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] });
  const answer = await fetch(url + CHAT, { method: 'POST', body });
  const closed = close();
  const text = await answer.text();
  await closed;
  expect(text).toContain('Once');
  expect(text).toContain('The gateway is shutting down.');
  expect(lines).toContainEqual(expect.objectContaining({ underWay: 1, level: 'info' }));
});
