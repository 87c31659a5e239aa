import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const CONF = readFileSync(path.join(checkout, 'deploy/nginx/gdx.conf'), 'utf8');
const NETWORK = new RegExp(/"~(\^\(\?P<network>.*)" \$network;/.exec(CONF)![1]!.replace('?P<', '?<'));

/** By what the shipped nginx counts the connections of an address, as it writes addresses: the longest run of zeros is `::`. */
const callerOf = (address: string) => NETWORK.exec(address)?.groups!['network'] ?? address;

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::7'],
  ['2001:db8:1::3:4:5', '2001:db8:1::4:4:5'],
  ['2001:db8::1:2:3:4', '2001:db8::7'],
  ['2600::a:b:c:d', '2600::1'],
])('%s and %s are one network, and so one caller', (one, other) => {
  expect(callerOf(one)).toBe(callerOf(other));
});

test.each([
  ['2001:db8:1:2::7', '2001:db8:1:3::7'],
  ['192.0.2.1', '192.0.2.2'],
])('%s and %s are two callers', (one, other) => {
  expect(callerOf(one)).not.toBe(callerOf(other));
});
