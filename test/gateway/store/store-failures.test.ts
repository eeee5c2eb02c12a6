import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../packages/gateway/src/store/open-store.ts';
import { serve } from '../../../packages/gateway/src/serve.ts';
import { makeDataDirectory, openTestStore } from './data-directory.ts';
import { callWith, startRest, type RestGateway } from '../rest/rest-gateway.ts';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('Skipped: only root can mount a small disk and give files to other users.');

const ready = ({ url }: RestGateway) => callWith(url, undefined, 'GET', '/ready');

/** Log lines that say that the database fails or works again. */
const told = ({ lines }: RestGateway): unknown[] =>
  lines
    .filter(({ level, msg }) => level === 'error' || msg === 'the database is available again')
    .map(({ level, code, msg }) => (level === 'error' ? (code ?? msg) : msg));

describe('a database that fails while the gateway runs', () => {
  it('refuses writes while its file is moved away, answers reads, and recovers when the file is back', async () => {
    const data = makeDataDirectory();
    const file = join(data, 'gateway.db');
    const rest = await startRest({ data });
    const manager = await rest.client('manage');
    renameSync(file, join(data, 'elsewhere'));

    const reason = 'The database file was moved or deleted';
    for (let time = 0; time < 2; time += 1) {
      expect(await ready(rest)).toMatchObject({
        status: 503,
        body: { status: 'unavailable', code: 'StoreGone', reason },
      });
      const refused = await manager.call('PUT', '/api/settings', { skillsEnabled: false });
      expect(refused).toMatchObject({ status: 503, body: { code: 'StoreGone' } });
      expect(refused.body['error']).toContain('was deleted or moved away');
    }
    expect(await manager.call('GET', '/api/settings')).toMatchObject({
      status: 200,
      body: { settings: { skillsEnabled: true } },
    });
    expect(JSON.stringify((await ready(rest)).body)).not.toContain(data);
    expect(told(rest)).toEqual(['StoreGone']);

    renameSync(join(data, 'elsewhere'), file);
    expect(await ready(rest)).toMatchObject({ status: 200, body: { status: 'ready' } });
    expect(await manager.call('PUT', '/api/settings', { skillsEnabled: false })).toMatchObject({ status: 200 });
    expect(told(rest)).toEqual(['StoreGone', 'the database is available again']);

    rmSync(file);
    expect(await ready(rest)).toMatchObject({ status: 503, body: { code: 'StoreGone' } });
    expect(told(rest)).toEqual(['StoreGone', 'the database is available again', 'StoreGone']);
  });

  it('reports that it was replaced when another file takes its place', async () => {
    const data = makeDataDirectory();
    const store = await openTestStore(data);
    const file = join(data, 'gateway.db');
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
    await expect(store.check()).rejects.toThrow(/replaced by another file/);
    await expect(store.settings.update({ skillsEnabled: false })).rejects.toMatchObject({ code: 'StoreGone' });
    await expect(store.transaction(async () => {})).rejects.toMatchObject({ code: 'StoreGone' });
  });

  it.skipIf(!isRoot)(
    'is not ready and refuses writes while its disk is full, and recovers when there is room',
    async () => {
      const data = makeDataDirectory();
      onTestFinished(() => void spawnSync('umount', ['-l', data]));
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'tmpfs', data]).status).toBe(0);
      const rest = await startRest({ data });
      const manager = await rest.client('manage');
      expect(await ready(rest)).toMatchObject({ status: 200 });
      spawnSync('dd', ['if=/dev/zero', `of=${join(data, 'big')}`, 'bs=64k']);

      const reason = 'The database cannot grow';
      expect(await ready(rest)).toMatchObject({ status: 503, body: { code: 'StoreFull', reason } });
      const label = 'x'.repeat(20_000);
      const install = { name: 'big', version: '1.0.0', description: 'd', handlerCode: 'echo-handler' };
      const schema = { input: { type: 'object', description: label }, output: {} };
      const answers = new Set<unknown>();
      for (let index = 0; index < 200; index += 1) {
        const { status, body } = await manager.call('POST', '/api/skills/install', {
          ...install,
          schema,
          name: `big-${index}`,
        });
        answers.add(body['code'] ?? status);
      }
      expect(answers).toContain('StoreFull');
      expect(await ready(rest)).toMatchObject({ status: 503 });
      expect(told(rest)).toEqual(['StoreFull']);

      rmSync(join(data, 'big'));
      expect(await ready(rest)).toMatchObject({ status: 200 });
      expect(told(rest)).toEqual(['StoreFull', 'the database is available again']);
    },
  );
});

