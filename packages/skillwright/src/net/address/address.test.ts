import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAddress, formatAddress, isInRange, parseAddress, parseRange } from './address.ts';
import { SPECIAL_RANGES } from './address-ranges.ts';

function kindOf(text: string): string | undefined {
  const address = parseAddress(text);
  return address === undefined ? undefined : classifyAddress(address);
}

describe('classifyAddress', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.255.255.255', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'shared'],
    ['100.127.255.255', 'shared'],
    ['100.100.100.200', 'metadata'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'metadata'],
    ['169.254.169.254', 'metadata'],
    ['169.254.1.1', 'link-local'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', 'tunnel'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarking'],
    ['198.19.255.255', 'benchmarking'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.7', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::127.0.0.1', 'reserved'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::FFFF:A9FE:A9FE', 'metadata'],
    ['::ffff:0:127.0.0.1', 'reserved'],
    ['64:ff9b::127.0.0.1', 'loopback'],
    ['64:ff9b::a9fe:a9fe', 'metadata'],
    ['64:ff9b:1::1', 'tunnel'],
    ['100::1', 'reserved'],
    ['2001::1', 'tunnel'],
    ['2001:2::1', 'benchmarking'],
    ['2001:10::1', 'reserved'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', 'tunnel'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['fc00::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fdff::1', 'private'],
    ['fe80::1', 'link-local'],
    ['fec0::1', 'private'],
    ['ff02::1', 'multicast'],
  ])('classifies %s as %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '::ffff:93.184.216.34',
    '64:ff9b::93.184.216.34',
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
  ])('classifies %s as public', (text) => {
    expect(kindOf(text)).toBe('public');
  });

  it('classifies every range of the address table', () => {
    expect(SPECIAL_RANGES.filter(([range]) => parseRange(range) === undefined)).toEqual([]);
  });
});

describe('parseAddress', () => {
  it.each(['', 'localhost', '127.1', '0177.0.0.1', '0x7f.0.0.1', '2130706433', '127.0.0.1.', '[::1]', 'fe80::1%eth0'])(
    'does not take %j for an address',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );

  it('parses what formatAddress writes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseAddress(text);
        expect(address).toBeDefined();
        if (address !== undefined) expect(parseAddress(formatAddress(address))).toEqual(address);
      }),
    );
  });

  it('parses IPv6 like the URL parser', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        expect(parseAddress(text)).toEqual(parseAddress(new URL(`http://[${text}]/`).hostname.slice(1, -1)));
      }),
    );
  });
});

describe('parseRange', () => {
  it.each([
    ['10.0.0.0/8', '10.255.0.1', '11.0.0.0'],
    ['10.1.2.3', '10.1.2.3', '10.1.2.4'],
    ['0.0.0.0/0', '255.255.255.255', '::1'],
    ['fd00::/8', 'fdff::1', 'fc00::1'],
    ['::ffff:10.0.0.0/104', '10.1.1.1', '11.0.0.0'],
    ['::/0', 'ff02::1', '1.1.1.1'],
  ])('reads %s as a range that includes %s but not %s', (text, inside, outside) => {
    const range = parseRange(text);
    const [within, without] = [parseAddress(inside), parseAddress(outside)];
    if (range === undefined || within === undefined || without === undefined) throw new TypeError('not parsed');
    expect([isInRange(within, range), isInRange(without, range)]).toEqual([true, false]);
  });

  it.each(['10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', 'fd00::/129', 'x/8', ''])(
    'does not take %j for a range',
    (text) => {
      expect(parseRange(text)).toBeUndefined();
    },
  );
});
