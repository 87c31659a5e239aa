import { formatTable } from '../../cli/print';

it('sets numbers to the right and shows instants, lists and nothing', () => {
  const rows = [
    { name: 'Acme', records: 12_304, at: new Date(0), types: ['accounts', 'tickets'], failure: null },
    { name: 'B', records: 7, at: new Date(1_000), types: [], failure: 'refused' },
  ];
  expect(formatTable(rows)).toBe(
    [
      'NAME  RECORDS  AT                        TYPES              FAILURE',
      'Acme   12,304  1970-01-01T00:00:00.000Z  accounts, tickets  -',
      'B           7  1970-01-01T00:00:01.000Z  -                  refused',
      '',
    ].join('\n'),
  );
});

it('lets nothing through that moves the cursor or begins a line', () => {
  expect(formatTable([{ name: 'a\u001b[2Jb\nc\u009bd\u2028e' }])).toBe('NAME\na?[2Jb?c?d?e\n');
});

it('is nothing without rows', () => expect(formatTable([])).toBe(''));
