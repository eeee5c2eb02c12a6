import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  createMemorySource,
  SkillInvocationError,
  SkillLoader,
  SkillwrightError,
  type SkillLoaderOptions,
  type SkillwrightEvent,
  type TriggerContext,
} from '../../../packages/skillwright/src/index.ts';
import { createRuntime } from '../../../packages/skillwright/src/host.ts';
import { proves } from '../../proves.ts';
import { createRecordingLogger } from '../../support/recording-logger.ts';
import { settleFiles } from '../../support/settled-clock.ts';
import { createSkillTree, goodSkill, skillText, type SkillTree, type TreeFiles } from '../../support/skill-tree.ts';

const RECOVERY = `---
name: tool_call_error_recovery
description: Provides guidance and few-shot examples for recovering from tool-call errors.
version: 1.0.0
author: Adam (Architect)
created: 2025-12-30
last_updated: 2025-12-30
dependencies: []
triggers:
  - tool_call_error
  - missing_parameter
  - invalid_tool_call
tags:
  - error-handling
  - tool-call
  - filesystem
  - recovery
---

## Purpose

This skill helps Orion recover.
`;
const SCAFFOLDING = skillText({
  name: 'file_scaffolding',
  description: 'Creates new Vue components with imports, template, script and style.',
  triggers: '[task_match, explicit_command]',
  tags: '[vue, component]',
});
const FILES: TreeFiles = {
  'skills/tool_call_error_recovery/SKILL.md': RECOVERY,
  'skills/tool_call_error_recovery/scripts/check.mjs': 'console.log("checked");\n',
  'skills/tool_call_error_recovery/references/tools.md': '# Tools\n',
  'skills/file_scaffolding/SKILL.md': SCAFFOLDING,
  'skills/database_query/SKILL.md': skillText({
    name: 'database_query',
    description: 'Builds SQL queries for reports from tables of a database.',
    tags: '[sql, query]',
  }),
};

function open(files: TreeFiles = FILES, options: SkillLoaderOptions = {}): { tree: SkillTree; loader: SkillLoader } {
  const tree = createSkillTree(files);
  return { tree, loader: new SkillLoader({ cwd: tree.root, ...options }) };
}

const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    if (SkillwrightError.isInstance(error)) return error.code;
    throw error;
  }
  return 'nothing was thrown';
};

