/** The purpose of an address, according to the registries of special-purpose addresses. */
export type AddressKind =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'metadata'
  | 'documentation'
  | 'benchmarking'
  | 'tunnel'
  | 'multicast'
  | 'reserved';

/** A description of each kind, which completes a sentence that ends in "which is". */
export const KIND_WORDS: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  unspecified: 'the unspecified address, which reaches this machine',
  loopback: 'this machine itself',
  private: 'an address of a private network',
  shared: 'an address inside a carrier or a cluster (100.64.0.0/10)',
  'link-local': 'an address of the local link',
  metadata: 'the metadata service of a cloud provider',
  documentation: 'an address reserved for documentation',
  benchmarking: 'an address reserved for network benchmarks',
  tunnel: 'a tunnel address that contains another address',
  multicast: 'a multicast address',
  reserved: 'a reserved address without a public host',
};

/**
 * The ranges that are not public, narrower ranges first. `translated` addresses (NAT64) are classified by the IPv4
 * address in their last 32 bits, because networks without IPv4 reach every public host that way.
 */
export const SPECIAL_RANGES: readonly (readonly [string, AddressKind | 'translated'])[] = [
  ['168.63.129.16', 'metadata'],
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'metadata'],
  ['100.100.100.200', 'metadata'],
  ['192.0.0.192', 'metadata'],
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'tunnel'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['fd00:ec2::254', 'metadata'],
  ['64:ff9b::/96', 'translated'],
  ['64:ff9b:1::/48', 'tunnel'],
  ['100::/64', 'reserved'],
  ['100:0:0:1::/64', 'reserved'],
  ['2001::/32', 'tunnel'],
  ['2001:2::/48', 'benchmarking'],
  ['2001:db8::/32', 'documentation'],
  ['2001::/23', 'reserved'],
  ['2002::/16', 'tunnel'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'reserved'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
];
