import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createGateway } from '../../../packages/gateway/src/app.ts';

// Runs as its own process: runs skills without a pause, prints each one's progress, and waits to be killed.
const [data = '', skills = ''] = process.argv.slice(2);
const env = { PATH: process.env['PATH'] };
const gateway = await createGateway({ data, skills: [skills], logLevel: 'silent' }, { env });
const { executor, registry } = gateway;
executor.registerHandler(
  'work',
  async () => {
    await delay(Math.random() * 10);
    if (Math.random() < 0.3) throw new RangeError('Bad luck.');
    return { done: true };
  },
  { idempotent: true },
);
await registry.put({
  name: 'work',
  version: '1.0.0',
  description: 'Works.',
  kind: 'handler',
  handler: 'work',
  retries: 1,
});

const say = (line: string): void => void writeSync(1, `${line}\n`);

async function runForever(skillName: string, input: () => Record<string, unknown>): Promise<never> {
  for (;;) {
    const { id } = await executor.start({ skillName, apiKeyId: 'key-1', caller: 'user', input: input() });
    say(`begun ${id}`);
    for await (const event of executor.watch(id, new AbortController().signal))
      if (event.type === 'status' && event.execution.endedAt !== null) say(`ended ${id} ${event.execution.status}`);
  }
}

say('ready');
await Promise.all([
  ...Array.from({ length: 8 }, () => runForever('work', () => ({ token: randomUUID() }))),
  runForever('quick', () => ({ script: 'scripts/quick.sh', args: [randomUUID()] })),
]);
