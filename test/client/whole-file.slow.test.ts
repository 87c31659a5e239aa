import { utimesSync } from 'node:fs';
import { type Api, integrationToken, startApi } from '../api/start-api';
import { cases, scaledTest } from '../setup/cases';
import { type Pushing, startPushing } from './start-pushing';

// A whole file with deletions, at the real service and under kill -9: docs/contract.md E21.

const TICKETS = 300;
const DELETED = 25;
const KILLS = cases(1, 20);

let api: Api;
let erp: Pushing;
beforeAll(async () => {
  api = await startApi({ limits: { requestsPerMinute: 1e9 } });
  erp = startPushing(`http://127.0.0.1:${api.port}`, await integrationToken(api.store));
});

function write(name: string, from: number, day: number): string {
  const rows = Array.from({ length: TICKETS - from }, (_, row) => `T-${from + row},1001,${1_000 + row}\n`);
  const file = erp.write(name, `Ticket,Account,Net\n${rows.join('')}`);
  const at = new Date(Date.UTC(2026, 10, day));
  utimesSync(file, at, at);
  return file;
}

async function stored() {
  const tickets = api.store.db.collection<{ _id: string; deleted_at: Date | null; wire: Buffer }>('tickets');
  const all = await tickets.find().toArray();
  const idsOf = (of: typeof all) =>
    of.map(({ _id }) => Number(_id.replace('42-T-', ''))).sort((a, b) => a - b);
  const gone = all.filter(({ deleted_at }) => deleted_at !== null);
  return { gone, deleted: idsOf(gone), live: idsOf(all.filter((one) => !gone.includes(one))) };
}

const span = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

scaledTest(
  'what the file has not is deleted as it stands, and nothing that it has, with each kill -9',
  async () => {
    const record = { id: 'Ticket', account_id: 'Account', net_weight: 'Net', weight_uom: { value: 'lb' } };
    const args = [
      '--mapping',
      erp.write('mapping.json', { type: 'tickets', whole: {}, record }),
      '--batch',
      KILLS > 1 ? '2' : '10', // so that each comes within the file
    ];
    expect((await erp.push(write('first.csv', 0, 1), ...args)).code).toBe(0);
    const second = write('second.csv', DELETED, 2);
    expect(await erp.pushKilled('second.csv', args, KILLS)).toBe(KILLS);
    expect((await stored()).live).toEqual(expect.arrayContaining(span(DELETED, TICKETS)));
    expect((await erp.push(second, ...args)).code).toBe(0);
    const { live, deleted, gone } = await stored();
    expect([live, deleted]).toEqual([span(DELETED, TICKETS), span(0, DELETED)]);
    for (const { wire } of gone) expect(wire.toString()).toContain('"weight_uom":"lb"');
    const older = await erp.push(write('third.csv', 0, 1), ...args);
    expect([older.code, older.err]).toEqual([1, expect.stringMatching(/and one of 2026-11-02 00:00:00 was pushed whole/)]); // prettier-ignore
  },
);