describe('a data directory', () => {
  it('is refused if every user can write to it', async () => {
    const data = makeDataDirectory();
    chmodSync(data, 0o757);
    await expect(openStore(data, { now: Date.now })).rejects.toMatchObject({
      code: 'DataDirectoryShared',
      data: { path: data },
      message: expect.stringContaining(`chmod o-w ${data}`) as string,
    });
  });

  it('is refused if every user can write to its database', async () => {
    const data = makeDataDirectory();
    const file = join(data, 'gateway.db');
    writeFileSync(file, '');
    chmodSync(file, 0o666);
    await expect(openStore(data, { now: Date.now })).rejects.toMatchObject({ code: 'DataDirectoryShared' });
  });

  it('gets a warning at the start and in the log if a group can write to it', async () => {
    const data = makeDataDirectory();
    chmodSync(data, 0o770);
    const lines: string[] = [];
    const running = await serve({
      env: {},
      home: data,
      cwd: data,
      overrides: { data, port: 0, skills: [] },
      logDestination: { write: (line) => void lines.push(line) },
    });
    await running.close();
    expect(running.warnings).toContainEqual(expect.stringContaining(`chmod g-w ${data}`));
    expect(lines.filter((line) => line.includes('chmod g-w'))).toHaveLength(1);
  });

  it('gets one warning for each parent directory that every user can write to', async () => {
    const open = makeDataDirectory();
    chmodSync(open, 0o777);
    const [data, link] = [join(open, 'a', 'data'), join(makeDataDirectory(), 'link')];
    mkdirSync(data, { recursive: true });
    symlinkSync(data, link);
    for (const directory of [data, link]) {
      const store = await openStore(directory, { now: Date.now });
      await store.close();
      expect(store.warnings).toEqual([expect.stringContaining(`chmod o-w ${open}`)]);
    }
  });

  it('gets a warning if every user can replace a link to it', async () => {
    const open = makeDataDirectory();
    const link = join(open, 'link');
    symlinkSync(makeDataDirectory(), link);
    expect((await openTestStore(link)).warnings).toEqual([]);
    chmodSync(open, 0o777);
    expect((await openTestStore(join(link, 'new'))).warnings).toEqual([expect.stringContaining(`chmod o-w ${open}`)]);
    chmodSync(open, 0o1777);
    expect((await openTestStore(join(link, 'other'))).warnings).toEqual([]);
  });

  it.skipIf(!isRoot)('gets a warning if it belongs to another user', async () => {
    const data = makeDataDirectory();
    chownSync(data, 12345, 12345);
    const { warnings } = await openTestStore(data);
    expect(warnings).toEqual([expect.stringContaining(`${data} belongs to user 12345`)]);
  });
});

describe('a database with a gap in its list of migrations', () => {
  it.each(['= 1', '= (select max(version) from schema_migrations)', '> 0'])(
    'is reported as damaged if the missing version is %s',
    async (condition) => {
      const data = makeDataDirectory();
      await (await openStore(data, { now: Date.now })).close();
      const database = new DatabaseSync(join(data, 'gateway.db'));
      database.exec(`delete from schema_migrations where version ${condition}`);
      database.close();
      await expect(openStore(data, { now: Date.now })).rejects.toMatchObject({
        code: 'StoreCorrupt',
        message: expect.stringMatching(/is damaged: .*migration .*Restore a backup/) as string,
      });
    },
  );
});
