import { testPage } from '../../domain/deliveries/test-page';

const NOW = new Date('2026-11-21T08:00:00Z');
const page = (withRecord: boolean) => JSON.parse(testPage(withRecord, 1000, NOW).toString()) as unknown;
const meta = (count: number) => ({
  current_page: 1,
  page_count: count,
  page_size: 1000,
  total_count: count,
  total_pages: count,
});

test('an empty page', () => expect(page(false)).toEqual({ data: [], meta: meta(0) }));

test('a page of one deleted account', () => {
  const instant = '2026-11-21T08:00:00.000Z';
  const account = {
    id: 'gdx-test-test',
    remote_id: 'test',
    name: 'TEST, not a farmer',
    company: { id: 'gdx-test', name: 'Test of the operator' },
    phones: [{ phone: '7015550100' }],
    created_at: instant,
    updated_at: instant,
    deleted_at: instant,
  };
  expect(page(true)).toEqual({ data: [{ account }], meta: meta(1) });
});
