import { createRegistry } from '../../packages/gateway/src/registry/create-registry.ts';
import type { ExecutionFilter } from '../../packages/gateway/src/store/tables/execution-table.ts';
import type { Store } from '../../packages/gateway/src/store/open-store.ts';

/** An operation to time, and its limit. */
export interface Scenario {
  readonly name: string;
  readonly unit: 'ms' | 'µs';
  readonly limit: number;
  readonly run: () => Promise<unknown>;
}

const KEYS = 20;
const SKILLS = 50;
const STATUSES = ['success', 'success', 'success', 'error', 'timeout', 'cancelled'] as const;
const STEP = 1_000;

/** Executions of many keys and skills, with every outcome. */
export async function fillExecutions(store: Store, count: number): Promise<void> {
  for (let start = 0; start < count; start += STEP)
    await store.transaction(async ({ executions }) => {
      for (let index = start; index < Math.min(start + STEP, count); index += 1) {
        const id = `execution-${index}`;
        const skillName = `skill-${index % SKILLS}`;
        await executions.add({
          id,
          skillId: skillName,
          skillName,
          version: '1.0.0',
          apiKeyId: `key-${index % KEYS}`,
          sessionId: null,
          input: { text: 'x'.repeat(200) },
          createdAt: index,
        });
        const status = STATUSES[index % STATUSES.length] ?? 'success';
        await executions.finish(id, { status, durationMs: 5, endedAt: index + 5, output: { text: 'y'.repeat(500) } });
      }
    });
  await store.maintain();
}

/** Lists with every combination of filters, on the first page and on a late one. */
export function listScenarios(store: Store): Scenario[] {
  const filters: readonly (readonly [name: string, filter: ExecutionFilter])[] = [
    ['all', {}],
    ['by status', { status: 'success' }],
    ['by key', { apiKeyId: 'key-3' }],
    ['by skill', { skill: 'skill-3' }],
    ['by key and status', { apiKeyId: 'key-3', status: 'success' }],
    ['by skill and status', { skill: 'skill-3', status: 'success' }],
    ['by key and skill', { apiKeyId: 'key-3', skill: 'skill-3' }],
    ['by key, skill and status', { apiKeyId: 'key-3', skill: 'skill-3', status: 'error' }],
    ['none fits', { status: 'running' }],
  ];
  return filters.flatMap(([name, filter]): Scenario[] =>
    [1, 900].map((page) => ({
      name: `list ${name}, page ${page}`,
      unit: 'ms',
      limit: 20,
      run: () => store.executions.list(filter, { page, limit: 50 }),
    })),
  );
}

/** Reads of a registry with a thousand skills of three versions each. */
export async function registryScenarios(store: Store): Promise<Scenario[]> {
  await store.transaction(async ({ skills }) => {
    for (let index = 0; index < 3_000; index += 1)
      await skills.add({
        id: `skill-${index}`,
        name: `skill-${index % 1_000}`,
        version: `${Math.floor(index / 1_000) + 1}.0.0`,
        description: 'A skill of the benchmark.',
        apiKeyId: null,
        kind: 'handler',
        handler: 'echo-handler',
        schema: '{"input":{},"output":{}}',
        mode: 'auto',
        policy: 'auto',
        tags: '[]',
        installCount: 0,
        sourceProvider: 'local',
        sourceUrl: null,
        digest: null,
        timeoutMs: null,
        retries: null,
        operatorSet: '[]',
        missingSince: null,
        createdAt: index,
        updatedAt: index,
      });
  });
  const registry = await createRegistry({ store, now: Date.now, onError: console.error });
  const cached = { unit: 'µs', limit: 50 } as const;
  return [
    { ...cached, name: 'registry: get', run: () => registry.get('skill-500') },
    {
      ...cached,
      name: 'registry: resolve a range',
      run: () => registry.resolveVersion('skill-500', '^2.0.0', 'key-3'),
    },
    { ...cached, name: 'registry: versions', run: () => registry.getSkillVersions('skill-500') },
    { name: 'registry: load', unit: 'ms', limit: 250, run: () => registry.loadFromDatabase() },
  ];
}