describe('indexing', () => {
  it('finds every skill of the directory with name, description, triggers and tags', async () => {
    proves(
      'S3.loader.index-at-startup',
      'S3.loader.indexSkills',
      'S3.dir.structure',
      'S3.fm.fields',
      'S3.fm.name-underscore',
    );
    const tree = createSkillTree(FILES);
    const loader = new SkillLoader(tree.path('skills'));
    const skills = await loader.indexSkills();
    expect(skills.map(({ name }) => name)).toEqual(['database_query', 'file_scaffolding', 'tool_call_error_recovery']);
    expect(skills[2]).toMatchObject({
      version: '1.0.0',
      author: 'Adam (Architect)',
      created: '2025-12-30',
      lastUpdated: '2025-12-30',
      triggers: ['tool_call_error', 'missing_parameter', 'invalid_tool_call'],
      tags: ['error-handling', 'tool-call', 'filesystem', 'recovery'],
    });
  });

  it('searches backend/skills and skills by default, and neither is required', async () => {
    proves('S3.loader.constructor');
    const files = { 'backend/skills/one/SKILL.md': goodSkill('one'), 'skills/two/SKILL.md': goodSkill('two') };
    expect((await open(files).loader.indexSkills()).map(({ name }) => name)).toEqual(['one', 'two']);
    const log = createRecordingLogger();
    const { loader } = open({ 'backend/skills/one/SKILL.md': goodSkill('one') }, { logger: log.logger });
    expect(await loader.indexSkills()).toHaveLength(1);
    expect(log.lines('warn')).toEqual([]);
  });

  it('accepts several directories, the first of which has precedence', async () => {
    const tree = createSkillTree({
      'mine/report/SKILL.md': goodSkill('report', 'Mine.'),
      'theirs/report/SKILL.md': goodSkill('report', 'Theirs.'),
      'theirs/other/SKILL.md': goodSkill('other'),
    });
    const loader = new SkillLoader([tree.path('mine'), tree.path('theirs')]);
    const skills = await loader.indexSkills();
    expect(skills.map(({ name, description }) => [name, description])).toEqual([
      ['report', 'Mine.'],
      ['other', expect.any(String)],
    ]);
  });

  it('reads frontmatter but no body, and happens by itself at the first use', async () => {
    proves('S3.index.frontmatter-only', 'S3.load.lazy');
    const events: SkillwrightEvent[] = [];
    const { loader } = open(FILES, { onEvent: (event) => events.push(event) });
    await loader.findSkills('tool_call_error', { toolName: 'x', error: 'y' });
    await loader.findSkills('task_match', { taskDescription: 'build sql queries for reports' });
    loader.getAllSkillMetadata();
    expect(events.filter(({ type }) => type === 'discovery-end')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'skill-load')).toEqual([]);
    await loader.loadSkill('database_query');
    expect(events.filter(({ type }) => type === 'skill-load')).toMatchObject([{ skill: 'database_query' }]);
  });

  it('finds a new directory when repeated, without any code', async () => {
    proves('S3.ext.no-code');
    const { tree, loader } = open();
    expect(await loader.findSkills('deploy_failed')).toEqual([]);
    tree.write({
      'skills/rollback/SKILL.md': skillText({
        name: 'rollback',
        description: 'Rolls back.',
        triggers: 'deploy_failed',
      }),
    });
    await loader.indexSkills();
    expect((await loader.findSkills('deploy_failed')).map(({ name }) => name)).toEqual(['rollback']);
  });

  it('saves the index in an index cache if configured', async () => {
    settleFiles();
    const tree = createSkillTree(FILES);
    const options = { skillsDir: tree.path('skills'), indexCache: tree.path('skills.idx') };
    const skills = await new SkillLoader(options).indexSkills();
    expect(readFileSync(options.indexCache, 'latin1')).toContain('file_scaffolding');
    expect(await new SkillLoader(options).indexSkills()).toEqual(skills);
    expect(
      await codeOf(() => new SkillLoader({ catalog: createRuntime({ sources: [] }).catalog, indexCache: true })),
    ).toBe('InvalidOptions');
  });

  it('returns all metadata at once, for programs and people', () => {
    proves('S3.loader.getAllSkillMetadata');
    const { loader } = open();
    expect(loader.getAllSkillMetadata().map(({ name }) => name)).toHaveLength(3);
    expect(loader.getTriggers()).toContain('missing_parameter');
  });
});

