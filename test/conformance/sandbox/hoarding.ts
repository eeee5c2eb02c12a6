/** Ways to hold memory that per-process memory limits do not count, by the kernel feature they use. */
export const WAYS_TO_HOARD = [
  'memfd',
  'memfd-secret',
  'shared-anonymous',
  'dev-zero',
  'system-v',
  'read-only',
  'stack',
  'page-tables',
  'forks',
  'headless',
  'pipes',
  'sockets',
  'backlog',
] as const;

/**
 * A Python program that allocates memory in one way, up to a number of MiB, and holds it. It prints `refused` when an allocation
 * fails, and `kept` when it holds all of it.
 */
export const HOARD: string = `
import ctypes, fcntl, mmap, os, platform, socket, sys, threading, time
how, most = sys.argv[1], int(sys.argv[2])
MIB = 1 << 20
STEP = 16 * MIB
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.shmat.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.shmdt.argtypes = [ctypes.c_void_p]
kept = []

def checked(value):
    if value in (None, -1, 2 ** 64 - 1):
        raise OSError(ctypes.get_errno(), how)
    return value

def mapped(size, protection, flags, descriptor=-1):
    return checked(libc.mmap(None, size, protection, flags, descriptor, 0))

def filled(address):
    libc.memset(address, 1, STEP)
    return address

def forgotten(address):
    # The pages stay as long as they are mapped somewhere, and no process shows them anymore.
    libc.madvise(filled(address), STEP, 4)
    return STEP

def stuffed(end):
    count = 0
    end.setblocking(False)
    try:
        while True:
            count += end.send(bytes(32768))
    except BlockingIOError:
        return count

def memfd():
    kept.append(os.memfd_create('x'))
    return os.write(kept[-1], bytes(STEP))

def memfd_secret():
    descriptor = checked(libc.syscall(447, 0))
    os.ftruncate(descriptor, 4 * MIB)
    kept.append(mmap.mmap(descriptor, 4 * MIB))
    return kept[-1].write(bytes(4 * MIB))

def shared_anonymous():
    return forgotten(mapped(STEP, 3, 0x21))

def dev_zero():
    return forgotten(mapped(STEP, 3, 0x01, os.open('/dev/zero', os.O_RDWR)))

def system_v():
    address = filled(checked(libc.shmat(checked(libc.shmget(0, STEP, 0o1600)), None, 0)))
    libc.shmdt(address)
    return STEP

def read_only():
    libc.mprotect(filled(mapped(STEP, 3, 0x22)), STEP, 1)
    return STEP

def stack():
    filled(mapped(STEP, 3, 0x122))
    return STEP

def page_tables():
    size = 4 << 30
    address = mapped(size, 1, 0x4022)
    libc.madvise(address, size, 15)
    for offset in range(0, size, 2 * MIB):
        ctypes.c_byte.from_address(address + offset).value
    return size // 512

def hold():
    held = bytearray(2 * STEP)
    for offset in range(0, len(held), 4096):
        held[offset] = 1
    time.sleep(60)
    os._exit(0)

def forks():
    if os.fork() == 0:
        hold()
    time.sleep(0.05)
    return 2 * STEP

def headless():
    if os.fork() == 0:
        threading.Thread(target=hold).start()
        # exit, of the first thread alone
        libc.syscall(60 if platform.machine() == 'x86_64' else 93, 0)
    time.sleep(0.05)
    return 2 * STEP

def pipes():
    reader, writer = os.pipe()
    kept.extend((reader, writer))
    os.set_blocking(writer, False)
    count = 0
    try:
        fcntl.fcntl(writer, 1031, MIB)
    except OSError:
        pass
    try:
        while True:
            count += os.write(writer, bytes(65536))
    except BlockingIOError:
        return count

def sockets():
    pair = socket.socketpair()
    kept.extend(pair)
    for end in pair:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 * MIB)
    return sum(stuffed(end) for end in pair)

def backlog():
    if len(kept) % 4000 == 0:
        globals()['listener'] = socket.socket(socket.AF_UNIX)
        listener.bind('\\0' + str(len(kept)))
        listener.listen(4096)
    kept.append(listener)
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(listener.getsockname())
        return stuffed(client)

def tcp(protocol=0):
    if not kept:
        kept.append(socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol))
        kept[0].bind(('127.0.0.1', 0))
        kept[0].listen(1024)
    kept.append(socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol))
    kept[-1].connect(kept[0].getsockname())
    kept.append(kept[0].accept()[0])
    return sum(stuffed(end) for end in kept[-2:])

def netlink():
    if len(kept) % 200 == 0:
        globals()['ends'] = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2) as receiver:
        receiver.bind((0, 0))
        sender = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2)
        sender.setblocking(False)
        count = 0
        try:
            while True:
                count += sender.sendto((60000).to_bytes(4, 'little') + bytes(59996), receiver.getsockname())
        except BlockingIOError:
            pass
        sender.close()
        socket.send_fds(ends[0], [b'x'], [receiver.fileno()])
        kept.append(ends)
        return count

def inotify():
    if not kept:
        os.mkdir('watched')
        for _ in range(100):
            kept.append(checked(libc.inotify_init1(os.O_NONBLOCK)))
            checked(libc.inotify_add_watch(kept[-1], b'watched', 0x300))
    # Each needs a unique name, or the kernel would merge equal events.
    name = 'watched/' + str(time.monotonic_ns()).ljust(240, 'x')
    os.mkdir(name)
    os.rmdir(name)
    return len(kept) * 2 * 300

def mptcp():
    return tcp(262)

take = globals()[how.replace('-', '_')]
taken = 0
try:
    while taken < most * MIB:
        taken += take()
except (OSError, MemoryError) as error:
    print('refused', error, flush=True)
    sys.exit(0)
time.sleep(5)
# A limit may be enforced by ending some of the processes that hold memory.
lost = how in ('forks', 'headless') and os.waitpid(-1, os.WNOHANG)[0] > 0
print('refused' if lost else 'kept', flush=True)
`;

/** Makes empty files for as long as it can, and reports how it ended. */
export const LITTER = `
import os
os.mkdir('litter')
try:
    for number in range(400_000):
        os.symlink('x' * 100, 'litter/' + str(number))
except OSError as error:
    print('refused', error)
else:
    print('kept')
`;

/** Shares memory as ordinary Python programs do: through files in `/dev/shm`, and with forked processes. */
export const SHARING: string = `
import multiprocessing, os, time
from multiprocessing import shared_memory

def square(number):
    return number * number

total = multiprocessing.Value('i', 0)

def add():
    with total.get_lock():
        total.value += 1

with multiprocessing.Pool(2) as pool:
    assert pool.map(square, [1, 2, 3]) == [1, 4, 9]
adders = [multiprocessing.Process(target=add) for _ in range(3)]
for adder in adders: adder.start()
for adder in adders: adder.join()
assert total.value == 3
block = shared_memory.SharedMemory(create=True, size=1 << 20)
block.buf[:5] = b'hello'
block.close()
block.unlink()
held = bytearray(80 << 20)
for offset in range(0, len(held), 4096):
    held[offset] = 1
if os.fork() == 0 or os.fork() == 0:
    time.sleep(1)
    os._exit(0)
time.sleep(1)
print('shared')
`;
