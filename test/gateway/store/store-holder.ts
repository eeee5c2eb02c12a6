import { openStore } from '../../../packages/gateway/src/store/open-store.ts';

// Runs as its own process: opens the store of a directory, prints what it begins, and waits to be killed.
const [directory = ''] = process.argv.slice(2);
const store = await openStore(directory, { now: Date.now });
const execution = { skillId: 's', skillName: 's', version: null, apiKeyId: null, sessionId: null, input: null };
await store.executions.add({ ...execution, id: 'begun', createdAt: 1 });
await store.executions.start('begun', 2, null);
console.log('open');
for (let index = 0; ; index += 1) await store.executions.add({ ...execution, id: `row-${index}`, createdAt: index });