describe('finding', () => {
  it('returns the recovery skill for a tool that failed because of a missing parameter', async () => {
    proves('S3.loader.findSkills', 'S3.trigger.tool_call_error', 'S3.find.score', 'S3.find.sorted');
    const { loader } = open();
    const found = await loader.findSkills('tool_call_error', {
      toolName: 'FileSystemTool_list_files',
      error: 'path is required',
      toolCall: { id: 'c1', function: { name: 'FileSystemTool_list_files', arguments: '{}' } },
      turnIndex: 0,
    });
    expect(found).toMatchObject([{ name: 'tool_call_error_recovery', version: '1.0.0' }]);
    expect(found[0]?.reasons).toContain("tag 'filesystem' is in toolName");
  });

  it('returns the ranked skills for a task, and none for a task that fits none', async () => {
    proves('S3.trigger.task_match');
    const { loader } = open();
    const find = async (taskDescription: string): Promise<string[]> =>
      (await loader.findSkills('task_match', { taskDescription, projectId: 'p' })).map(({ name }) => name);
    expect((await find('create a new vue component with a template'))[0]).toBe('file_scaffolding');
    expect((await find('write sql queries for the database tables'))[0]).toBe('database_query');
    expect(await find('recover from the tool call error in the filesystem')).not.toContain('tool_call_error_recovery');
    expect(await find('zzz qqq')).toEqual([]);
    expect(await find('')).toEqual([]);
  });

  it('returns the skill that the user names, with its arguments', async () => {
    proves('S3.trigger.explicit_command', 'S3.trigger.explicit-hyphen');
    const { loader } = open();
    const commands = [
      'use the file-scaffolding skill',
      'file_scaffolding',
      '/file-scaffolding Button',
      '$file_scaffolding',
    ];
    for (const command of commands)
      expect(await loader.findSkills('explicit_command', { command })).toMatchObject([{ name: 'file_scaffolding' }]);
    const [asked] = await loader.findSkills('explicit_command', { command: '/file-scaffolding Button --ts' });
    expect(asked).toMatchObject({ commandArguments: 'Button --ts' });
    const [given] = await loader.findSkills('explicit_command', { command: 'file_scaffolding', arguments: ['a', 'b'] });
    expect(given).toMatchObject({ commandArguments: 'a b' });
    const { baseDir } = loader.getAllSkillMetadata()[0] ?? { baseDir: '' };
    for (const command of ['/usr/bin/env', baseDir, `${baseDir} `])
      expect(await loader.findSkills('explicit_command', { command })).toEqual([]);
  });

  it('reports the selection and its reasons, without the context, which may contain secrets', async () => {
    const events: SkillwrightEvent[] = [];
    const log = createRecordingLogger();
    const { loader } = open(FILES, { onEvent: (event) => events.push(event), logger: log.logger });
    await loader.findSkills('missing_parameter', { token: 'sk-secret' });
    expect(events.at(-1)).toMatchObject({
      type: 'skill-select',
      trigger: 'missing_parameter',
      count: 1,
      matches: [{ skill: 'tool_call_error_recovery', reasons: ["declares the trigger 'missing_parameter'"] }],
    });
    expect(log.lines('debug')).toContain('Skills selected.');
    expect(JSON.stringify([events, log.records])).not.toContain('sk-secret');
  });

  it('survives a listener that throws, and any context', async () => {
    const { loader } = open(FILES, {
      onEvent() {
        throw new Error('no');
      },
    });
    for (const context of [null, 7, 'text', []])
      expect(await loader.findSkills('tool_call_error', context as unknown as TriggerContext)).toHaveLength(1);
  });

  it('accepts a task as text or under a short name, and reports its confidence', async () => {
    const { loader } = open();
    const task = 'create a new vue component with a template';
    const whole = await loader.findSkills('task_match', { taskDescription: task });
    expect(whole[0]).toMatchObject({ name: 'file_scaffolding', confidence: expect.any(Number) as number });
    expect(whole[0]?.confidence).toBeGreaterThan(0);
    expect(whole[0]?.confidence).toBeLessThan(1);
    for (const context of [task, { task }]) expect(await loader.findSkills('task_match', context)).toEqual(whole);
    expect(await loader.findSkills('explicit_command', '/file_scaffolding Button')).toMatchObject([
      { name: 'file_scaffolding', commandArguments: 'Button' },
    ]);
    expect(await loader.findSkills('tool_call_error', 'path is required')).toHaveLength(1);
  });

  it('returns the requested number of skills above the requested threshold', async () => {
    const { loader } = open();
    const task = 'sql queries for vue components';
    const all = await loader.findSkills('task_match', task, { threshold: 0 });
    expect(all.length).toBeGreaterThan(1);
    expect(await loader.findSkills('task_match', task, { threshold: 0, limit: 1 })).toEqual(all.slice(0, 1));
    expect(await loader.findSkills('task_match', task, { threshold: 0.999 })).toEqual([]);
    expect(await loader.findSkills('tool_call_error', {}, { threshold: 2 })).toEqual([]);
    expect(await loader.findSkills('tool_call_error', {}, { limit: 0 })).toEqual([]);
  });

  it.each([
    ['task_match', undefined, undefined],
    ['task_match', {}, undefined],
    ['task_match', { taskDescription: 7 }, undefined],
    ['task-match', { query: 'x' }, undefined],
    ['explicit_command', {}, undefined],
    ['explicit_command', { command: ['/x'] }, undefined],
    ['task_match', 'x', { limit: -1 }],
    ['task_match', 'x', { limit: 1.5 }],
    ['task_match', 'x', { threshold: NaN }],
    ['task_match', 'x', { treshold: 0.1 }],
    ['task_match', 'x', 5],
  ])('rejects %s with %j and %j, and says what is wrong', async (trigger, context, options) => {
    const { loader } = open();
    expect(await codeOf(() => loader.findSkills(trigger, context as never, options as never))).toBe('InvalidOptions');
  });

  it('compares a task with the instructions once they are indexed, and reports skills that are not', async () => {
    const { loader } = open({
      ...FILES,
      'skills/tuner/SKILL.md': skillText({ name: 'tuner', description: 'Tunes instruments.' }, 'Mind the xylophone.'),
    });
    const task = 'tunes a xylophone';
    const [early] = await loader.findSkills('task_match', task, { threshold: 0 });
    expect(early?.reasons.join()).toContain('its instructions are not indexed yet');
    await loader.ready();
    const [late] = await loader.findSkills('task_match', task);
    expect(late?.name).toBe('tuner');
    expect(late?.reasons.join()).toMatch(/its instructions have .*xylophon/);
    expect(late?.reasons.join()).not.toContain('not indexed');
  });

  it('never returns a skill that says it is not for the task', async () => {
    const { loader } = open();
    const names = async (task: string): Promise<string[]> =>
      (await loader.findSkills('task_match', task, { threshold: 0 })).map(({ name }) => name);
    expect((await names('file scaffolding for a vue component'))[0]).toBe('file_scaffolding');
    expect(await names("vue component, but don't use file_scaffolding")).not.toContain('file_scaffolding');
    expect(await names('vue component without the file-scaffolding skill')).not.toContain('file_scaffolding');
  });

  it('reports problems of skills', async () => {
    const { loader } = open({ ...FILES, 'skills/empty/SKILL.md': '' });
    expect(loader.diagnostics.map(({ code }) => code)).toContain('file-empty');
    expect(await loader.indexSkills()).toHaveLength(3);
    expect(loader.diagnostics.map(({ code }) => code)).toContain('file-empty');
  });

  it('rejects an invalid trigger name', async () => {
    const { loader } = open();
    expect(await codeOf(() => loader.findSkills(''))).toBe('InvalidOptions');
    expect(await codeOf(() => loader.findSkills(7 as unknown as string))).toBe('InvalidOptions');
  });
});

