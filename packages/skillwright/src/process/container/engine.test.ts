import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findContainerEngine, type EngineReading } from './engine.ts';
import { createContainerSandbox } from './sandbox.ts';

const DOCKER = '{"ServerVersion":"28.1","MemoryLimit":true,"PidsLimit":true,"CpuCfsQuota":false,"SecurityOptions":[]}';
const PODMAN =
  '{"version":{"Version":"5.4"},"host":{"cgroupControllers":["memory","pids"],"security":{"rootless":true}}}';

/** A PATH with one command for each of these scripts, and the programs that the scripts need. */
function pathWith(scripts: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'skillwright-engine-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(directory, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return directory;
}

const find = (scripts: Readonly<Record<string, string>>, wanted?: 'docker' | 'podman'): Promise<EngineReading> =>
  findContainerEngine(wanted, { PATH: pathWith(scripts) });

describe('findContainerEngine', () => {
  it('finds docker if it answers, otherwise podman', async () => {
    const both = { docker: `echo '${DOCKER}'`, podman: `echo '${PODMAN}'` };
    expect(await find(both)).toMatchObject({ engine: { name: 'docker', version: '28.1', boundsProcessors: false } });
    expect(await find(both, 'podman')).toMatchObject({
      engine: { name: 'podman', rootless: true, boundsMemory: true },
    });
    const dead = { ...both, docker: 'echo "Cannot connect to the Docker daemon" >&2; exit 1' };
    expect(await find(dead)).toMatchObject({ engine: { name: 'podman', version: '5.4' } });
  });

  it('reports that no engine is installed, and how to get one', async () => {
    expect(await find({})).toEqual({
      ok: false,
      reason: 'docker and podman are not on the PATH.',
      remedy: expect.stringContaining('apt install podman') as string,
    });
    expect(await find({ docker: '' }, 'podman')).toMatchObject({ reason: 'podman is not on the PATH.' });
  });

  it.each([
    ['does not run', 'echo "Cannot connect to the daemon" >&2; exit 1', /Cannot connect to the daemon/],
    ['returns nonsense', 'echo hello', /output could not be understood/],
    ['returns an empty object', 'echo "{}"', /output could not be understood/],
    ['responds without a server', `echo '{"ServerVersion":""}'`, /output could not be understood/],
    ['is killed', 'kill -9 $$', /does not answer/],
  ])('reports an engine that %s as unavailable, with the reason', async (_what, script, reason) => {
    expect(await find({ docker: script })).toMatchObject({
      ok: false,
      reason: expect.stringMatching(reason) as string,
    });
  });

  it('passes only its own variables to the engine', async () => {
    const PATH = pathWith({ docker: `echo '${DOCKER}'` });
    const host = { PATH, HOME: '/h', DOCKER_HOST: 'unix:///x', OPENAI_API_KEY: 'secret', LD_PRELOAD: '/evil.so' };
    expect(await findContainerEngine('docker', host)).toMatchObject({
      engine: { env: { PATH, HOME: '/h', DOCKER_HOST: 'unix:///x' } },
    });
  });
});

describe('the container tier', () => {
  const available = `case "$1" in info) echo '${DOCKER}';; ps) ;;`;

  it('is unavailable without an allowed image, and says how to get one', async () => {
    const PATH = pathWith({ docker: `${available} *) exit 1;; esac` });
    const probe = await createContainerSandbox({}, { PATH }).probe();
    expect(probe).toMatchObject({
      available: false,
      reason: expect.stringContaining("'alpine:3.20' is not on this machine") as string,
    });
    const refused = await createContainerSandbox({ image: 'evil' }, { PATH }).probe();
    expect(refused).toMatchObject({ reason: expect.stringContaining("'evil' is not allowed") as string });
  });

  it('fetches an image only if configured', async () => {
    const PATH = pathWith({
      docker: `echo "$@" >> "$HOME/calls"\n${available} image) [ -e "$HOME/pulled" ] && printf 'sha256:1\\n["A=1"]\\n' || exit 1;; pull) touch "$HOME/pulled";; run) echo /bin/sh;; esac`,
    });
    const HOME = pathWith({});
    const environment = { PATH: `${PATH}:/usr/bin:/bin`, HOME };
    expect(await createContainerSandbox({}, environment).probe()).toMatchObject({ available: false });
    const pulling = createContainerSandbox({ pull: 'missing' }, environment);
    expect(await pulling.probe()).toMatchObject({ available: true, detail: 'docker 28.1, alpine:3.20' });
  });

  it('starts no container if the trial run failed', async () => {
    const PATH = pathWith({
      docker: `${available} image) printf 'sha256:1\\n[]\\n';; *) echo "no runtime" >&2; exit 125;; esac`,
    });
    const sandbox = createContainerSandbox({}, { PATH: `${PATH}:/usr/bin:/bin` });
    expect(await sandbox.probe()).toMatchObject({
      available: false,
      reason: expect.stringContaining('no runtime') as string,
    });
    await expect(sandbox.launch({} as never)).rejects.toThrow('no runtime');
    expect(await sandbox.kill('x')).toBe(false);
    expect(await sandbox.killAll()).toBe(0);
  });
});
