import { describe, expect, it } from 'vitest';
import { syscallFilter } from './bubblewrap-syscalls.ts';

const ALLOW = 0x7fff0000;
const failure = (error: number): number => 0x00050000 + error;
const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;

/** What the kernel would answer: as much of its machine as the filter uses. */
function judge(filter: Buffer, call: { architecture: number; number: number; argument?: number }): number {
  const data = new Map([
    [0, call.number],
    [4, call.architecture],
    [16, call.argument ?? 0],
  ]);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const operand = filter.readUInt32LE(at + 4);
    const code = filter.readUInt16LE(at);
    if (code === 0x06) return operand;
    if (code === 0x20) loaded = data.get(operand) ?? 0;
    else {
      const isTrue = code === 0x15 ? loaded === operand : code === 0x35 ? loaded >= operand : (loaded & operand) !== 0;
      at += 8 * filter.readUInt8(at + (isTrue ? 2 : 3));
    }
  }
  throw new Error('The filter does not end in an answer.');
}

describe.each([
  ['x64', X64, { read: 0, clone: 56, unshare: 272, socket: 41, mount: 165, keyctl: 250, reach: [101, 310, 311, 312] }],
  [
    'arm64',
    ARM64,
    { read: 63, clone: 220, unshare: 97, socket: 198, mount: 40, keyctl: 219, reach: [117, 270, 271, 272] },
  ],
] as const)('the filter of system calls for %s', (name, architecture, numbers) => {
  const filter = syscallFilter(name) ?? Buffer.alloc(0);
  const ask = (number: number, argument?: number): number =>
    judge(filter, { architecture, number, ...(argument === undefined ? {} : { argument }) });

  it('lets ordinary calls through: reading, threads, children, sockets', () => {
    expect(ask(numbers.read)).toBe(ALLOW);
    expect(ask(numbers.clone, 0x3d0f00)).toBe(ALLOW);
    expect(ask(numbers.clone, 17)).toBe(ALLOW);
    for (const family of [1, 2, 10, 16]) expect(ask(numbers.socket, family)).toBe(ALLOW);
    expect(ask(numbers.unshare, 0x400)).toBe(ALLOW);
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

  it('refuses to reach into other processes: ptrace, process_vm_readv and writev, kcmp, pidfd_getfd', () => {
    for (const number of [...numbers.reach, 438]) expect(ask(number)).toBe(failure(1));
  });

  it('refuses the newer ways to mount', () => {
    for (const number of [428, 429, 430, 431, 432, 433, 442]) expect(ask(number)).toBe(failure(1));
  });

  it('refuses sockets that a network namespace does not hold back', () => {
    for (const family of [0, 3, 17, 31, 38, 40]) expect(ask(numbers.socket, family)).toBe(failure(97));
  });

  it('refuses the calls of other architectures', () => {
    expect(judge(filter, { architecture: 0x40000003, number: numbers.read })).toBe(failure(38));
    expect(ask(0x40000000 + numbers.clone, 17)).toBe(failure(38));
  });
});

describe('the filter of system calls', () => {
  it('is not made up where the numbers are not known', () => {
    expect(syscallFilter('mips')).toBeUndefined();
  });
});
