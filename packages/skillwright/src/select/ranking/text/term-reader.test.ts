import { describe, expect, it } from 'vitest';
import { termsOfChunk } from './term-reader.ts';
import { splitScope } from './scope.ts';
import { stemWord } from './words.ts';

describe('termsOfChunk', () => {
  it.each<[string, string[]]>([
    ['tables', ['tabl']],
    ['the', []],
    ['x', []],
    ['7', ['7']],
    ['toolCall', ['toolcall', 'tool', 'call']],
    ['tool_call', ['toolcall', 'tool', 'call']],
    ['tool-call', ['toolcall', 'tool', 'call']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['TypeScript', ['typescript', 'type', 'script']],
    ['tools.json', ['toolsjson', 'tool', 'json']],
    ['artículos', ['articulo']],
    ['.NET', ['dotnet']],
    ['C#', ['csharp']],
    ['c++', ['cpp']],
    ['发票', ['发票']],
    ['__proto__', ['proto']],
  ])('turns %j into %j', (chunk, terms) => {
    expect(termsOfChunk(chunk)).toEqual(terms);
  });

  it('returns nothing for data', () => {
    expect(termsOfChunk('A'.repeat(100))).toEqual([]);
  });
});

describe('stems', () => {
  it.each([
    ['migrating', 'migrates'],
    ['running', 'runs'],
    ['queries', 'query'],
    ['caches', 'cache'],
    ['deployed', 'deploying'],
    ['boxes', 'box'],
  ])('are the same for %s and %s', (one, other) => {
    expect(stemWord(one)).toBe(stemWord(other));
  });

  it.each(['class', 'status', 'spring', 'feed', 'ids', 'k8s'])('leave %s unchanged', (word) => {
    expect(stemWord(word)).toBe(word);
  });
});

describe('splitting off what a skill is not for', () => {
  it.each([
    ['Deploys. Do not use for rollbacks. Fast.', 'rollbacks', 'Fast'],
    ['Deploys. NOT for local builds; see docs.', 'local builds', 'see docs'],
    ["Deploys. Don't use this skill when tests fail. Fast.", 'tests fail', 'Fast'],
    ['Deploys. Never trigger for questions (ask-me). Fast.', 'questions', 'Fast'],
  ])('removes it from %j', (text, excluded, kept) => {
    const scope = splitScope(text);
    expect(scope.excluded).toContain(excluded);
    expect(scope.excluded).not.toContain('ask-me');
    expect(scope.included).not.toContain(excluded);
    expect(scope.included).toContain(kept);
  });

  it('stops at an unclosed bracket, and does not search the text after the bracket again', () => {
    expect(splitScope(`Not for tables${'['.repeat(7_900)}`).excluded.trim()).toBe('tables');
    expect(splitScope('Not for tables, use [[other-skill]] then.').excluded).toBe(' tables, use   then');
  });

  it('removes nothing from a text that only says what not to do', () => {
    const text = 'Do not use tabs. The build does not fail. Never delete files.';
    expect(splitScope(text)).toEqual({ included: text, excluded: '' });
  });
});
