// Our gateway as `skillwright serve` starts it, with limits raised for a benchmark.
import { mkdirSync } from 'node:fs';
import { serve } from '@skillwright/gateway';

const [, , directory = '', upstreamPort = '', skills = ''] = process.argv;
const most = 1_000_000_000;
mkdirSync(directory, { recursive: true });
const running = await serve({
  cwd: directory,
  env: {},
  overrides: {
    port: 0,
    data: `${directory}/data`,
    skills: [skills],
    upstreams: [
      {
        id: 'bench',
        format: 'openai-chat',
        baseUrl: `http://127.0.0.1:${upstreamPort}/v1`,
      },
    ],
    limits: { requestsPerMinute: most, concurrentRequests: most },
  },
});
const { secret } = await running.gateway.keys.create({ name: 'bench', scopes: ['proxy'] });
process.send?.({ kind: 'listening', value: { port: Number(new URL(running.url).port), key: secret } });
