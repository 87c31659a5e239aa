import { copiedFields, inWords } from '../../api/farmer/copy-words';
import { copyTable } from '../../api/farmer/copy-table';
import { copyToRead } from '../../api/farmer/pages/copy-to-read';
import { TEXTS } from '../../api/farmer/texts/texts';
import { COMMANDS } from '../../domain/records/commands';
import { ENTITY_TYPES, type EntityType, WRAPPER_KEYS } from '../../domain/records/entity-types';
import type { Language } from '../../domain/text/language';
import { textOf } from './visitor';

const UNITS = ['bu', 'lb', 'cwt', 'ton', 'kg', 'mt'];

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  examples?: string[];
}

function wordsIn({ properties = {} }: Schema): string[] {
  return Object.values(properties).flatMap(({ examples = [], items = {} }) => [
    ...examples,
    ...Object.keys(items.properties ?? {}).filter((name) => !name.endsWith('_id')),
    ...wordsIn(items),
  ]);
}

/** A copy with these records of one type. */
function copyOf(type: EntityType, records: object[], language: Language = 'en') {
  const batch = { type, records: records.map((one) => JSON.stringify({ [WRAPPER_KEYS[type]]: one })) };
  return {
    ...{ customer: 'Acme', madeAt: new Date('2026-11-29T18:00:00Z'), zone: 'America/Chicago', language },
    ...{ texts: TEXTS[language], service: 'Grain Data Exchange' },
    batches: (async function* () {
      yield await Promise.resolve(batch);
    })(),
  };
}

async function read(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

test('a Spanish copy has a Spanish word for every field and every known value of a record', () => {
  const schemas = COMMANDS.filter(({ recordType }) => recordType !== 'elevators').map(
    ({ schema }) => schema as Schema,
  );
  const needed = new Set([...ENTITY_TYPES.flatMap(copiedFields), ...schemas.flatMap(wordsIn)]);
  const { words } = TEXTS.es.copied;
  expect([...needed].filter((word) => !UNITS.includes(word) && !Object.hasOwn(words, word))).toEqual([]);
});

test('a copy says days, moments, known values and other records as people do, in both languages', async () => {
  const contract = {
    ...{
      id: '42-7',
      remote_id: '7',
      account: { id: '42-1', remote_id: '1' },
      contract_type: 'hedged_to_arrive',
    },
    ...{ contract_date: '2026-08-14', signed: true, deleted_at: null, created_at: '2026-08-14T15:00:00Z' },
  };
  const english = textOf(await read(copyToRead(copyOf('contracts', [contract]))));
  expect(english).toContain(
    'Account 1 Contract type hedged to arrive Contract date August 14, 2026 Signed yes',
  );
  expect(english).toContain('First stored August 14, 2026 at 10:00 AM Central Time');
  expect(english).not.toMatch(/Deleted|null|42-7/);
  const spanish = textOf(await read(copyToRead(copyOf('contracts', [contract], 'es'))));
  expect(spanish).toContain(
    'Cuenta 1 Tipo de contrato futuros fijados (HTA) Fecha del contrato 14 de agosto de 2026',
  );
});

test('no name of a customer or of a record writes into the page of a copy', async () => {
  const records = [{ remote_id: '1', name: '<script>alert(1)</script>\u0000' }];
  const copy = { ...copyOf('accounts', records), customer: '</title>\u0000<b>' };
  const html = await read(copyToRead(copy));
  expect(html).not.toMatch(/<script|<b>/);
  expect(html).toMatch(/<\/main>.*<\/html>$/s);
});

test('a spreadsheet runs no formula of a copy, reads its figures, and gets fields of their own last', async () => {
  const tickets = [
    {
      remote_id: '=HYPERLINK("x")',
      net_weight: '-42.10',
      hauler: '+1 "A", B',
      notes_of_ours: 'wet',
      id: '42-=',
    },
  ];
  const [type, names, row] = (await read(copyTable(copyOf('tickets', tickets)))).split('\r\n');
  expect([type, names]).toEqual(['\ufeffScale tickets', expect.stringMatching(/,Net weight,.*,More$/)]);
  expect(row).toMatch(/^"'=HYPERLINK\(""x""\)",.*,-42\.10,.*,"'\+1 ""A"", B",.*,Notes of ours: wet$/);
});

test('a list is said item by item', () => {
  const splits = [{ split_percent: 50 }, null, { split_percent: 30, disposition: 'grain_bank' }];
  expect(inWords('splits', splits, TEXTS.en)).toBe(
    'Split percent: 50; Split percent: 30, Disposition: grain bank',
  );
});
