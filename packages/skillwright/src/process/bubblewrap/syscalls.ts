import { endianness } from 'node:os';

interface SystemCalls {
  /** `AUDIT_ARCH_…`, by which the kernel identifies the caller's architecture. */
  readonly architecture: number;
  readonly clone: number;
  readonly clone3: number;
  readonly unshare: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly setsockopt: number;
  readonly mmap: number;
  readonly fcntl: number;
  readonly prctl: number;
  /** Calls that put file pages into sockets and pipes. A socket or pipe then counts one byte but holds a whole page. */
  readonly lendingPages: readonly number[];
  /**
   * Calls that set extended attributes: an access control list on a file in memory takes memory that its size does not
   * include.
   */
  readonly settingAttributes: readonly number[];
  /** Calls that hold memory outside any process. */
  readonly hidingMemory: readonly number[];
  /**
   * Calls that scripts do not need and that were used to attack kernels, or that reach the host's user or another
   * process.
   */
  readonly refused: readonly number[];
}

const CALLS: Readonly<Record<string, SystemCalls>> = {
  x64: {
    architecture: 0xc000003e,
    clone: 56,
    clone3: 435,
    unshare: 272,
    socket: 41,
    socketpair: 53,
    setsockopt: 54,
    mmap: 9,
    fcntl: 72,
    prctl: 157,
    // sendfile, splice, tee
    lendingPages: [40, 275, 276],
    // setxattr, lsetxattr, fsetxattr
    settingAttributes: [188, 189, 190],
    // memfd_create, shmget, semget, msgget, vmsplice, inotify_init1, fanotify_init, inotify_init, seccomp, and
    // io_setup, because the whole machine can have only 65,536 of its contexts
    hidingMemory: [319, 29, 64, 68, 278, 294, 300, 253, 317, 206],
    // mount, umount2, pivot_root, setns, add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, ptrace,
    // process_vm_readv, process_vm_writev, kcmp
    refused: [165, 166, 155, 308, 248, 249, 250, 321, 298, 323, 101, 310, 311, 312],
  },
  arm64: {
    architecture: 0xc00000b7,
    clone: 220,
    clone3: 435,
    unshare: 97,
    socket: 198,
    socketpair: 199,
    setsockopt: 208,
    mmap: 222,
    fcntl: 25,
    prctl: 167,
    lendingPages: [71, 76, 77],
    settingAttributes: [5, 6, 7],
    hidingMemory: [279, 194, 190, 186, 75, 26, 262, 277, 0],
    refused: [40, 39, 41, 268, 217, 218, 219, 280, 241, 282, 117, 270, 271, 272],
  },
};

/**
 * More refused calls, with the same number on every architecture: io_uring_setup, pidfd_getfd, and the newer mount
 * calls open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr.
 */
const REFUSED_EVERYWHERE = [425, 438, 428, 429, 430, 431, 432, 433, 442, 467];
/** More calls that hide memory: memfd_secret, landlock_create_ruleset, landlock_add_rule and landlock_restrict_self. */
const HIDING_EVERYWHERE = [447, 444, 445, 446];
const SETXATTRAT = 463;
/**
 * Options of `prctl` that are refused: each filter and each table of futexes uses kernel memory, up to 1 GiB for one
 * call.
 */
const PR_SET_SECCOMP = 22;
const PR_FUTEX_HASH = 78;
const CLOSE_RANGE = 436;
const CLOSE_RANGE_UNSHARE = 2;
/**
 * The number of the newest call known here, `file_setattr`. Later calls are refused, so that programs fall back to
 * older ones.
 */
const NEWEST = 469;
/**
 * The flags `MAP_SHARED` and `MAP_ANONYMOUS`. Together they are refused: such memory can remain when no process maps it
 * any more.
 */
const SHARED_ANONYMOUS = 0x21;
/**
 * The flags that make new namespaces: `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID`, `NEWNET`.
 */
const NEW_NAMESPACES = 0x7e020000;
/**
 * All threads of a process must share one table of open files, and no two processes may share one. If a thread had its
 * own table, its files could not be counted. If two processes shared one, the locks of the first to end would appear in
 * no list.
 */
const CLONE_FILES = 0x400;
const CLONE_THREAD = 0x10000;
/** Refused, so that a pipe keeps its initial size of 64 KiB. */
const F_SETPIPE_SZ = 1031;
/**
 * `F_OFD_GETLK`, `F_OFD_SETLK` and `F_OFD_SETLKW`: these locks belong to no process, so their owner cannot be found.
 */