describe('a skill that the model may not use, at all or at the moment', () => {
  const trigger = 'tool_call_error';
  const files = {
    'skills/off/SKILL.md': skillText({ name: 'off', description: 'Off.', triggers: trigger, mode: 'off' }),
    'skills/people/SKILL.md': skillText({
      name: 'people',
      description: 'P.',
      triggers: trigger,
      'disable-model-invocation': 'true',
    }),
    'skills/model/SKILL.md': skillText({
      name: 'model',
      description: 'M.',
      triggers: trigger,
      'user-invocable': 'false',
    }),
    'skills/sql/SKILL.md': skillText({ name: 'sql', description: 'S.', triggers: trigger, paths: '"*.sql"' }),
    'skills/needy/SKILL.md': skillText({
      name: 'needy',
      description: 'N.',
      triggers: trigger,
      requires: '{ bins: [no-such-program-anywhere] }',
    }),
  };

  it('is not found', async () => {
    proves('S4.mode.off');
    const { loader } = open(files);
    const names = async (context: TriggerContext): Promise<string[]> =>
      (await loader.findSkills(trigger, context)).map(({ name }) => name);
    expect(await names({})).toEqual(['model']);
    expect((await names({ files: ['db/schema.sql', 7 as unknown as string] })).sort()).toEqual(['model', 'sql']);
    const asked = async (command: string): Promise<number> =>
      (await loader.findSkills('explicit_command', { command })).length;
    expect([await asked('/people'), await asked('/model'), await asked('/off'), await asked('/sql')]).toEqual([
      1, 0, 0, 1,
    ]);
  });

  it('is reported with the reason', async () => {
    const { loader } = open(files);
    const rules = async (name: string): Promise<string[]> =>
      (await loader.explainSkill(name)).reasons.map(({ rule }) => rule);
    expect(await rules('off')).toEqual(['mode-off']);
    expect(await rules('needy')).toEqual(['requires']);
    expect(await rules('sql')).toEqual(['paths']);
    expect(await rules('model')).toEqual([]);
    expect((await loader.explainSkill('needy')).reasons[0]?.sentence).toContain('no-such-program-anywhere');
  });

  it('is not loaded under any name if it is off or excluded', async () => {
    const { loader } = open(files, { exclude: ['sql'] });
    expect(await codeOf(() => loader.loadSkill('off'))).toBe('SkillDisabled');
    expect(await codeOf(() => loader.loadSkill('sql'))).toBe('SkillDisabled');
    expect((await loader.loadSkill('people')).name).toBe('people');
    const enabled = open(files, { modeOf: ({ name }) => (name === 'off' ? 'on' : undefined) });
    expect((await enabled.loader.loadSkill('off')).name).toBe('off');
  });

  it('is excluded by include and exclude, which suggest a correction for a misspelled name', async () => {
    const { loader } = open(files, { include: ['m*', 'sql'], exclude: ['sql'] });
    expect(loader.getAllSkillMetadata().map(({ name }) => name)).toEqual(['model']);
    const misspelt = open(files, { include: ['peopel'] }).loader;
    await expect(misspelt.indexSkills()).rejects.toThrow("Did you mean 'people'?");
  });

  it('is also excluded under the name of a shadowed skill', async () => {
    const twice = { 'skills/report/SKILL.md': goodSkill('report'), 'skills/team/report/SKILL.md': goodSkill('report') };
    const { loader } = open(twice, { exclude: ['report'] });
    expect(await codeOf(() => loader.loadSkill('team:report'))).toBe('SkillDisabled');
    const other = open(twice, { exclude: ['team:report'] }).loader;
    expect((await other.loadSkill('report')).metadata.qualifiedName).toBe('report');
    expect(await codeOf(() => other.loadSkill('team:report'))).toBe('SkillDisabled');
  });

  it('may disappear after it was chosen, without an error', async () => {
    const log = createRecordingLogger();
    const { tree, loader } = open(files, { include: ['people', 'model'], logger: log.logger });
    await loader.indexSkills();
    tree.remove('skills/people');
    expect((await loader.indexSkills()).map(({ name }) => name)).toEqual(['model']);
    expect(log.lines('warn')).toContain('Chosen skills no longer exist.');
  });
});

