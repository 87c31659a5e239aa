import { pushWarnings } from '../../domain/records/push-warnings';

const askew = (id: string) => ({ id, gross_weight: 3, tare_weight: 1, net_weight: 1 });
const OFF = 'net_weight is not gross_weight - tare_weight (off by -1)';
const push = (...tickets: object[][]) => ({
  data: tickets.map((some) => ({ 'update-tickets': { tickets: some } })),
});

test('by path, and the first three by record', () => {
  const { count, messages, shown } = pushWarnings(
    push([{ id: 'A' }, askew('B')], [askew('C'), askew('D'), askew('E')]),
  );
  expect(count).toBe(4);
  expect(shown).toEqual(['B', 'C', 'D'].map((id) => `tickets ${id}: ${OFF}`));
  expect(Object.keys(messages)).toEqual([
    'data[0].update-tickets.tickets[1].net_weight',
    ...[0, 1, 2].map((place) => `data[1].update-tickets.tickets[${place}].net_weight`),
  ]);
  expect(new Set(Object.values(messages).flat()).size).toBe(1);
});

test('all are counted, and the first hundred kept', () => {
  const { count, messages } = pushWarnings(
    push(Array.from({ length: 120 }, (_, place) => askew(`T${place}`))),
  );
  expect(count).toBe(120);
  expect(Object.keys(messages)).toHaveLength(100);
});

test('a push that adds up has none', () =>
  expect(pushWarnings(push([{ id: 'A', gross_weight: 3, tare_weight: 1, net_weight: 2 }]))).toEqual({
    count: 0,
    messages: {},
    shown: [],
  }));

test('a record that a later one of the request replaces has that as its only warning', () => {
  const body = {
    data: [
      ...push([askew('A'), askew('B'), askew('A')]).data,
      { 'update-accounts': { accounts: [{ id: 'B', name: 'Meyer' }] } },
      ...push([askew('B')]).data,
    ],
  };
  const replacedBy = (path: string) => [`comes again as ${path}: that one is stored`];
  const off = ['is not gross_weight - tare_weight (off by -1)'];
  expect(pushWarnings(body)).toMatchObject({
    count: 4,
    messages: {
      'data[0].update-tickets.tickets[0].id': replacedBy('data[0].update-tickets.tickets[2]'),
      'data[0].update-tickets.tickets[1].id': replacedBy('data[2].update-tickets.tickets[0]'),
      'data[0].update-tickets.tickets[2].net_weight': off,
      'data[2].update-tickets.tickets[0].net_weight': off,
    },
  });
});

test('a phone by which no farmer is found has a warning, without the number', () => {
  const phones = (...list: string[]) => list.map((phone) => ({ phone }));
  const accounts = [
    { id: 'A', name: 'Meyer', phones: phones('7015550142', '17015550142') },
    { id: 'B', name: 'Olson', phones: phones('7015550142', '5550142', '4917112345678') },
    { id: 'C', name: 'Nelson', phones: null },
  ];
  expect(pushWarnings({ data: [{ 'update-accounts': { accounts } }] })).toMatchObject({
    count: 1,
    messages: {
      'data[0].update-accounts.accounts[1].phones[1].phone': [
        'is neither ten digits nor eleven with a leading 1: no farmer is found by it',
      ],
    },
  });
});

describe('a misspelt field', () => {
  const warnings = (ticket: object) => pushWarnings(push([{ id: 'A', ...ticket }])).messages;
  const at = 'data[0].update-tickets.tickets[0]';

  test.each([
    ['net_wieght', 'net_weight'],
    ['NetWeight', 'net_weight'],
    ['comodity', 'commodity'],
  ])('%s is asked about as the file push asks', (name, meant) =>
    expect(warnings({ [name]: 1 })).toEqual({ [`${at}.${name}`]: [`is not a field: is it ${meant}?`] }),
  );

  // `rate` and `date` are two letters from `state`.
  test.each(['our_note', 'rate', 'date', 'truck_id', 'constructor', `net_weight${' '.repeat(100)}`])(
    '%s is one of the ERP’s own',
    (name) => expect(warnings({ [name]: 1 })).toEqual({}),
  );

  test('not beside the field itself, which the record then has', () =>
    expect(warnings({ net_weight: 1, net_wieght: 1, net_weight2: 1 })).toEqual({}));

  test('in the items of a list, of which the first one counts', () => {
    const split = { account_id: 'A', splt_percent: 50 };
    expect(warnings({ splits: [{ account_id: 'B', our_note: 1 }, split, split] })).toEqual({
      [`${at}.splits[1].splt_percent`]: ['is not a field: is it split_percent?'],
    });
  });

  test('of very many names the first 500 are compared', () => {
    const own = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`own ${n}`, 1]));
    expect(Object.keys(warnings({ ...own(499), net_wieght: 1 }))).toEqual([`${at}.net_wieght`]);
    expect(warnings({ ...own(500), net_wieght: 1 })).toEqual({});
  });
});
