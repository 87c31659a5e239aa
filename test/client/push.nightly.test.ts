import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEVELOPMENT_CUSTOMER_KEYS } from '../../domain/settings/key-settings';
import { addIntegration } from '../../store/callers/integrations';
import type { Store } from '../../store/store';
import { generateTickets } from '../../tools/sample/generate-tickets';
import { cases } from '../setup/cases';
import { newDatabaseUri } from '../setup/open-store';
import { SECRET_KEY } from '../setup/open-store-at';
import { type Service, startService } from '../setup/processes';
import { startPushing } from './start-pushing';
import { connectStoreAt } from '../setup/open-store-at';

const LINES = cases(5_000, 20_000);
const KILLS = 20;
const MOST_MB = 250;
const LONGEST_MS = 3 * 3_600_000; // of a million lines on a loaded machine

let store: Store;
let service: Service;
beforeAll(async () => {
  const uri = newDatabaseUri();
  service = await startService('api', { MONGODB_URI: uri, NODE_ENV: 'test' });
  const keys = { secretKey: SECRET_KEY, customerKeys: DEVELOPMENT_CUSTOMER_KEYS };
  store = await connectStoreAt(uri, { keys });
});

async function writeExport(file: string): Promise<void> {
  const out = createWriteStream(file);
  out.write('Ticket,Account,Net,In,Commodity\n');
  let line = 0;
  for (const ticket of generateTickets({ seed: 14, accounts: 200, tickets: LINES })) {
    if (++line > LINES) break;
    const { account_id = '1001', net_weight, weigh_in_at, commodity } = ticket as Record<string, unknown>;
    const row = `T-${line},${String(account_id)},"${String(net_weight)}",${String(weigh_in_at)},${String(commodity)}\n`;
    if (!out.write(row)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

test(
  `${LINES} lines with ${KILLS} kill -9: none lost, none changed twice, memory flat`,
  async () => {
    const company = { id: '42', name: 'Prairie Co-op' };
    const { token } = await addIntegration(store, { name: 'agris', company });
    const erp = startPushing(service.url, token);
    erp.write('mapping.json', {
      type: 'tickets',
      record: {
        id: 'Ticket',
        account_id: 'Account',
        net_weight: 'Net',
        weight_uom: { value: 'lb' },
        weigh_in_at: 'In',
        commodity: 'Commodity',
      },
    });
    await writeExport(erp.at('export.csv'));
    // So many batches that each kill finds one.
    const batch = String(Math.max(10, Math.min(1_000, Math.floor(LINES / 100))));
    const args = ['--mapping', erp.at('mapping.json'), '--batch', batch];
    const began = Date.now();
    expect(
      await erp.pushKilled('export.csv', args, KILLS, Math.floor(LINES / Number(batch) / KILLS / 2)),
    ).toBe(KILLS);
    const last = erp.start(erp.at('export.csv'), ...args, '--json');
    let most = 0;
    while (last.child.exitCode === null) {
      most = Math.max(most, erp.megabytes(last.child.pid!));
      await sleep(50);
    }
    expect(await last.ended).toBe(0);
    const seconds = Math.round((Date.now() - began) / 1_000);
    process.stderr.write(`${LINES} lines, ${KILLS} kill -9: ${seconds} s, ${most} MB at most\n`);
    const tickets = store.db.collection('tickets');
    const counter = await store.db.collection('counters').findOne({ _id: 'tickets' as never });
    expect([await tickets.countDocuments(), counter?.['position']]).toEqual([LINES, LINES]);
    expect(await tickets.countDocuments({ position: { $gt: LINES } })).toBe(0);
    expect(last.lines.join('\n')).toContain(`"changed": ${LINES},`);
    expect(most).toBeLessThan(MOST_MB);
  },
  LONGEST_MS,
);
