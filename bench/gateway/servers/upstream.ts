// A provider that always sends the same response at once, to cost as little as possible.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const FRAMES = 20;
/** Streams of the model `held` end when this many are open at once, or after this time. */
const HELD = 1_000;
const HELD_MS = 30_000;

const WORDS = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
const BASE = { id: 'chatcmpl-bench', created: 1_767_225_600, model: 'bench' };
const USAGE = { prompt_tokens: 500, completion_tokens: 200, total_tokens: 700 };
const WHOLE = Buffer.from(
  JSON.stringify({
    ...BASE,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: WORDS }, finish_reason: 'stop' }],
    usage: USAGE,
  }),
);
const FRAME = frame({ index: 0, delta: { role: 'assistant', content: WORDS.slice(0, 45) }, finish_reason: null });
const LAST = Buffer.concat([frame({ index: 0, delta: {}, finish_reason: 'stop' }), Buffer.from('data: [DONE]\n\n')]);

function frame(choice: object): Buffer {
  const chunk = { ...BASE, object: 'chat.completion.chunk', choices: [choice] };
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}

let underWay = 0;
let most = 0;
const held = new Set<() => void>();

function stream(response: ServerResponse, isHeld: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  const end = (): void => void response.end(LAST);
  const next = (): void => {
    response.write(FRAME);
    sent += 1;
    if (sent < FRAMES) setImmediate(next);
    else if (isHeld) hold(end);
    else end();
  };
  next();
}

function hold(end: () => void): void {
  held.add(end);
  setTimeout(end, HELD_MS).unref();
  if (held.size < HELD) return;
  for (const release of held) release();
  held.clear();
}

const server = createServer((incoming, response) => {
  let body = '';
  underWay += 1;
  most = Math.max(most, underWay);
  response.on('close', () => (underWay -= 1));
  incoming.setEncoding('latin1').on('data', (text: string) => (body += text));
  incoming.on('end', () => {
    if (body.includes('"stream":true')) stream(response, body.includes('"model":"held"'));
    else response.writeHead(200, { 'content-type': 'application/json', 'content-length': WHOLE.length }).end(WHOLE);
  });
});
server.keepAliveTimeout = 120_000;
process.on('message', (message) => {
  const { kind, id } = message as { readonly kind: string; readonly id: number };
  if (kind === 'most') process.send?.({ kind: 'answer', id, value: most });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ kind: 'listening', value: (server.address() as AddressInfo).port });
});
