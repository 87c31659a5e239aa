import { type CompanyCheck } from '../../store/check/check-company';
import { linesOf, SAID_EVERY } from '../../api/erp/get-check';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { accounts, type Api, integrationToken, pushOf, startApi } from './start-api';

const CHECK = '/api/v1/check';

let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi();
  token = await integrationToken(api.store);
});

test('it says what is wrong, for whom and how to mend it, by ids alone', async () => {
  const [first, ...others] = accounts(3);
  await api.ask('POST', '/api/v1/push', { token, body: pushOf([{ ...first, phones: [] }, ...others]) });
  const { status, headers, text } = await api.ask('GET', CHECK, { token });
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
  expect(text.split('\n')).toHaveLength(2);
  expect(JSON.parse(text)).toEqual({
    checked: { accounts: 3, contracts: 0, tickets: 0, settlements: 0 },
    findings: [
      {
        name: 'account_without_phone',
        count: 1,
        examples: ['accounts 1001'],
        says: expect.stringContaining('phone'),
        follows: expect.stringContaining('nobody can share'),
        mend: expect.stringContaining('push the account'),
      },
    ],
  });
});

test('one at a time for a company, whichever of its ERPs asks', async () => {
  const halt = stopHere();
  const store = rewire(api.store, async ({ collection, run }) => {
    if (collection === 'accounts') await halt.here();
    return run();
  });
  const slow = await startApi({ store });
  const other = await integrationToken(api.store);
  const first = slow.ask('GET', CHECK, { token });
  await halt.reached;
  const refused = await slow.ask('GET', CHECK, { token: other });
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
  halt.goOn();
  expect((await first).status).toBe(200);
  expect((await slow.ask('GET', CHECK, { token: other })).status).toBe(200);
});

async function* walkOf(...counts: number[]): AsyncGenerator<CompanyCheck> {
  for (const tickets of counts)
    yield { checked: { accounts: 1, contracts: 0, tickets, settlements: 0 }, met: new Map() };
}

async function linesIn(walk: AsyncGenerator<CompanyCheck>, signal = new AbortController().signal) {
  const lines = [];
  for await (const line of linesOf(walk, signal)) lines.push(JSON.parse(line));
  return lines;
}

test('it says how far it is every ten thousand records, and ends with the findings', async () => {
  const walk = walkOf(SAID_EVERY - 2, SAID_EVERY - 1, SAID_EVERY, 2 * SAID_EVERY - 1, 2 * SAID_EVERY);
  const found = await linesIn(walk);
  expect(found.map(({ checked, findings }) => [checked.tickets, findings])).toEqual([
    [SAID_EVERY - 1, undefined],
    [2 * SAID_EVERY - 1, undefined],
    [2 * SAID_EVERY, []],
  ]);
});

test('a walk ends with the connection of whoever asked', async () => {
  const walk = walkOf(1, 2, 3);
  expect(await linesIn(walk, AbortSignal.abort())).toEqual([]);
  expect((await walk.next()).done).toBe(true);
});
