import { describe, expect, it } from 'vitest';
import { syscallFilter } from './syscalls.ts';

const ALLOW = 0x7fff0000;
const failure = (error: number): number => 0x00050000 + error;
const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;

/** Simulates the kernel's answer, with the part of its virtual machine that the filter uses. */
function judge(filter: Buffer, call: { architecture: number; number: number; arguments?: readonly number[] }): number {
  const data = new Map([
    [0, call.number],
    [4, call.architecture],
    ...[0, 1, 2, 3].map((index): [number, number] => [16 + 8 * index, call.arguments?.[index] ?? 0]),
  ]);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const operand = filter.readUInt32LE(at + 4);
    const code = filter.readUInt16LE(at);
    if (code === 0x06) return operand;
    if (code === 0x20) loaded = data.get(operand) ?? 0;
    else if (code === 0x54) loaded &= operand;
    else {
      const isTrue = code === 0x15 ? loaded === operand : code === 0x35 ? loaded >= operand : (loaded & operand) !== 0;
      at += 8 * filter.readUInt8(at + (isTrue ? 2 : 3));
    }
  }
  throw new Error('The filter does not end in an answer.');
}

describe.each([
  [
    'x64',
    X64,
    {
      read: 0,
      clone: 56,
      unshare: 272,
      socket: 41,
      socketpair: 53,
      setsockopt: 54,
      mount: 165,
      keyctl: 250,
      mmap: 9,
      fcntl: 72,
      reach: [101, 310, 311, 312],
      prctl: 157,
      lending: [40, 275, 276],
      attributes: [188, 189, 190],
      hiding: [319, 29, 64, 68, 278, 317, 206],
      watching: [253, 294, 300],
    },
  ],
  [
    'arm64',
    ARM64,
    {
      read: 63,
      clone: 220,
      unshare: 97,
      socket: 198,
      socketpair: 199,
      setsockopt: 208,
      mount: 40,
      keyctl: 219,
      mmap: 222,
      fcntl: 25,
      reach: [117, 270, 271, 272],
      prctl: 167,
      lending: [71, 76, 77],
      attributes: [5, 6, 7],
      hiding: [279, 194, 190, 186, 75, 277, 0],
      watching: [26, 262],
    },
  ],
] as const)('the filter of system calls for %s', (name, architecture, numbers) => {
  const filter = syscallFilter(name) ?? Buffer.alloc(0);
  const ask = (number: number, ...given: readonly number[]): number =>
    judge(filter, { architecture, number, arguments: given });

  it('allows ordinary calls: reading, threads, children, sockets', () => {
    expect(ask(numbers.read)).toBe(ALLOW);
    expect(ask(numbers.clone, 0x3d0f00)).toBe(ALLOW);
    expect(ask(numbers.clone, 17)).toBe(ALLOW);
    for (const family of [1, 2, 10, 16]) expect(ask(numbers.socket, family)).toBe(ALLOW);
    expect(ask(numbers.unshare, 0x200)).toBe(ALLOW);
    expect(ask(436, 3, 0xffffffff, 4)).toBe(ALLOW);
  });

  it('refuses namespaces, mounts and keyrings', () => {
    for (const flag of [0x10000000, 0x20000, 0x40000000, 0x20000000]) {
      expect(ask(numbers.clone, flag + 17)).toBe(failure(1));
      expect(ask(numbers.unshare, flag)).toBe(failure(1));
    }
    expect(ask(numbers.mount)).toBe(failure(1));
    expect(ask(numbers.keyctl)).toBe(failure(1));
    expect(ask(435)).toBe(failure(38));
  });

  it('refuses access to other processes: ptrace, process_vm_readv and writev, kcmp, pidfd_getfd', () => {
    for (const number of [...numbers.reach, 438]) expect(ask(number)).toBe(failure(1));
  });

  it('refuses the newer mount calls', () => {
    for (const number of [428, 429, 430, 431, 432, 433, 442, 467]) expect(ask(number)).toBe(failure(1));
  });

  it('refuses sockets that a network namespace does not contain', () => {
    for (const family of [0, 3, 17, 31, 38, 40]) expect(ask(numbers.socket, family)).toBe(failure(97));
  });

  it('refuses pairs of such sockets, but allows pairs of Unix sockets', () => {
    for (const family of [0, 3, 30, 38, 40]) expect(ask(numbers.socketpair, family, 1)).toBe(failure(97));
    expect(ask(numbers.socketpair, 1, 1)).toBe(ALLOW);
  });

  it('refuses protocols whose queues cannot be counted: MPTCP, SCTP, UDP-Lite, DCCP', () => {
    for (const protocol of [33, 132, 136, 262]) expect(ask(numbers.socket, 2, 1, protocol)).toBe(failure(93));
    for (const protocol of [0, 1, 6, 17, 58]) expect(ask(numbers.socket, 10, 1, protocol)).toBe(ALLOW);
  });

  it('refuses the calls of other architectures', () => {
    expect(judge(filter, { architecture: 0x40000003, number: numbers.read })).toBe(failure(38));
    expect(ask(0x40000000 + numbers.clone, 17)).toBe(failure(38));
  });

  it('reports calls of later kernels as missing, so that programs use older ones', () => {
    expect(ask(469)).toBe(ALLOW);
    for (const number of [470, 500, 0x3fffffff, 0xffffffff]) expect(ask(number)).toBe(failure(38));
  });

  it('refuses every call that holds memory outside processes and files: memfds, System V objects, filters, Landlock', () => {
    for (const number of [...numbers.hiding, 444, 445, 446, 447]) expect(ask(number)).toBe(failure(38));
  });

  it('refuses to lend file pages to sockets and pipes, and to set extended attributes', () => {
    for (const number of numbers.lending) expect(ask(number)).toBe(failure(22));
    for (const number of [...numbers.attributes, 463]) expect(ask(number)).toBe(failure(95));
  });

  it('refuses the prctl options for filters and tables of futexes, but no other options', () => {
    for (const option of [22, 78]) expect(ask(numbers.prctl, option, 1)).toBe(failure(22));
    for (const option of [1, 15, 21, 23, 38, 77, 79]) expect(ask(numbers.prctl, option, 1)).toBe(ALLOW);
  });

  it('reports inotify and fanotify, whose queues cannot be counted, as missing', () => {
    for (const number of numbers.watching) expect(ask(number)).toBe(failure(38));
  });

  it('refuses every netlink protocol except the one that lists addresses and routes', () => {
    for (const protocol of [1, 2, 4, 9, 15, 16, 20]) expect(ask(numbers.socket, 16, 3, protocol)).toBe(failure(93));
    expect(ask(numbers.socket, 16, 3, 0)).toBe(ALLOW);
    expect(ask(numbers.socket, 2, 3, 1)).toBe(ALLOW);
  });

  it('refuses larger pipes', () => {
    expect(ask(numbers.fcntl, 3, 1_031)).toBe(failure(1));
    for (const command of [0, 1, 4, 6, 1_030, 1_032]) expect(ask(numbers.fcntl, 3, command)).toBe(ALLOW);
  });

  it("refuses open file description locks, which appear in every sandbox's list, but no other locks", () => {
    for (const command of [36, 37, 38]) expect(ask(numbers.fcntl, 3, command)).toBe(failure(22));
    for (const command of [5, 6, 7, 1_024]) expect(ask(numbers.fcntl, 3, command)).toBe(ALLOW);
  });

  it('refuses processes that share descriptors with another, because their locks would outlive them unseen', () => {
    expect(ask(numbers.clone, 0x400 + 17)).toBe(failure(1));
    expect(ask(numbers.clone, 0x4100 + 17)).toBe(ALLOW);
  });

  it('refuses threads with a descriptor table of their own, which could not be counted', () => {
    expect(ask(numbers.clone, 0x3d0f00 - 0x400)).toBe(failure(1));
    expect(ask(numbers.unshare, 0x400)).toBe(failure(1));
    expect(ask(436, 3, 0xffffffff, 2)).toBe(failure(1));
  });

  it('ignores new sizes for socket buffers, without an error', () => {
    for (const option of [7, 8]) expect(ask(numbers.setsockopt, 5, 1, option)).toBe(failure(0));
    for (const [level, option] of [
      [1, 2],
      [1, 9],
      [6, 7],
      [6, 8],
    ] as const)
      expect(ask(numbers.setsockopt, 5, level, option)).toBe(ALLOW);
  });

  it('refuses socket filters and zero-copy sending', () => {
    for (const [option, error] of [
      [26, 92],
      [51, 92],
      [60, 95],
    ] as const) {
      expect(ask(numbers.setsockopt, 5, 1, option)).toBe(failure(error));
      expect(ask(numbers.setsockopt, 5, 6, option)).toBe(ALLOW);
    }
  });

  it('refuses anonymous shared memory, but no other mapping', () => {
    const map = (flags: number): number => ask(numbers.mmap, 0, 4_096, 3, flags);
    for (const flags of [0x21, 0x23, 0x8021, 0x100021]) expect(map(flags)).toBe(failure(1));
    for (const flags of [0x01, 0x02, 0x03, 0x22, 0x20, 0x4022]) expect(map(flags)).toBe(ALLOW);
  });
});

describe('syscallFilter', () => {
  it('is undefined for an architecture with unknown call numbers', () => {
    expect(syscallFilter('mips')).toBeUndefined();
  });
});
