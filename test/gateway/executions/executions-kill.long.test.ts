import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { createGateway } from '../../../packages/gateway/src/app.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

const ROUNDS = process.env['SKILLWRIGHT_FUZZ_RUNS'] === undefined ? 10 : 200;
const HOOKS = new URL('../../package/resolve-source.ts', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('executions-child.ts', import.meta.url));

function makeSkill(): string {
  const directory = makeDataDirectory();
  mkdirSync(join(directory, 'quick', 'scripts'), { recursive: true });
  writeFileSync(join(directory, 'quick', 'SKILL.md'), '---\nname: quick\ndescription: Is quick.\n---\nRun it.\n');
  writeFileSync(join(directory, 'quick', 'scripts', 'quick.sh'), 'echo "$1"\n');
  return directory;
}

/** Starts a gateway that runs skills, kills it at a random moment, and returns what it printed until then. */
async function runAndKill(data: string, skills: string): Promise<{ begun: string[]; ended: Map<string, string> }> {
  const child = spawn(process.execPath, ['--import', HOOKS, PROGRAM, data, skills], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]);
  await delay(Math.random() * 200);
  child.kill('SIGKILL');
  await closed;
  // A line that was cut off does not count.
  const lines = said.join('').split('\n').slice(0, -1);
  expect(lines[0]).toBe('ready');
  const words = lines.map((line) => line.split(' '));
  return {
    begun: words.flatMap(([what, id = '']) => (what === 'begun' ? [id] : [])),
    ended: new Map(words.flatMap(([what, id = '', status = '']) => (what === 'ended' ? [[id, status]] : []))),
  };
}

/** Time for a start of the gateway and some work on a busy machine. */
const ROUND_MS = 60_000;

it(
  `after ${ROUNDS} times kill -9 under load no execution is lost, stuck or duplicated`,
  { timeout: ROUNDS * ROUND_MS },
  async () => {
    const data = makeDataDirectory();
    const skills = makeSkill();
    const begun = new Set<string>();
    const ended = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const known = await runAndKill(data, skills);
      for (const id of known.begun) begun.add(id);
      for (const [id, status] of known.ended) ended.set(id, status);
    }
    await (await createGateway({ data, skills: [], logLevel: 'silent' })).close();
    const database = new DatabaseSync(join(data, 'gateway.db'));
    const rows = database.prepare('select id, status, input, ended_at, duration_ms from skill_executions').all();
    const attempts = database.prepare(
      "select count(*) as count from skill_execution_attempts where status = 'running'",
    );
    expect(attempts.get()).toMatchObject({ count: 0 });
    expect(database.prepare('pragma integrity_check').get()).toMatchObject({ integrity_check: 'ok' });
    database.close();
    const byId = new Map(rows.map((row) => [String(row['id']), String(row['status'])]));
    expect(begun.size).toBeGreaterThan(ROUNDS);
    expect([...begun].filter((id) => !byId.has(id))).toEqual([]);
    expect([...ended].filter(([id, status]) => byId.get(id) !== status)).toEqual([]);
    expect(rows.filter((row) => row['ended_at'] === null || row['duration_ms'] === null)).toEqual([]);
    expect([...byId.values()].filter((status) => status === 'pending' || status === 'running')).toEqual([]);
    expect(new Set(rows.map((row) => row['input'])).size).toBe(rows.length);
  },
);