const OPEN_FILE_LOCKS = [36, 37, 38];
/**
 * The allowed socket families: Unix, IPv4, IPv6 and netlink. A network namespace does not isolate others, such as
 * sockets to the hypervisor.
 */
const SOCKET_FAMILIES = [1, 2, 10, 16];
const NETLINK = 16;
/**
 * The only allowed netlink protocol, which lists addresses and routes. Through others, programs can fill each other's
 * queues.
 */
const NETLINK_ROUTE = 0;
/**
 * Refused protocols: DCCP, SCTP, UDP-Lite and MPTCP. Their queues do not appear in the lists by which a sandbox's
 * memory is measured. Programs fall back to TCP or UDP.
 */
const SOCKET_PROTOCOLS_REFUSED = [33, 132, 136, 262];

const EPERM = 1;
const EINVAL = 22;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const ENOPROTOOPT = 92;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;

const SOL_SOCKET = 1;
/**
 * Options of `SOL_SOCKET`, and the result to return instead of setting them. `SO_SNDBUF` and `SO_RCVBUF`: buffers keep
 * their size, but the call reports success. `SO_ATTACH_FILTER` and `SO_ATTACH_REUSEPORT_CBPF`: filters take memory in
 * addition to the buffers. `SO_ZEROCOPY`: sending one byte would hold a whole page of a process.
 */
const SOCKET_OPTIONS = [
  [7, 0],
  [8, 0],
  [26, ENOPROTOOPT],
  [51, ENOPROTOOPT],
  [60, EOPNOTSUPP],
] as const;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const AND = 0x54;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const FAIL_WITH = 0x00050000;

const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
/** Offsets of the lower 32 bits of each argument in the data that the kernel gives to the filter. */
const ARGUMENT_OFFSETS = [16, 24, 32, 40] as const;

/** Code, how many instructions to skip if true and if false, and the operand. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number];

/**
 * A seccomp filter in the kernel's format. It refuses new namespaces, mounts, keyrings, access to other processes,
 * calls of other architectures or later kernels, unusual sockets, and memory that does not appear in the sizes of
 * processes and temporary directories. `undefined` if the call numbers of this architecture are unknown here.
 */
export function syscallFilter(architecture: string): Buffer | undefined {
  const calls = CALLS[architecture];
  if (calls === undefined || endianness() !== 'LE') return undefined;
  return assemble([
    [LOAD, 0, 0, ARCHITECTURE_OFFSET],
    [JUMP_EQUAL, 1, 0, calls.architecture],
    failWith(ENOSYS),
    [LOAD, 0, 0, NUMBER_OFFSET],
    // This also refuses x32 calls, because their numbers are higher.
    [JUMP_AT_LEAST, 0, 1, NEWEST + 1],
    failWith(ENOSYS),
    ...[...calls.refused, ...REFUSED_EVERYWHERE].flatMap((number) => refuse(number, EPERM)),
    ...[...calls.hidingMemory, ...HIDING_EVERYWHERE].flatMap((number) => refuse(number, ENOSYS)),
    // Return the same error as for files that do not support these calls, so that programs read and write instead.
    ...calls.lendingPages.flatMap((number) => refuse(number, EINVAL)),
    ...[...calls.settingAttributes, SETXATTRAT].flatMap((number) => refuse(number, EOPNOTSUPP)),
    ...[PR_SET_SECCOMP, PR_FUTEX_HASH].flatMap((option) =>
      refuseFlags(calls.prctl, 0, { mask: 0xffffffff, equal: option }, EINVAL),
    ),
    // A filter cannot read the flags of clone3, because they are in memory. The C library falls back to clone.
    ...refuse(calls.clone3, ENOSYS),
    ...refuseFlags(calls.clone, 0, { any: NEW_NAMESPACES }),
    ...[CLONE_THREAD, CLONE_FILES].flatMap((flag) =>
      refuseFlags(calls.clone, 0, { mask: CLONE_THREAD | CLONE_FILES, equal: flag }),
    ),
    ...refuseFlags(calls.unshare, 0, { any: NEW_NAMESPACES | CLONE_FILES }),
    ...refuseFlags(CLOSE_RANGE, 2, { any: CLOSE_RANGE_UNSHARE }),
    ...refuseFlags(calls.mmap, 3, { mask: SHARED_ANONYMOUS, equal: SHARED_ANONYMOUS }),
    ...refuseFlags(calls.fcntl, 1, { mask: 0xffffffff, equal: F_SETPIPE_SZ }),
    ...OPEN_FILE_LOCKS.flatMap((command) => refuseFlags(calls.fcntl, 1, { mask: 0xffffffff, equal: command }, EINVAL)),
    ...refuseNetlink(calls.socket),
    ...SOCKET_PROTOCOLS_REFUSED.flatMap((protocol) =>
      refuseFlags(calls.socket, 2, { mask: 0xffffffff, equal: protocol }, EPROTONOSUPPORT),
    ),
    ...refuseFamilies(calls.socket),
    // Check pairs of sockets too: TIPC supports them, and the kernel would load its TIPC module for any program.
    ...refuseFamilies(calls.socketpair),
    ...answerSocketOptions(calls.setsockopt),
    [RETURN, 0, 0, ALLOW],
  ]);
}