describe('loading', () => {
  it('returns name, metadata, body and scripts', async () => {
    proves('S3.loader.loadSkill', 'S3.loader.loadSkill-shape', 'S3.body.parts');
    const { loader } = open();
    const skill = await loader.loadSkill('tool-call-error-recovery');
    expect(Object.keys(skill)).toEqual(['name', 'metadata', 'body', 'scripts']);
    expect(skill.name).toBe('tool_call_error_recovery');
    expect(skill.metadata.author).toBe('Adam (Architect)');
    expect(skill.body.trim()).toBe('## Purpose\n\nThis skill helps Orion recover.');
    expect(Object.keys(skill.scripts)).toEqual(['scripts/check.mjs']);
    expect(skill.scripts['scripts/check.mjs']).not.toHaveProperty('text');
  });

  it('also reads the scripts on request, except binary programs', async () => {
    proves('S3.loader.scripts-loaded');
    const { tree, loader } = open();
    writeFileSync(tree.path('skills/tool_call_error_recovery/scripts/blob.sh'), Uint8Array.of(0xff, 0xfe, 0x00));
    const { scripts } = await loader.loadSkill('tool_call_error_recovery', { scripts: true });
    expect(scripts['scripts/check.mjs']?.text).toBe('console.log("checked");\n');
    expect(scripts['scripts/blob.sh']).toMatchObject({ bytes: 3 });
    expect(scripts['scripts/blob.sh']).not.toHaveProperty('text');
  });

  it('returns the same object again without reading the disk', async () => {
    proves('S3.loader.cache', 'S3.load.cached-first');
    const { tree, loader } = open();
    const first = await loader.loadSkill('database_query');
    rmSync(tree.path('skills/database_query'), { recursive: true });
    expect(await loader.loadSkill('database-query')).toBe(first);
    const both = await Promise.all([loader.loadSkill('file_scaffolding'), loader.loadSkill('file-scaffolding')]);
    expect(both[0]).toBe(both[1]);
  });

  it('reads again after the cache was cleared, and after indexing', async () => {
    proves('S3.loader.cache-clear');
    const { tree, loader } = open();
    const before = await loader.loadSkill('file_scaffolding');
    tree.write({ 'skills/file_scaffolding/SKILL.md': `${SCAFFOLDING}Changed.\n` });
    expect(await loader.loadSkill('file_scaffolding')).toBe(before);
    loader.clearCache();
    expect((await loader.loadSkill('file_scaffolding')).body).toContain('Changed.');
    tree.write({ 'skills/file_scaffolding/SKILL.md': `${SCAFFOLDING}Again.\n` });
    await loader.indexSkills();
    expect((await loader.loadSkill('file_scaffolding')).body).toContain('Again.');
  });

  it('is retried after a failure', async () => {
    const { tree, loader } = open();
    await loader.indexSkills();
    tree.remove('skills/file_scaffolding/SKILL.md');
    expect(await codeOf(() => loader.loadSkill('file_scaffolding'))).toBe('FileNotFound');
    tree.write({ 'skills/file_scaffolding/SKILL.md': SCAFFOLDING });
    expect((await loader.loadSkill('file_scaffolding')).name).toBe('file_scaffolding');
  });

  it('in advance keeps the skills even beyond the cache limit', async () => {
    const { tree, loader } = open(FILES, { limits: { bodyCacheBytes: 1 } });
    const [held] = await loader.preloadSkills(['file_scaffolding', 'tool_call_error_recovery']);
    const passing = await loader.loadSkill('database_query');
    tree.remove('skills/file_scaffolding');
    expect(await loader.loadSkill('file_scaffolding')).toBe(held);
    expect(await loader.loadSkill('database_query')).toBe(passing);
  });

  it('keeps no more than the cache limit, and reads the least recently used skill again', async () => {
    const { loader } = open(FILES, { limits: { bodyCacheBytes: 1 } });
    const first = await loader.loadSkill('file_scaffolding');
    await loader.loadSkill('database_query');
    expect(await loader.loadSkill('file_scaffolding')).not.toBe(first);
  });

  it('in advance ignores a skill that does not exist, and reports it', async () => {
    const events: string[] = [];
    const { loader } = open(FILES, { onEvent: ({ type }) => events.push(type) });
    await expect(loader.preloadSkills(['file_scaffolding', 'file_scafolding2'])).rejects.toThrow(SkillInvocationError);
    expect(events).not.toContain('skill-load');
    expect(await codeOf(() => loader.loadSkill('__proto__'))).toBe('SkillNotFound');
    expect(await codeOf(() => loader.preloadSkills('file_scaffolding' as unknown as string[]))).toBe('InvalidOptions');
  });
});

