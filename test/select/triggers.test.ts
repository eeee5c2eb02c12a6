import { describe, expect, it } from 'vitest';
import {
  compareNewest,
  createTriggerIndex,
  type TriggerIndex,
} from '../../packages/skillwright/src/select/triggers/triggers.ts';
import { contextTexts, type TriggerContext } from '../../packages/skillwright/src/select/triggers/trigger-context.ts';
import { wordsOf } from '../../packages/skillwright/src/select/triggers/trigger-score.ts';
import type { SkillMetadata } from '../../packages/skillwright/src/index.ts';
import { proves } from '../proves.ts';
import { sampleSkill } from '../support/sample-metadata.ts';

const recovery = sampleSkill('tool_call_error_recovery', {
  description: 'Provides guidance and few-shot examples for recovering from tool-call errors.',
  version: '1.0.0',
  triggers: ['tool_call_error', 'missing_parameter', 'invalid_tool_call'],
  tags: ['error-handling', 'tool-call', 'filesystem', 'recovery'],
});

function indexOf(skills: readonly SkillMetadata[]): TriggerIndex {
  const byName = new Map(skills.map((skill) => [skill.name.replaceAll('_', '-'), skill]));
  return createTriggerIndex(skills, {
    rank: () => [],
    find: (name) => byName.get(name.replaceAll('_', '-')),
  });
}

const namesOf = (skills: readonly SkillMetadata[], trigger: string, context?: TriggerContext): string[] =>
  indexOf(skills)
    .find(trigger, context)
    .map(({ name }) => name);

describe('a trigger', () => {
  it('finds the skills that declare it, in any spelling, and no others', () => {
    proves('S3.index.by-trigger', 'S3.find.lookup', 'S3.fm.triggers-custom');
    const index = indexOf([recovery, sampleSkill('other', { triggers: ['turn_start'] }), sampleSkill('plain')]);
    for (const spelling of ['tool_call_error', 'tool-call-error', ' Tool_Call_Error '])
      expect(index.find(spelling).map(({ name }) => name)).toEqual(['tool_call_error_recovery']);
    expect(index.find('missing-parameter')).toHaveLength(1);
    expect(index.find('unheard_of')).toEqual([]);
    expect(index.declaring('turn-start').map(({ name }) => name)).toEqual(['other']);
    expect(index.triggers).toEqual(['invalid_tool_call', 'missing_parameter', 'tool_call_error', 'turn_start']);
  });

  it('scores tags against the tool name, so that filesystem matches FileSystemTool_list_files', () => {
    proves('S3.find.score', 'S3.trigger.tool_call_error');
    const general = sampleSkill('a_general', { triggers: ['tool_call_error'], tags: ['database'], version: '9.0.0' });
    const context = { toolName: 'FileSystemTool_list_files', error: 'path is required', toolCall: {}, turnIndex: 2 };
    const [first, second] = indexOf([general, recovery]).find('tool_call_error', context);
    expect(first).toMatchObject({ name: 'tool_call_error_recovery', tags: recovery.tags });
    expect(first?.reasons).toContain("tag 'filesystem' is in toolName");
    expect(first?.score).toBeGreaterThan(second?.score ?? Infinity);
    expect(second?.reasons).toEqual(["declares the trigger 'tool_call_error'"]);
  });

  it('scores tags and words against the error, whether it is text, an Error or an object', () => {
    const sql = sampleSkill('sql-errors', { triggers: ['tool_call_error'], tags: ['sqlite'] });
    const net = sampleSkill('net-errors', { triggers: ['tool_call_error'], tags: ['timeout'] });
    for (const error of [
      'SQLITE_BUSY: database is locked',
      new Error('sqlite is busy'),
      { cause: { message: 'sqlite is busy' } },
    ])
      expect(namesOf([net, sql], 'tool_call_error', { toolName: 'query', error })[0]).toBe('sql-errors');
  });

  it('with a custom name is scored by tags, fields and text', () => {
    const french = sampleSkill('french', { triggers: ['review_requested'], tags: ['fr'] });
    const german = sampleSkill('german', { triggers: ['review-requested'], description: 'Reviews texts in German.' });
    expect(namesOf([french, german], 'review_requested', { language: 'German' })).toEqual(['german', 'french']);
    expect(namesOf([french, german], 'review_requested', { locale: 'fr' })).toEqual(['french', 'german']);
  });

  it('prefers the newest version among equals, then goes by name, whatever the order of the skills', () => {
    proves('S3.find.sorted');
    const make = (name: string, version?: string): SkillMetadata =>
      sampleSkill(name, {
        triggers: ['turn_start'],
        description: 'Same.',
        ...(version === undefined ? {} : { version }),
      });
    const skills = [make('b', '1.2.0'), make('a', '1.10.0'), make('d'), make('c', '1.10.0'), make('e', '2.0.0-rc.1')];
    const expected = ['e', 'a', 'c', 'b', 'd'];
    expect(namesOf(skills, 'turn_start', { turnIndex: 0 })).toEqual(expected);
    expect(namesOf(skills.toReversed(), 'turn_start', { turnIndex: 0 })).toEqual(expected);
  });

  it('turn_start finds the skills for every turn', () => {
    proves('S3.trigger.turn_start');
    const skill = sampleSkill('remember', { triggers: ['turn_start'] });
    for (const turnIndex of [0, 1, 50])
      expect(namesOf([skill, recovery], 'turn_start', { turnIndex, messages: [] })).toEqual(['remember']);
  });
});

