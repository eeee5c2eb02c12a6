import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  installReverseText,
  startRest,
  type RestClient,
  type RestGateway,
} from '../../../gateway/rest/rest-gateway.ts';
import { repository } from '../cli-runner.ts';

const main = join(repository, 'packages/skillwright/src/cli.ts');

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the program has printed this text. */
  printed(pattern: RegExp): Promise<string>;
  ended(): Promise<number | null>;
}

function start(rest: RestGateway, client: RestClient, ...args: readonly string[]): Running {
  const child = spawn(process.execPath, [main, ...args, '--url', rest.url], {
    env: { PATH: process.env['PATH'] ?? '', SKILLWRIGHT_TOKEN: client.secret },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  const closed = once(child, 'close') as Promise<[number | null]>;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
  return {
    child,
    printed: async (pattern) => {
      while (!pattern.test(text))
        await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), endedEarly()]);
      return text;
      async function endedEarly(): Promise<never> {
        await closed;
        throw new Error(`It ended: ${text}`);
      }
    },
    ended: async () => (await closed)[0],
  };
}

describe.skipIf(process.platform === 'win32')('a command that follows executions', () => {
  it('shows executions as they come until Ctrl-C, and then exits with 0', async () => {
    const rest = await startRest();
    const client = await rest.client('manage', 'execute');
    await installReverseText(client);
    const run = (text: string): Promise<unknown> =>
      client.call('POST', '/api/skills/executions', { skillName: 'reverse-text', input: { text } });
    await run('first');
    const logs = start(rest, client, 'logs', '-f', '--json');
    await logs.printed(/"first"/);
    await run('second');
    const text = await logs.printed(/"second"/);
    logs.child.kill('SIGINT');
    expect(await logs.ended()).toBe(0);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { input: { text: string } });
    expect(lines.map(({ input }) => input.text)).toEqual(['first', 'second']);
  });

  it('cancels the execution it started when it is interrupted', async () => {
    const rest = await startRest();
    const client = await rest.client('manage', 'execute');
    rest.gateway.executor.registerHandler('waits', async (_input, { signal, onOutput }) => {
      onOutput('stdout', 'begun\n');
      await once(signal, 'abort');
      return {};
    });
    await installReverseText(client, { name: 'waits', handlerCode: 'waits', schema: { input: {}, output: {} } });
    const running = start(rest, client, 'executions', 'run', 'waits');
    await running.printed(/begun/);
    running.child.kill('SIGINT');
    expect(await running.ended()).toBe(130);
    expect(await rest.gateway.executor.countExecutions({ status: 'cancelled' })).toBe(1);
  });
});
