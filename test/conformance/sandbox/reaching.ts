/**
 * A line of shell that tries every way to stop, read or write another process, on the first process of its sandbox and on a
 * child. It prints `refused` when none works, and `no python` if it cannot try.
 */
export const REACH_INTO_PROCESSES: string = `test -x /usr/bin/python3 || { echo no python; exit; }
exec /usr/bin/python3 -c '
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
child = os.fork()
if child == 0:
    time.sleep(20)
    os._exit(0)
done = []
for pid in (1, child):
    for request in (16, 0x4206):
        if libc.ptrace(request, pid, None, None) == 0: done.append((request, pid))
    word = ctypes.create_string_buffer(8)
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    part = Part(ctypes.addressof(word), 8)
    for call in (libc.process_vm_readv, libc.process_vm_writev):
        if call(pid, ctypes.byref(part), 1, ctypes.byref(part), 1, 0) >= 0: done.append((call.__name__, pid))
os.kill(child, 9)
os.waitpid(child, 0)
print(done or "refused")
'`;
