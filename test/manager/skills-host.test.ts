import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStandardSources } from '../../packages/skillwright/src/index.ts';
import {
  createSchemaCheck,
  createSkillsHost,
  type SkillsHost,
  type SkillsHostOptions,
} from '../../packages/skillwright/src/host.ts';
import { createMemoryRecorder } from '../../packages/skillwright/src/record/memory-recorder.ts';

function makeSkills(): string {
  const directory = mkdtempSync(join(tmpdir(), 'skillwright-host-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  for (const name of ['alpha', 'beta']) {
    mkdirSync(join(directory, name, 'scripts'), { recursive: true });
    writeFileSync(
      join(directory, name, 'SKILL.md'),
      `---\nname: ${name}\ndescription: Prints ${name}.\n---\nRun it.\n`,
    );
    writeFileSync(join(directory, name, 'scripts/run.sh'), `echo ${name}\n`);
  }
  return directory;
}

async function openHost(directory: string, options: Partial<SkillsHostOptions> = {}): Promise<SkillsHost> {
  const host = await createSkillsHost({
    sources: createStandardSources({ projectSkillDir: null, additionalSearchPaths: [directory] }, { trust: 'trusted' }),
    ...options,
  });
  onTestFinished(() => host.close());
  return host;
}

describe('a host of skills', () => {
  it('gets the mode of a skill for each tenant', async () => {
    const host = await openHost(makeSkills(), {
      modeOf: ({ name }, tenant) => (name === 'alpha' && tenant === 'ada' ? 'on' : 'off'),
    });
    const namesFor = (tenant: string): string[] => host.choose({ task: 'x', tenant }).skills.map(({ name }) => name);
    expect(namesFor('ada')).toEqual(['alpha']);
    expect(namesFor('bob')).toEqual([]);
  });

  it('lets its program intercept calls of models before they run', async () => {
    const seen: string[] = [];
    const recorder = createMemoryRecorder();
    const host = await openHost(makeSkills(), {
      recorder,
      wrapRunner: (runner) => ({
        ...runner,
        runScript: (record, script, args, options) => {
          seen.push(`${record.metadata.name}: ${script} for ${String(options?.tenant)}`);
          return runner.runScript(record, script, args, { ...options, executionId: 'chosen-by-the-program' });
        },
      }),
    });
    const hosted = host.open(host.choose({ task: 'x', mode: 'on' }), { id: 's', tenant: 'ada' });
    const call = { name: 'use_skill', arguments: { skill: 'alpha', script: 'scripts/run.sh' } };
    expect((await hosted.execute(call)).text).toContain('alpha');
    expect(seen).toEqual(['alpha: scripts/run.sh for ada']);
    expect(recorder.get('chosen-by-the-program')?.beginning).toMatchObject({ skill: 'alpha' });
  });

  it('identifies the content of a skill by a digest', async () => {
    const directory = makeSkills();
    const host = await openHost(directory);
    const digests = (): Promise<string[]> => Promise.all(host.snapshot.skills.map((skill) => host.digestOf(skill)));
    const [alpha, beta] = await digests();
    expect(alpha).not.toBe(beta);
    writeFileSync(join(directory, 'alpha/scripts/run.sh'), 'echo changed\n');
    await host.refresh();
    const [changed, same] = await digests();
    expect(changed).not.toBe(alpha);
    expect(same).toBe(beta);
  });

  it('keeps its skills up to date while it watches', async () => {
    const directory = makeSkills();
    const host = await openHost(directory);
    const changed = Promise.withResolvers<void>();
    await host.watch(() => changed.resolve());
    rmSync(join(directory, 'beta'), { recursive: true });
    await changed.promise;
    expect(host.snapshot.skills.map(({ name }) => name)).toEqual(['alpha']);
  });
});

describe('the validation of values by schemas', () => {
  const SCHEMA = {
    type: 'object',
    properties: { text: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
    required: ['text'],
  };

  it('reports nothing for valid values, and names invalid ones', () => {
    const check = createSchemaCheck();
    expect(check(SCHEMA, { text: 'a', count: 2 })).toEqual([]);
    expect(check({}, 'anything')).toEqual([]);
    expect(check(SCHEMA, { count: 1.5 })).toEqual(["'text' is missing.", "'count' must be integer."]);
    expect(check({ type: 'string' }, 5)).toEqual(['must be string.']);
  });

  it('reports a schema that cannot be applied', () => {
    expect(createSchemaCheck()({ $ref: '#/nowhere' }, {})[0]).toMatch(/cannot be applied/);
  });
});
