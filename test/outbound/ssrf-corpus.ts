/** Spellings of hosts that are denied in production, as a customer's URL may contain them. */
export const HOSTS: Record<string, string[]> = {
  'loopback, IPv4': [
    ...['127.0.0.1', '127.1', '127.0.1', '127.255.255.254', '127.0.0.1.', '127.1.'],
    ...['2130706433', '0x7f000001', '0x7f.1', '0x7f.0.0.1', '0X7F.0x0.0.1'],
    ...['0177.0.0.1', '0177.1', '017700000001', '00000177.0.0.1', '0x7f.0.0.01'],
    ...['１２７.０.０.１', '127。0。0。1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '127.0.0.\u00ad1'],
  ],
  unspecified: ['0.0.0.0', '0', '0x0', '0.0', '0.1.2.3', '[::]', '[0:0:0:0:0:0:0:0]'],
  private: [
    ...['10.0.0.5', '10.5', '0xa.5', '012.0.0.5', '167772165', '10.255.255.255'],
    ...['172.16.0.1', '172.31.255.255', '192.168.1.1', '192.168.257', '3232235777'],
  ],
  'link-local and metadata': [
    ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518'],
    ...['[fe80::1]', '[febf::1]', '[fd00:ec2::254]'],
  ],
  'other ranges that are not public': [
    ...[
      '100.64.0.1',
      '100.127.255.255',
      '192.0.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '198.18.0.1',
      '198.19.255.255',
    ],
    ...['198.51.100.7', '203.0.113.7', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
  ],
  'IPv6 of its own': [
    ...[
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[0000::0001]',
      '[::0.0.0.1]',
      '[fc00::1]',
      '[fd12:3456::1]',
      '[fec0::1]',
    ],
    ...['[ff02::1]', '[100::1]', '[2001::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[4000::1]'],
  ],
  'IPv6 that carries IPv4': [
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:A9FE:A9FE]', '[::ffff:10.0.0.5]', '[::127.0.0.1]'],
    ...[
      '[::7f00:1]',
      '[::ffff:0:7f00:1]',
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b::a9fe:a9fe]',
      '[64:ff9b::10.0.0.5]',
    ],
    ...['[64:ff9b:1::10.0.0.5]', '[2002:7f00:1::]', '[2002:a00:5::1]', '[2002:a9fe:a9fe::1]'],
  ],
  'zone ids': ['[fe80::1%25eth0]', '[::1%25lo]', '[fe80::1%eth0]', '[fe80::1%251]'],
  names: ['localhost', 'LOCALHOST', 'localhost.', 'feed.localhost', 'ｌocalhost'],
  'not quite hosts': ['acme.example@127.0.0.1', 'user:key@acme.example', '256.256.256.256', '127.0.0.0x1g'],
};

const PUBLIC = '93.184.216.34';

/** Addresses that a name's owner can make it resolve to. */
export const RESOLVED: Record<string, string[]> = {
  loopback: ['127.0.0.1'],
  'loopback, IPv6': ['::1'],
  private: ['10.0.0.5'],
  metadata: ['169.254.169.254'],
  unspecified: ['0.0.0.0'],
  mapped: ['::ffff:127.0.0.1'],
  NAT64: ['64:ff9b::7f00:1'],
  '6to4': ['2002:7f00:1::1'],
  'a zone id': ['fe80::1%eth0'],
  'public first': [PUBLIC, '127.0.0.1'],
  'public last': ['127.0.0.1', PUBLIC],
  'public in one family': [PUBLIC, '::1'],
  'public and mapped': [PUBLIC, '::ffff:10.0.0.5'],
  'public IPv6 and unique-local': ['2606:4700::1111', 'fd00::1'],
  'the last of many': [...Array.from({ length: 50 }, () => PUBLIC), '10.0.0.5'],
  octal: ['0177.0.0.1'],
  short: ['127.1'],
  'no address': ['localhost'],
  'an empty one': [''],
};
