// The simplest proxy in Node: pipes both directions without looking at the data.
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, response) => {
  const { method, url, headers } = incoming;
  const sent = request({ host: '127.0.0.1', port, method, path: url, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  incoming.pipe(sent);
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ kind: 'listening', value: (server.address() as AddressInfo).port });
});
