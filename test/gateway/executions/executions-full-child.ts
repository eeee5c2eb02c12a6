import { writeSync } from 'node:fs';
import { createGateway } from '../../../packages/gateway/src/app.ts';

// Runs as its own process with little disk space: runs a skill until the space is used up, and prints how it ended.
const gateway = await createGateway({ data: process.argv[2] ?? '', skills: [], logLevel: 'silent' });
const { executor, registry } = gateway;
executor.registerHandler('big', () => ({ text: 'x'.repeat(100_000) }));
await registry.put({ name: 'big', version: '1.0.0', description: 'Big.', kind: 'handler', handler: 'big' });
const ids: string[] = [];
let code = 'none';
for (let run = 0; run < 1_000 && code === 'none'; run += 1) {
  try {
    const { id } = await executor.execute({ skillName: 'big', apiKeyId: null, caller: 'user' });
    ids.push(id);
  } catch (error) {
    code = (error as { readonly code: string }).code;
  }
}
const { total } = await executor.listExecutions({}, { page: 1, limit: 1 });
writeSync(1, JSON.stringify({ code, ids, total }));
process.kill(process.pid, 'SIGKILL');
