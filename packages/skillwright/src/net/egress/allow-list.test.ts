import { describe, expect, it } from 'vitest';
import { classifyAddress, parseAddress } from '../address/address.ts';
import { createAllowList } from './allow-list.ts';

function permits(entry: string, host: string, port: number, text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) throw new TypeError(`${text} is no address`);
  return createAllowList([entry]).permits({ host, port }, address, classifyAddress(address));
}

describe('an entry of the allow list', () => {
  it.each([
    ['127.0.0.1', 'a.example', 80, '127.0.0.1'],
    ['127.0.0.1:8080', 'a.example', 8080, '127.0.0.1'],
    ['127.0.0.1', 'a.example', 80, '::ffff:127.0.0.1'],
    ['0x7f.1:8080', '127.0.0.1', 8080, '127.0.0.1'],
    ['::1', '::1', 80, '::1'],
    ['[::1]:8080', '::1', 8080, '::1'],
    ['[fd00::/8]:443', 'a.example', 443, 'fd12::1'],
    ['10.0.0.0/8', 'a.example', 1, '10.9.8.7'],
    ['10.0.0.0/8:443', 'a.example', 443, '10.9.8.7'],
    ['intranet.example', 'intranet.example', 80, '10.0.0.1'],
    ['INTRANET.example.:8080', 'intranet.example', 8080, '127.0.0.1'],
    ['bücher.example', 'xn--bcher-kva.example', 80, '100.64.0.1'],
    ['localhost:8080', 'localhost', 8080, '::1'],
    ['169.254.169.254', 'metadata.example', 80, '169.254.169.254'],
  ])('%s lets %s:%i resolve to %s', (entry, host, port, address) => {
    expect(permits(entry, host, port, address)).toBe(true);
  });

  it.each([
    ['another address', '127.0.0.1', 'a.example', 80, '127.0.0.2'],
    ['another port', '127.0.0.1:8080', 'a.example', 8081, '127.0.0.1'],
    ['another name', 'intranet.example', 'a.intranet.example', 80, '10.0.0.1'],
    ['another range', '10.0.0.0/8', 'a.example', 80, '172.16.0.1'],
    ['a name that resolves to a metadata service', 'intranet.example', 'intranet.example', 80, '169.254.169.254'],
    ['a name that resolves to a link-local address', 'intranet.example', 'intranet.example', 80, 'fe80::1'],
    ['a name that resolves to a multicast address', 'intranet.example', 'intranet.example', 80, '224.0.0.1'],
  ])('does not allow %s', (_what, entry, host, port, address) => {
    expect(permits(entry, host, port, address)).toBe(false);
  });

  it.each([
    '',
    '*',
    '*.example',
    'a b',
    'http://a.example',
    'a.example/path',
    'a.example:0',
    'a.example:65536',
    '[::1',
    '::1]',
  ])('cannot be written as %j', (entry) => {
    expect(() => createAllowList([entry])).toThrow(expect.objectContaining({ code: 'InvalidOptions' }));
  });

  it.each(['10.0.0.1/8', '[10.0.0.0/33]:80', 'fe80::1%eth0', 'user@a.example', 'a..example', '[a.example]:80'])(
    'is refused: %j',
    (entry) => {
      expect(() => createAllowList([entry])).toThrow(/'allow'/);
    },
  );

  it('must be a string in a list', () => {
    expect(() => createAllowList('127.0.0.1' as unknown as string[])).toThrow(/must be a list/);
    expect(() => createAllowList([80 as unknown as string])).toThrow(/must contain only strings/);
  });
});
