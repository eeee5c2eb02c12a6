import { endianness } from 'node:os';

interface SystemCalls {
  /** `AUDIT_ARCH_…`, by which the kernel tells the caller's architecture. */
  readonly architecture: number;
  /** From here on, numbers belong to another way of calling. */
  readonly foreignFrom: number;
  readonly clone: number;
  readonly clone3: number;
  readonly unshare: number;
  readonly socket: number;
  /** Calls without which scripts do well and by which kernels were broken, or which reach the host's user or a process. */
  readonly refused: readonly number[];
}

const CALLS: Readonly<Record<string, SystemCalls>> = {
  x64: {
    architecture: 0xc000003e,
    foreignFrom: 0x40000000,
    clone: 56,
    clone3: 435,
    unshare: 272,
    socket: 41,
    // mount, umount2, pivot_root, setns, add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, ptrace,
    // process_vm_readv, process_vm_writev, kcmp
    refused: [165, 166, 155, 308, 248, 249, 250, 321, 298, 323, 101, 310, 311, 312],
  },
  arm64: {
    architecture: 0xc00000b7,
    foreignFrom: 0x40000000,
    clone: 220,
    clone3: 435,
    unshare: 97,
    socket: 198,
    refused: [40, 39, 41, 268, 217, 218, 219, 280, 241, 282, 117, 270, 271, 272],
  },
};

/**
 * More of them, which have the same number everywhere: io_uring_setup, pidfd_getfd, and the newer calls that mount:
 * open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr.
 */
const REFUSED_EVERYWHERE = [425, 438, 428, 429, 430, 431, 432, 433, 442];
/** `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID`, `NEWNET`. */
const NEW_NAMESPACES = 0x7e020000;
/** Unix, IPv4, IPv6 and netlink. Others, such as sockets to the hypervisor, are not held back by a network namespace. */
const SOCKET_FAMILIES = [1, 2, 10, 16];

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const FAIL_WITH = 0x00050000;

const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const FIRST_ARGUMENT_OFFSET = 16;

/** Code, where to go on when true and when false (instructions to skip), and the operand. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, operand: number];

/**
 * A seccomp filter in the kernel's format: no new namespaces, no mounting, no keyrings, no reaching into other
 * processes, no calls of other architectures, no unusual sockets. `undefined` where the numbers of this architecture
 * are not known here.
 */
export function syscallFilter(architecture: string): Buffer | undefined {
  const calls = CALLS[architecture];
  if (calls === undefined || endianness() !== 'LE') return undefined;
  return assemble([
    [LOAD, 0, 0, ARCHITECTURE_OFFSET],
    [JUMP_EQUAL, 1, 0, calls.architecture],
    failWith(ENOSYS),
    [LOAD, 0, 0, NUMBER_OFFSET],
    [JUMP_AT_LEAST, 0, 1, calls.foreignFrom],
    failWith(ENOSYS),
    ...[...calls.refused, ...REFUSED_EVERYWHERE].flatMap((number) => refuse(number, EPERM)),
    // Its flags are in memory, where a filter cannot look; the C library then falls back to clone.
    ...refuse(calls.clone3, ENOSYS),
    ...refuseNamespaces(calls.clone),
    ...refuseNamespaces(calls.unshare),
    ...refuseFamilies(calls.socket),
    [RETURN, 0, 0, ALLOW],
  ]);
}

function refuse(number: number, error: number): Instruction[] {
  return [[JUMP_EQUAL, 0, 1, number], failWith(error)];
}

function refuseNamespaces(number: number): Instruction[] {
  return [
    [JUMP_EQUAL, 0, 4, number],
    [LOAD, 0, 0, FIRST_ARGUMENT_OFFSET],
    [JUMP_ANY_BIT, 0, 1, NEW_NAMESPACES],
    failWith(EPERM),
    [RETURN, 0, 0, ALLOW],
  ];
}

function refuseFamilies(number: number): Instruction[] {
  const count = SOCKET_FAMILIES.length;
  return [
    [JUMP_EQUAL, 0, count + 3, number],
    [LOAD, 0, 0, FIRST_ARGUMENT_OFFSET],
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