/** Fails a call if the loaded value, by default the number of the call, equals `number`. */
function refuse(number: number, error: number): Instruction[] {
  return [[JUMP_EQUAL, 0, 1, number], failWith(error)];
}

/** Fails a call if one of its arguments has any of these flags, or has exactly these flags within a mask. */
function refuseFlags(
  number: number,
  argument: 0 | 1 | 2 | 3,
  flags: { readonly any: number } | { readonly mask: number; readonly equal: number },
  error: number = EPERM,
): Instruction[] {
  const test: Instruction[] =
    'any' in flags
      ? [[JUMP_ANY_BIT, 0, 1, flags.any]]
      : [
          [AND, 0, 0, flags.mask],
          [JUMP_EQUAL, 0, 1, flags.equal],
        ];
  return [
    [JUMP_EQUAL, 0, test.length + 3, number],
    [LOAD, 0, 0, ARGUMENT_OFFSETS[argument]],
    ...test,
    failWith(error),
    // Load the call's number again, because the next rule compares it.
    [LOAD, 0, 0, NUMBER_OFFSET],
  ];
}

function refuseNetlink(number: number): Instruction[] {
  return [
    [JUMP_EQUAL, 0, 6, number],
    [LOAD, 0, 0, ARGUMENT_OFFSETS[0]],
    [JUMP_EQUAL, 0, 3, NETLINK],
    [LOAD, 0, 0, ARGUMENT_OFFSETS[2]],
    [JUMP_EQUAL, 1, 0, NETLINK_ROUTE],
    failWith(EPROTONOSUPPORT),
    // Load the call's number again, because the next rule compares it.
    [LOAD, 0, 0, NUMBER_OFFSET],
  ];
}

function answerSocketOptions(number: number): Instruction[] {
  const answers = SOCKET_OPTIONS.flatMap(([option, error]) => refuse(option, error));
  return [
    [JUMP_EQUAL, 0, answers.length + 4, number],
    [LOAD, 0, 0, ARGUMENT_OFFSETS[1]],
    [JUMP_EQUAL, 0, answers.length + 1, SOL_SOCKET],
    [LOAD, 0, 0, ARGUMENT_OFFSETS[2]],
    ...answers,
    [RETURN, 0, 0, ALLOW],
  ];
}

function refuseFamilies(number: number): Instruction[] {
  const count = SOCKET_FAMILIES.length;
  return [
    [JUMP_EQUAL, 0, count + 3, number],
    [LOAD, 0, 0, ARGUMENT_OFFSETS[0]],
    ...SOCKET_FAMILIES.map((family, index): Instruction => [JUMP_EQUAL, count - index, 0, family]),
    failWith(EAFNOSUPPORT),
    [RETURN, 0, 0, ALLOW],
  ];
}

function failWith(error: number): Instruction {
  return [RETURN, 0, 0, FAIL_WITH | error];
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, whenTrue, whenFalse, operand]] of instructions.entries()) {
    const offset = index * 8;
    bytes.writeUInt16LE(code, offset);
    bytes.writeUInt8(whenTrue, offset + 2);
    bytes.writeUInt8(whenFalse, offset + 3);
    bytes.writeUInt32LE(operand, offset + 4);
  }
  return bytes;
}