describe('a skill with a thousand tags', () => {
  it('does not win because of their number', () => {
    const tags = wordsOf('path is required file not found bad request missing parameter invalid value type string');
    const stuffed = sampleSkill('stuffed', {
      triggers: ['tool_call_error'],
      tags: [...tags, ...Array.from({ length: 1_000 }, (_, i) => `t${i}`)],
    });
    const [match] = indexOf([stuffed]).find('tool_call_error', { error: tags.join(' ') });
    expect(match?.score).toBeLessThan(20);
  });
});

describe('a context', () => {
  it('may be empty, cyclic, deep, hostile or a megabyte', () => {
    const cyclic: Record<string, unknown> = { toolName: 'read_file' };
    cyclic['self'] = cyclic;
    cyclic['list'] = [cyclic, [cyclic]];
    const throwing = Object.defineProperty({}, 'error', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    });
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const contexts = [
      {},
      cyclic,
      throwing,
      { error: 'path '.repeat(200_000) },
      { error: revoked.proxy },
      { error: '[(*+?' },
    ];
    for (const context of contexts) expect(namesOf([recovery], 'tool_call_error', context)).toHaveLength(1);
  });

  it('is read only up to a limit', () => {
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 10_000; depth += 1) deep = { deep };
    const texts = contextTexts({ deep, wide: Array.from({ length: 10_000 }, (_, index) => `text ${index}`) });
    expect(texts.length).toBeLessThanOrEqual(200);
    expect(contextTexts({ error: 'x'.repeat(1_000_000) })[0]?.text.length).toBe(4_096);
  });
});

describe('ten thousand skills of one trigger', () => {
  it('are all scored, best first', () => {
    const skills = Array.from({ length: 10_000 }, (_, index) =>
      sampleSkill(`skill-${index}`, { triggers: ['tool_call_error'], tags: [`tag${index}`] }),
    );
    const matches = indexOf(skills).find('tool_call_error', { toolName: 'x', error: 'about tag7777' });
    expect(matches).toHaveLength(10_000);
    expect(matches[0]?.name).toBe('skill-7777');
  });
});

describe('of two versions', () => {
  it.each([
    ['2.0.0', '1.9.9'],
    ['1.10.0', '1.9.0'],
    ['1.0.1', '1.0.0'],
    ['1.0.0', '1.0.0-rc.1'],
    ['1.0.0-rc.10', '1.0.0-rc.9'],
    ['1.0.0-rc', '1.0.0-1'],
    ['1.0.0-rc.1', '1.0.0-rc'],
    ['99999999999999999999.0.0', '9999999999999999999.0.0'],
    ['0.0.1', undefined],
    ['0.0.1', 'nonsense'],
  ])('%s is newer than %s', (newer, older) => {
    expect(compareNewest(newer, older)).toBeLessThan(0);
    expect(compareNewest(older, newer)).toBeGreaterThan(0);
    expect(compareNewest(newer, newer)).toBe(0);
  });

  it('neither is newer if only the build differs', () => {
    expect(compareNewest('1.0.0+a', '1.0.0+b')).toBe(0);
  });
});

describe('the texts of a context', () => {
  it('contain no binary data, and do not list its bytes one by one', () => {
    const bytes = Object.assign(new Uint8Array(3), { note: 'listed with the bytes' });
    expect(contextTexts({ error: bytes, toolCall: { data: new DataView(new ArrayBuffer(8)) }, command: 'x' })).toEqual([
      { field: 'command', text: 'x' },
    ]);
  });

  it('are read from a list by index, so that a long list costs no more than its beginning', () => {
    const list = new Proxy(['first', 'second'], {
      ownKeys: () => expect.unreachable(),
    });
    expect(contextTexts({ messages: list }).map(({ text }) => text)).toEqual(['first', 'second']);
    const long = Array.from({ length: 1_000 }, (_, at) => `message ${at}`);
    expect(contextTexts({ messages: long })).toHaveLength(200);
  });
});

describe('the words of a text', () => {
  it.each([
    ['FileSystemTool_list_files', ['file', 'system', 'tool', 'list', 'files']],
    ['HTTPServerName', ['http', 'server', 'name']],
    ['error-handling', ['error', 'handling']],
    ['v2Beta', ['v2', 'beta']],
    ['Überprüfung der Größe', ['überprüfung', 'der', 'größe']],
    ['', []],
    ['!!! 🚀', []],
  ])('in %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});
