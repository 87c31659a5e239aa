import {
  deniedAddress,
  deniedHost,
  isCidr,
  withoutAddress,
  type OutboundRule,
} from '../../domain/settings/denied-address';

const production: OutboundRule = { production: true, outboundAllow: [], outboundPorts: [443] };
const development: OutboundRule = { ...production, production: false };

test.each([
  ['10.0.0.5', 'a private'],
  ['fd00::1', 'a private'],
  ['127.0.0.1', 'a loopback'],
  ['::1', 'a loopback'],
  ['169.254.169.253', 'a link-local'],
  ['169.254.169.254', 'a cloud metadata'],
  ['168.63.129.16', 'a cloud metadata'],
  ['100.100.100.200', 'a cloud metadata'],
  ['169.254.170.23', 'a cloud metadata'],
  ['169.254.42.42', 'a cloud metadata'],
  ['fd00:ec2::254', 'a cloud metadata'],
  ['fd00:ec2::23', 'a cloud metadata'],
  ['fd20:ce::254', 'a cloud metadata'],
  ['::ffff:168.63.129.16', 'a cloud metadata'],
  ['64:ff9b::168.63.129.16', 'a cloud metadata'],
  ['2002:a83f:8110::', 'a cloud metadata'],
  ['100.64.0.1', 'a carrier-grade NAT'],
  ['0.0.0.0', 'an unspecified'],
  ['255.255.255.255', 'a broadcast'],
  ['224.0.0.1', 'a multicast'],
  ['240.0.0.1', 'a reserved'],
  ['4000::1', 'a reserved'],
  ['::ffff:10.0.0.1', 'a private'],
  ['64:ff9b::10.0.0.1', 'a private'],
  ['2002:a00:1::', 'a private'],
])('%s is denied as %s address', (address, kind) =>
  expect(deniedAddress(address, production)).toBe(
    `points to ${address}, ${kind} address: customer URLs must be public`,
  ),
);

test.each(['8.8.8.8', '2606:4700::1111', '64:ff9b::8.8.8.8', '2002:808:808::1', '::ffff:8.8.8.8'])(
  '%s is public',
  (address) => expect(deniedAddress(address, production)).toBeUndefined(),
);

test('a text that is not an address is denied as such', () =>
  expect(deniedAddress('acme.example', production)).toBe('points to acme.example, which is not an address'));

test('loopback is allowed outside production, and other networks where they are named', () => {
  expect(deniedAddress('127.0.0.1', development)).toBeUndefined();
  expect(deniedAddress('10.0.0.5', development)).toBeDefined();
  const allowing = { ...development, outboundAllow: ['fd00::/8', '10.1.0.0/16'] };
  expect(deniedAddress('10.1.2.3', allowing)).toBeUndefined();
  expect(deniedAddress('10.2.2.3', allowing)).toBeDefined();
  expect(deniedAddress('fd00:ec2::254', allowing)).toMatch(/cloud metadata/);
});

test.each(['localhost', 'LOCALHOST.', 'api.localhost'])('%s is this machine', (host) => {
  expect(deniedHost(host, production)).toBe(`points to ${host}, this machine: customer URLs must be public`);
  expect(deniedHost(host, development)).toBeUndefined();
});

test.each(['acme.example', 'mylocalhost', 'localhost.example'])('%s is checked when it is resolved', (host) =>
  expect(deniedHost(host, production)).toBeUndefined(),
);

test('a host that is an address is judged at once, even in brackets', () => {
  expect(deniedHost('10.0.0.5', production)).toMatch(/^points to 10\.0\.0\.5, a private/);
  expect(deniedHost('[fd00::1]', production)).toMatch(/^points to fd00::1, a private/);
});

test('customers do not see what a name resolves to', () => {
  const said = 'has a base URL that points to 10.0.0.5, a private address: customer URLs must be public';
  expect(withoutAddress(said)).toBe(
    'has a base URL that points to a private address: customer URLs must be public',
  );
  expect(withoutAddress('points to 0.0.0.0, an unspecified address')).toBe(
    'points to an unspecified address',
  );
  expect(withoutAddress('points to x, which is not an address')).toBe('points to x, which is not an address');
});

test.each([
  ['203.0.113.0/24', true],
  ['0.0.0.0/0', true],
  ['2001:db8::/32', true],
  ['::/0', true],
  ['203.0.113.7', false],
  ['203.0.113.0/33', false],
  ['10/8', false],
  ['10.1/16', false],
  ['010.1.2.3/32', false],
  ['0x7f.0.0.1/8', false],
  ['::ffff:203.0.113.0/120', false],
])('a CIDR is taken as it reads, or not at all: %s', (text, isOne) => expect(isCidr(text)).toBe(isOne));
