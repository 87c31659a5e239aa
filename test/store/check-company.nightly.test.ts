import { setTimeout as sleep } from 'node:timers/promises';
import { renderRecord, finishWire } from '../../domain/records/render-record';
import type { PushedRecord } from '../../domain/records/validate-push';
import { addIntegration } from '../../store/callers/integrations';
import { records, type RecordDocument } from '../../store/records/records';
import type { Store } from '../../store/store';
import { cpuSeconds } from '../bench/cpu-seconds';
import { cases } from '../setup/cases';
import { newDatabaseUri } from '../setup/open-store';
import { openStoreAt } from '../setup/open-store-at';
import { startNode } from '../setup/processes';
import { COMPANY } from '../setup/push-records';
import { residentMB } from '../setup/resident-memory';

const TICKETS = cases(20_000, 100_000);
const ACCOUNTS = TICKETS / 50;
const MOST_MB = 200;
const LONGEST_MS = 3_600_000; // of a million on a loaded machine; to store them takes longest

let store: Store;
const uri = newDatabaseUri();
beforeAll(async () => {
  store = await openStoreAt(uri);
});

const AT = new Date('2026-11-01T12:00:00Z');

function documentOf(type: 'accounts' | 'tickets', record: object, position: number): RecordDocument {
  const rendered = renderRecord(type, record as PushedRecord, COMPANY);
  const { id: _id, account_ids, hash, phones } = rendered;
  const wire = finishWire(rendered, AT, AT);
  const dates = { updated_at: AT, created_at: AT, deleted_at: null };
  const about = { _id, company_id: COMPANY.id, account_ids, position, hash, wire, render_version: 2 };
  return { ...about, ...dates, ...(phones && { phones }) };
}

async function put(type: 'accounts' | 'tickets', count: number, recordAt: (at: number) => object) {
  for (let from = 0; from < count; from += 5_000) {
    const some = Array.from({ length: Math.min(5_000, count - from) }, (_, at) =>
      documentOf(type, recordAt(from + at), from + at + 1),
    );
    await records(store, type).insertMany(some, { ordered: false });
  }
}

const padded = (at: number) => String(at).padStart(7, '0');
const account = (at: number) => ({
  id: padded(at),
  name: `Farm ${at}`,
  phones: [{ phone: at % 100 === 0 ? '7015550100' : `701${padded(at)}` }],
});
const ticket = (at: number) => ({
  id: `T-${padded(at)}`,
  ticket_number: padded(at % (TICKETS - 7)), // the last seven have one that is there
  account_id: padded(at % (ACCOUNTS + 1)), // one more than there are
  gross_weight: 78420,
  tare_weight: 26080,
  net_weight: at % 1_000 === 0 ? 52000 : 52340,
  weight_uom: 'lb',
  field_name: 'Home Quarter',
  weigh_in_at: '2026-10-20T08:41:00-05:00',
  grade_factors: [{ code: 'MO', name: 'moisture', result: 16.2, result_uom: '%' }],
  note: 'x'.repeat(300),
});

test(
  `${TICKETS} tickets are checked in less than ${MOST_MB} MB`,
  async () => {
    await put('accounts', ACCOUNTS, account);
    await put('tickets', TICKETS, ticket);
    const { integration } = await addIntegration(store, { name: 'agris', company: COMPANY });
    const env = { ...process.env, MONGODB_URI: uri };
    const began = Date.now();
    const check = startNode(['dist/cli/main.js', 'integration', 'check', integration._id, '--json'], env);
    const { child } = check;
    let [most, cpu] = [0, 0];
    let isOver = false;
    void check.ended.then(() => (isOver = true));
    while (!isOver) {
      if (child.exitCode === null)
        [most, cpu] = [Math.max(most, residentMB(child.pid!) || 0), cpuSeconds(child.pid!)];
      await sleep(50);
    }
    const seconds = Math.round((Date.now() - began) / 1_000);
    console.log(`${TICKETS} tickets checked in ${seconds} s, ${cpu} s of CPU, ${Math.round(most)} MB`);
    const said = check.lines.filter((line) => !line.endsWith('checked'));
    const { checked, findings } = JSON.parse(said.join('\n'));
    expect(checked).toMatchObject({ accounts: ACCOUNTS, tickets: TICKETS });
    const missing = Array.from({ length: TICKETS }, (_, at) => at % (ACCOUNTS + 1)).filter(
      (at) => at === ACCOUNTS,
    );
    const counts = Object.fromEntries(
      findings.map(({ name, count }: { name: string; count: number }) => [name, count]),
    );
    expect(counts).toEqual({
      account_missing: missing.length,
      ...(ACCOUNTS / 100 > 25 && { phone_on_many_accounts: 1 }),
      ticket_number_twice: 7,
      net_wrong: TICKETS / 1_000,
    });
    expect(most).toBeLessThan(MOST_MB);
  },
  LONGEST_MS,
);