describe('a loader over a shared catalog', () => {
  it('follows its refreshes', async () => {
    const skills = [
      { directory: 'one', files: { 'SKILL.md': skillText({ name: 'one', description: 'O.', triggers: 'ping' }) } },
    ];
    const { catalog } = createRuntime({ sources: [createMemorySource(skills)] });
    const loader = new SkillLoader({ catalog });
    expect(await loader.findSkills('ping')).toHaveLength(1);
    const before = await loader.loadSkill('one');
    skills.push({
      directory: 'two',
      files: { 'SKILL.md': skillText({ name: 'two', description: 'T.', triggers: 'ping' }) },
    });
    await catalog.refresh();
    expect(await loader.findSkills('ping')).toHaveLength(2);
    expect(await loader.loadSkill('one')).not.toBe(before);
  });
});

describe('an option of the loader', () => {
  it.each([
    [{ skillDir: 'x' }, 'skillDir'],
    [{ skillsDir: '' }, 'skillsDir'],
    [{ skillsDir: [] }, 'skillsDir'],
    [{ skillsDir: 'a', projectSkillDir: 'b' }, 'skillsDir'],
    [{ catalog: createRuntime({ sources: [] }).catalog, skillsDir: 'a' }, 'catalog'],
    [{ modeOf: 'on' }, 'modeOf'],
    [{ ranker: 'best' }, 'ranker'],
    [{ include: 'a' }, 'include'],
    [{ exclude: 'a' }, 'exclude'],
    [{ trust: 'much' }, 'trust'],
    [{ onEvent: 7 }, 'onEvent'],
    [{ logger: {} }, 'logger'],
    [{ limits: { maxDepth: -1 } }, 'limits.maxDepth'],
    [7, 'skillsDir'],
    [null, 'skillsDir'],
  ])('such as %j is rejected by name', async (options, option) => {
    const attempt = (): unknown => new SkillLoader(options as SkillLoaderOptions);
    expect(attempt).toThrow(`'${option}'`);
    expect(await codeOf(attempt)).toBe('InvalidOptions');
  });
});
