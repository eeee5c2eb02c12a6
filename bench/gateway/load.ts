// The process that sends requests, with a given concurrency and a kept connection for each request in progress.
import { Agent, type IncomingMessage, request } from 'node:http';
import { quantile } from '../statistics.ts';
import type { LoadResult, LoadTask } from './load-task.ts';

interface Tally {
  readonly totals: number[];
  readonly firsts: number[];
  failed: number;
  firstFailure: string | null;
  injected: number;
  bytes: number;
  pieces: number;
}

process.on('message', (message) => {
  const { kind, id, value } = message as { readonly kind: string; readonly id: number; readonly value: LoadTask };
  if (kind === 'load') void send(value).then((result) => process.send?.({ kind: 'answer', id, value: result }));
});
process.send?.({ kind: 'ready' });

async function send(task: LoadTask): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: task.connections });
  const tally: Tally = { totals: [], firsts: [], failed: 0, firstFailure: null, injected: 0, bytes: 0, pieces: 0 };
  const startedAt = performance.now();
  const until = startedAt + (task.ms ?? Infinity);
  let left = task.count ?? Infinity;
  const lane = async (): Promise<void> => {
    while (left > 0 && performance.now() < until) {
      left -= 1;
      await once(task, agent, tally);
    }
  };
  await Promise.all(Array.from({ length: task.connections }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  const { totals, firsts, ...counts } = tally;
  const [p50Ms, p99Ms, firstByteMs] = [quantile(totals, 0.5), quantile(totals, 0.99), quantile(firsts, 0.5)];
  return { requests: totals.length, ...counts, seconds, p50Ms, p99Ms, firstByteMs };
}

function once({ url, headers, body }: LoadTask, agent: Agent, tally: Tally): Promise<void> {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    let isOver = false;
    const end = (failure?: string): void => {
      if (isOver) return;
      isOver = true;
      if (failure === undefined) tally.totals.push(performance.now() - startedAt);
      else {
        tally.failed += 1;
        tally.firstFailure ??= failure;
      }
      resolve();
    };
    const onResponse = (response: IncomingMessage): void => {
      if (response.headers['x-skillwright-injected'] !== undefined) tally.injected += 1;
      response.once('data', () => tally.firsts.push(performance.now() - startedAt));
      response.on('data', (chunk: Buffer) => {
        tally.bytes += chunk.length;
        tally.pieces += 1;
      });
      response.on('end', () => end(response.statusCode === 200 ? undefined : `status ${response.statusCode}`));
      response.on('error', (error) => end(error.message));
    };
    const sent = request(url, { method: 'POST', agent, headers }, onResponse);
    sent.on('error', (error) => end(error.message));
    sent.end(body);
  });
}
