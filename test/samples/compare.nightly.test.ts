import { writeFileSync } from 'node:fs';
import { startMarker } from '../../store/markers/markers';
import { listReleased } from '../../store/deliveries/set-aside';
import { eventually } from '../setup/eventually';
import { changeTimeOf, putRecords } from '../setup/put-records';
import { byId, plantDifferences } from './run-compare';
import { startComparing } from './start-comparing';

const RECORDS = Number(process.env['GDX_CASES'] ?? 50_000);
const WITHIN_MS = 60_000;

let service: Awaited<ReturnType<typeof startComparing>>;
beforeAll(async () => {
  service = await startComparing();
});

/** As large as a ticket of an ERP. */
function wireOf(company: string, position: number): Buffer {
  const id = {
    id: `${company}-${position}`,
    remote_id: String(position),
    company: { id: company, name: 'Co-op' },
  };
  const times = { updated_at: changeTimeOf(position).toISOString(), deleted_at: null };
  return Buffer.from(JSON.stringify({ ticket: { ...id, note: 'x'.repeat(500), ...times } }));
}

test(`of ${RECORDS} records, 15 differences are found within ${WITHIN_MS / 1000} s, and only those are mended`, async () => {
  const { feed } = service;
  const slug = 'large';
  const customer = await service.customer(slug);
  const company = (await feed.channel(slug)).companies[0]!;
  const records: Record<string, { updated_at: string }> = {};
  for (let from = 1; from <= RECORDS; from += 5_000) {
    const positions = Array.from({ length: Math.min(5_000, RECORDS - from + 1) }, (_, index) => from + index);
    await putRecords(
      feed.store,
      positions.map((position) => ({
        _id: `${company}-${position}`,
        company_id: company,
        account_ids: [`${company}-${position % 1_000}`],
        position,
        wire: wireOf(company, position),
      })),
    );
    for (const position of positions)
      records[`${company}-${position}`] = { updated_at: changeTimeOf(position).toISOString() };
  }
  const counters = feed.store.db.collection<{ _id: string }>('counters');
  await counters.updateOne({ _id: 'tickets' }, { $set: { position: RECORDS, at: changeTimeOf(RECORDS) } });
  await startMarker(feed.store, slug, 'tickets', RECORDS);
  writeFileSync(customer.held, JSON.stringify({ ids: [], records: { tickets: records } }));
  const planted = plantDifferences(customer.held, 'tickets');

  const began = Date.now();
  const found = await customer.compare();
  const took = Date.now() - began;
  expect([found.code, byId(found.differences)]).toEqual([1, planted]);
  process.stdout.write(`${RECORDS} records compared in ${took} ms\n`);
  expect(took).toBeLessThan(WITHIN_MS);

  const marker = await feed.marker(slug, 'tickets');
  expect((await customer.compare('--mend')).code).toBe(0);
  await eventually(async () => expect(await listReleased(feed.store, slug)).toEqual([]));
  const sent = customer.poster.pages.flatMap(({ records: ofPage }) => ofPage.map(({ id }) => id));
  const mended = planted.filter(({ what }) => what !== 'extra').map(({ id }) => id);
  expect(sent.sort()).toEqual(mended.sort());
  const after = await feed.marker(slug, 'tickets');
  expect([after.position, after.generation]).toEqual([marker.position, marker.generation]);
}, 3_600_000);
