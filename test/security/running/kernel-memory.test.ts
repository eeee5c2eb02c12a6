import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { DEFAULT_SANDBOX_LIMITS } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { createBench } from '../../conformance/sandbox/sandbox-setup.ts';

const PYTHON = '/usr/bin/python3';
const noPython = existsSync(PYTHON) ? undefined : `this host has no ${PYTHON}`;

/** Makes one call each that allocates kernel memory, and prints the result. */
const CALLS = `
import ctypes, errno, os, socket, struct
libc = ctypes.CDLL(None, use_errno=True)

def checked(value):
    if value < 0:
        raise OSError(ctypes.get_errno(), '')

def attempt(name, call):
    try:
        call()
        print(name, 'worked')
    except OSError as error:
        print(name, errno.errorcode[error.errno])

def page_of(descriptor):
    target = socket.socketpair()[0]
    return lambda: os.sendfile(target.fileno(), descriptor, 0, 1)

os.close(os.open('file', os.O_WRONLY | os.O_CREAT))
descriptor = os.open('file', os.O_RDWR)
os.write(descriptor, bytes(4096))
reader, writer = os.pipe()
program = ctypes.create_string_buffer(struct.pack('<HBBI', 6, 0, 0, 0x7fff0000))
filter = ctypes.create_string_buffer(struct.pack('<HxxxxxxQ', 1, ctypes.addressof(program)))
rights = struct.pack('<I', 2) + b''.join(
    struct.pack('<HHI', tag, 7, number) for tag, number in [(1, 2**32 - 1), (2, 1000), (4, 2**32 - 1), (16, 2**32 - 1), (32, 2**32 - 1)])
attempt('filter', lambda: checked(libc.prctl(22, 2, filter)))
attempt('futexes', lambda: checked(libc.prctl(78, 1, 16, 0, 0)))
attempt('landlock', lambda: checked(libc.syscall(444, None, 0, 1)))
attempt('sendfile', page_of(descriptor))
attempt('splice', lambda: checked(libc.splice(descriptor, None, writer, None, 1, 0)))
attempt('tee', lambda: checked(libc.tee(reader, os.pipe()[1], 1, 2)))
attempt('rights', lambda: os.setxattr('file', 'system.posix_acl_access', rights))
attempt('aio', lambda: checked(libc.syscall(206 if os.uname().machine == 'x86_64' else 0, 1, ctypes.byref(ctypes.c_ulong(0)))))
attempt('socket filter', lambda: socket.socket().setsockopt(socket.SOL_SOCKET, 26, filter))
attempt('zero copy', lambda: socket.socket().setsockopt(socket.SOL_SOCKET, 60, 1))
`;

/** Copies and sends files like programs that use those calls if available. */
const COPYING = `
import asyncio, os, shutil, socket
with open('from', 'wb') as file: file.write(bytes(300_000))
shutil.copy2('from', 'to')
shutil.copytree('.', '/tmp/tree')
assert os.path.getsize('to') == os.path.getsize('/tmp/tree/to') == 300_000

async def send():
    received = 0
    async def count(reader, writer):
        nonlocal received
        received = len(await reader.read(-1))
        writer.close()
        done.set()
    done = asyncio.Event()
    server = await asyncio.start_server(count, '127.0.0.1', 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    with open('from', 'rb') as file: await asyncio.get_running_loop().sendfile(writer.transport, file)
    writer.close()
    await done.wait()
    assert received == 300_000

asyncio.run(send())
print('copied')
`;

/**
 * Runs four processes that have little memory of their own. Each creates 40,000 mappings, or 40,000 locks on parts of
 * files, or many TCP buffers with little data.
 */
const RECORDS = `
import ctypes, fcntl, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

def mappings():
    address = libc.mmap(None, 40_000 * 4096, 0, 0x22, -1, 0)
    for page in range(0, 40_000, 2):
        libc.mprotect(address + page * 4096, 4096, 1)

def locks():
    for number in range(200):
        descriptor = os.open(str(os.getpid()) + '-' + str(number), os.O_RDWR | os.O_CREAT)
        for part in range(0, 400, 2):
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, part)

def segments():
    import socket
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(200)
    kept = []
    for _ in range(40):
        end = socket.create_connection(listener.getsockname())
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end.setblocking(False)
        kept.append((end, listener.accept()))
        try:
            # Each byte is a record of its own, in a buffer of its own.
            while True: end.send(b'x', 0x80)
        except BlockingIOError:
            pass

for _ in range(4):
    if os.fork() == 0:
        globals()[sys.argv[1]]()
        time.sleep(600)
time.sleep(600)
`;

describe('kernel memory of programs in the bubblewrap tier', () => {
  const bench = createBench('memory of the kernel', createBubblewrapSandbox());
  const { hostRow, node, run, shell } = bench;
  beforeAll(() => bench.prepare());
  afterAll(() => bench.finish());
  const python = async (code: string): Promise<string> => {
    const launch = { workspace: 'none', program: PYTHON, args: ['-c', code] } as const;
    const { stdout, stderr } = await run({ launch });
    return stdout.text + stderr.text;
  };

  it(
    'cannot be allocated by calls that scripts do not need',
    hostRow(['boundsMemory'], noPython, async () => {
      expect((await python(CALLS)).trim().split('\n')).toEqual([
        'filter EINVAL',
        'futexes EINVAL',
        'landlock ENOSYS',
        'sendfile EINVAL',
        'splice EINVAL',
        'tee EINVAL',
        'rights ENOTSUP',
        'aio ENOSYS',
        'socket filter ENOPROTOOPT',
        'zero copy ENOTSUP',
      ]);
    }),
  );

  it(
    'is not needed by programs that copy and send files',
    hostRow(['boundsMemory'], noPython, async () => {
      expect(await python(COPYING)).toBe('copied\n');
      const launch = { workspace: 'none' } as const;
      const copy = "fs.writeFileSync('from', Buffer.alloc(300_000)); fs.copyFileSync('from', '/tmp/to');";
      const look = "fs.cpSync('.', '/tmp/tree', { recursive: true }); console.log(fs.statSync('/tmp/tree/from').size)";
      expect((await node(`const fs = require('node:fs'); ${copy} ${look}`, { launch })).stdout.text).toBe('300000\n');
      const code =
        'head -c 300000 /dev/zero > from; cp -a from to; cat to | cat > again; mv again /tmp; wc -c < /tmp/again';
      expect((await shell(code, { launch })).stdout.text.trim()).toBe('300000');
    }),
  );

  for (const kind of ['mappings', 'locks', 'segments'])
    it(
      `ends a run whose processes make too many ${kind}`,
      hostRow(['boundsMemory'], noPython, async () => {
        const limits = { ...DEFAULT_SANDBOX_LIMITS, memoryBytes: 256 * 2 ** 20 };
        const launch = { workspace: 'none', program: PYTHON, args: ['-c', RECORDS, kind], limits } as const;
        expect(await run({ launch, timeoutMs: 20_000 })).toMatchObject({ reason: 'exit', exceeded: 'memory' });
      }),
    );
});
