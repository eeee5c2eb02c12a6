import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createSkillTree } from '../../support/skill-tree.ts';

const source = (path: string): string => JSON.stringify(new URL(`../../../${path}`, import.meta.url).href);
const names = new URL('../../package/resolve-source.ts', import.meta.url).href;

const PROGRAM = `
import { closeDatabase, openDatabase } from ${source('packages/gateway/src/store/sqlite/open-database.ts')};
const [file] = process.argv.slice(1);
process.emitWarning('before', 'ExperimentalWarning');
const database = openDatabase(file);
process.emitWarning('meanwhile', 'ExperimentalWarning');
closeDatabase(database, file);
setTimeout(() => process.emitWarning('after', 'ExperimentalWarning'), 10);
`;

describe('the gateway’s database', () => {
  it('opens without a warning about SQLite, and every other warning is printed once', () => {
    const file = createSkillTree().path('data', 'gateway.db');
    const args = ['--import', names, '--input-type=module', '--eval', PROGRAM, file];
    const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const warnings = [...stderr.matchAll(/ExperimentalWarning: (.*)$/gm)].map(([, text]) => text);
    expect([warnings, status]).toEqual([['before', 'meanwhile', 'after'], 0]);
  });
});
