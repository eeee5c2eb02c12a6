import { expect, it } from 'vitest';
import { startServer } from '../security/network/server.ts';
import { ask, chunksOf, clientOf, textOf } from './asking.ts';

it('a model may think longer than idle connections are kept, on a reused connection', async () => {
  let requests = 0;
  const server = await startServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    requests += 1;
    setTimeout(() => response.end('data: 2\n\n'), requests === 1 ? 0 : 7000);
  });
  const client = clientOf({ baseUrl: `http://${server.authority}` });
  for (let round = 0; round < 2; round += 1)
    expect(await textOf(await chunksOf(ask(client, { stream: true })))).toBe('data: 1\n\ndata: 2\n\n');
  expect([requests, server.connections()]).toEqual([2, 1]);
});
