import { listReleased } from '../../store/deliveries/set-aside';
import { cases } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { byId, plantDifferences } from './run-compare';
import { startComparing } from './start-comparing';

let service: Awaited<ReturnType<typeof startComparing>>;
beforeAll(async () => {
  service = await startComparing();
});

const AMOUNT = 3_000;

test('finds what was planted and nothing else, mends only that, and leaves the marker', async () => {
  const { feed } = service;
  const slug = 'planted';
  const customer = await service.customer(slug);
  let receiver = await customer.receive();
  await feed.push(slug, ['tickets'], AMOUNT);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'tickets', 1);
  expect(await customer.compare()).toMatchObject({ code: 0, differences: [] });

  const before = receiver.records();
  await receiver.kill();
  const planted = plantDifferences(customer.held, 'tickets');
  receiver = await customer.receive();
  const found = await customer.compare();
  expect([found.code, byId(found.differences)]).toEqual([1, planted]);
  const marker = await feed.marker(slug, 'tickets');

  expect((await customer.compare('--mend')).code).toBe(0);
  await eventually(async () => expect(await listReleased(feed.store, slug)).toEqual([]));
  expect(receiver.records()).toEqual(before);
  expect(await customer.compare()).toMatchObject({ code: 0, differences: [] });
  const after = await feed.marker(slug, 'tickets');
  expect([after.position, after.generation]).toEqual([marker.position, marker.generation]);
  const reports = await feed.store.db.collection('deliveries').find({ channel: slug }).toArray();
  // altered and missing
  expect(reports.map(({ records }) => records).sort((one, other) => one - other)).toEqual([10, AMOUNT]);
  await receiver.kill();
});

// GDX_CASES=3600 for an hour.
const SECONDS = cases(5, 60);

test(
  'no difference is false while records are pushed and delivered',
  async () => {
    const { feed } = service;
    const slug = 'pushing';
    const customer = await service.customer(slug, { page_size: 50 });
    const receiver = await customer.receive();
    let isOver = false;
    let pushes = 0;
    const pushing = (async () => {
      for (; !isOver; pushes += 1) {
        const tickets = Array.from({ length: 40 }, (_, index) => ({
          id: String((pushes * 17 + index) % 6_000),
          account_id: '1',
          net_weight: pushes,
          weight_uom: 'lb',
          ...(index === 0 && { deleted_at: '2026-10-01T00:00:00Z' }),
        }));
        await feed.pushThese(slug, { tickets });
        await feed.deliverNow(slug);
      }
    })();
    await eventually(() =>
      expect(Object.keys(receiver.records()['tickets'] ?? {}).length).toBeGreaterThan(100),
    );
    const seen: Awaited<ReturnType<typeof customer.compare>>[] = [];
    const looked = (text: RegExp) => seen.some(({ output }) => text.test(output));
    const lookedAtAll = () => [looked(/, [1-9]\d* pending/), looked(/: [1-9]\d* of \d+ ranges differ/)];
    // On a slow machine a few comparisons may have seen nothing of what goes on.
    const until = Date.now() + SECONDS * 1_000;
    const atMost = until + 60_000;
    while (Date.now() < (lookedAtAll().includes(false) ? atMost : until)) seen.push(await customer.compare());
    isOver = true;
    await pushing;
    process.stdout.write(`${seen.length} comparisons in ${SECONDS} s, beside ${pushes} pushes\n`);
    expect(seen.filter(({ code }) => code !== 0).map(({ output }) => output)).toEqual([]);
    expect(lookedAtAll()).toEqual([true, true]);
    await receiver.kill();
  },
  (SECONDS + 600) * 1_000,
);

test('says what is wrong with how it is called', async () => {
  const { compare } = await service.customer('wrong', { entity_types: ['accounts'] });
  expect(await compare('--delete')).toMatchObject({
    code: 2,
    output: expect.stringContaining('compare.mjs'),
  });
  const refused = await compare();
  expect(refused.code).toBe(1);
  expect(refused.output).toContain('this channel carries only accounts');
});
