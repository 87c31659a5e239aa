import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');
const roles = JSON.parse(read('deploy/mongodb-roles.json')) as Record<string, Record<string, string[]>>;
const writes = (role: string, collection: string) =>
  (roles[role]?.[collection] ?? []).filter((action) => action !== 'find');

// That the processes need no more is the slow test's: it compares what they send.
test('the ledger and what operators did are only added to, and each process writes nothing that is the other’s', () => {
  expect(writes('gdx-api', 'operator_actions')).toEqual(['insert']);
  expect([writes('gdx-api', 'consents'), writes('gdx-worker', 'consents')]).toEqual([['insert'], []]);
  expect(writes('gdx-api', 'endings')).toEqual(['update', 'remove']); // what ends is said by gdx alone
  expect(writes('gdx-api', 'deliveries')).toEqual(['update']); // a page that a customer confirms
  for (const collection of ['alerts', 'integrations', 'operators', 'keys', 'migrations'])
    expect([collection, writes('gdx-api', collection)]).toEqual([collection, []]);
  for (const collection of ['accounts', 'tickets', 'counters', 'keys', 'migrations'])
    expect([collection, writes('gdx-worker', collection)]).toEqual([collection, []]);
  for (const collection of [
    'integrations',
    'sessions',
    'sign_in_codes',
    'farmers',
    'operators',
    'operator_sessions',
    'customer_sessions',
  ])
    expect(roles['gdx-worker']).not.toHaveProperty(collection);
});

test('compose makes these roles, and gives API and worker no other', () => {
  const script = read('deploy/compose/mongodb-init.js');
  expect(script).toContain("require('/scripts/mongodb-roles.json')");
  for (const user of ['gdx-api', 'gdx-worker'])
    expect(script).toMatch(new RegExp(`'${user}', .*, \\['${user}'\\]\\)`));
  expect(script.match(/readWrite'/g)).toHaveLength(1);
});
