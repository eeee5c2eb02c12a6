import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { expect, it } from 'vitest';
import { stateOf, type SandboxBench } from './sandbox-setup.ts';
import { REACH_INTO_PROCESSES } from './reaching.ts';

/** Which networks and other processes a program can reach. */
export function describeIsolation({ row, hostRow, node, shell, secret, traits }: SandboxBench): void {
  const connect = (where: string): string =>
    `require('net').connect(${where}).on('connect', () => { console.log('connected'); process.exit() }).on('error', (e) => { console.log(e.code); process.exit() })`;

  it(
    'cannot reach a server on this machine',
    row(['hidesNetwork'], async () => {
      const server = await listen({ port: 0, host: '127.0.0.1' });
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      try {
        expect((await node(connect(`{ port: ${port}, host: '127.0.0.1' }`))).stdout.text).toMatch(/^E\w+\n$/);
        const granted = await node(connect(`{ port: ${port}, host: '127.0.0.1' }`), { launch: { network: true } });
        expect(granted.stdout.text).toBe('connected\n');
      } finally {
        server.close();
      }
    }),
  );

  it(
    'cannot reach an abstract socket',
    row(['hidesNetwork'], async () => {
      const name = `skillwright-${process.pid}`;
      const server = await listen({ path: `\0${name}` });
      try {
        expect((await node(connect(`{ path: '\\0${name}' }`))).stdout.text).toMatch(/^E\w+\n$/);
      } finally {
        server.close();
      }
    }),
  );

  it(
    'cannot reach a name server',
    row(['hidesNetwork'], async () => {
      const asked: string[] = [];
      const server = createSocket('udp4', () => asked.push('asked'));
      server.bind(0, '127.0.0.1');
      await once(server, 'listening');
      const code = `const r = new (require('dns').Resolver)({ timeout: 200, tries: 1 }); r.setServers(['127.0.0.1:${server.address().port}']);
      r.resolve4('example.com', (e) => require('dns').lookup('example.com', (f) => console.log(Boolean(e), Boolean(f))))`;
      try {
        expect((await node(code)).stdout.text).toBe('true true\n');
        expect(asked).toEqual([]);
      } finally {
        server.close();
      }
    }),
  );

  it(
    'has no network device but its own loopback, and no socket to a hypervisor',
    row(['hidesNetwork'], async () => {
      const { stdout } = await shell('tail -n +3 /proc/net/dev | cut -d: -f1');
      expect(stdout.text.trim()).toBe('lo');
      const { stdout: families } = await shell(
        `python3 -c 'import socket\nfor family in (40, 17, 38):\n  try: socket.socket(family, 1 if family != 17 else 3); print("made")\n  except OSError as e: print(e.errno)' || echo 97 97 97`,
      );
      expect(families.text).not.toContain('made');
    }),
  );

  it(
    'sees only its own processes',
    row(['killsTree', 'hidesFiles'], async () => {
      const { stdout } = await shell(`cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'`);
      expect(stdout.text).toContain('/bin/sh');
      expect(stdout.text).not.toMatch(/vitest/);
      expect((await shell('ls -d /proc/[0-9]* | wc -l')).stdout.text.trim()).toMatch(/^[1-5]$/);
    }),
  );

  it(
    'cannot signal or trace processes that are not its own',
    row(['killsTree', 'hidesFiles'], async () => {
      const code = `for (const pid of [${process.pid}, ${process.ppid}, 1]) try { process.kill(pid, pid === 1 ? 'SIGSTOP' : 'SIGTERM'); console.log('sent to', pid) } catch (e) { console.log(e.code) }
      for (const root of ['/proc/1/root', '/proc/1/cwd', '/proc/self/root']) try { require('fs').readFileSync(root + ${JSON.stringify(secret)}); console.log('read by', root) } catch (e) { console.log(e.code) }`;
      const { stdout } = await node(code);
      expect(stdout.text).not.toMatch(new RegExp(`sent to (?:${process.pid}|${process.ppid})`));
      expect(stdout.text).not.toContain('read by');
      expect(stateOf(process.pid)?.state).not.toBe('T');
    }),
  );

  it(
    'cannot reach into the first process of its sandbox, which ends it',
    hostRow(['killsTree', 'hidesFiles'], traits.endedFromOutside, async () => {
      const files = ['mem', 'maps', 'environ', 'root', 'fd', 'task/1/mem'];
      const code = files.map((file) => `head -c 1 /proc/1/${file} >/dev/null 2>&1 && echo ${file}`);
      const { stdout } = await shell(
        [...code, '(: >> /proc/1/mem) 2>/dev/null && echo written', 'echo tried'].join('\n'),
      );
      expect(stdout.text).toBe('tried\n');
      expect((await shell(REACH_INTO_PROCESSES)).stdout.text).toMatch(/^(?:refused\n|no python)/);
    }),
  );

  it(
    'cannot mount, remount or create namespaces',
    row(['hidesFiles'], async () => {
      const commands = [
        'unshare --user true',
        'unshare --user --map-root-user --mount true',
        'unshare --mount true',
        'unshare --net true',
        'mount -t tmpfs none /tmp',
        'mount -o remount,rw /usr',
        'mount -o remount,rw /',
        'umount /proc',
        'nsenter -t 1 -m true',
        'chroot / true',
      ];
      const { stdout } = await shell(
        commands.map((command) => `${command} 2>/dev/null && echo "${command}"`).join('\n'),
      );
      expect(stdout.text).toBe('');
    }),
  );
}

async function listen(where: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}).end());
  server.listen(where);
  await once(server, 'listening');
  return server;
}
