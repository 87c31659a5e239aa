import type { HeldRecord, CustomerReport } from '../../../tools/demo/customer-records';
import { DemoErp } from '../../../tools/demo/demo-erp';
import { perType } from '../../../tools/demo/per-type';
import { DEMO_COMPANY } from '../../../tools/demo/demo-stage';
import { tallyRecords } from '../../../tools/demo/tally-records';
import { ENTITY_TYPES } from '../../../domain/records/entity-types';
import type { PushedRecord } from '../../../domain/records/validate-push';
import { finishWire, renderRecord } from '../../../domain/records/render-record';
import { generateCompany, type SampleCompany } from '../../../tools/sample/generate-elevator-company';
import { slowTest } from '../../setup/cases';

// Copied: what `structuredClone` makes has another Object in jest, and strict equality sees it.
const company = JSON.parse(
  JSON.stringify(generateCompany({ seed: 7, accounts: 20, tickets: 60 })),
) as SampleCompany;
const STORED = Date.parse('2026-11-21T11:00:00Z');

/** The customer holds all that was pushed, as the service renders it. */
function everything(): { erp: DemoErp; report: CustomerReport } {
  const erp = new DemoErp('', '');
  const held = perType((type) =>
    company[type].map((record) => {
      erp.latest[type].set(record.id, record);
      const rendered = renderRecord(type, record as PushedRecord, DEMO_COMPANY);
      const wire = finishWire(rendered, rendered.created_at ?? STORED, STORED);
      return Object.values(JSON.parse(wire.toString()))[0] as HeldRecord;
    }),
  );
  const none = perType(() => 0);
  return { erp, report: { held, delivered: none, repeated: none } };
}

const missing = ({ erp, report }: ReturnType<typeof everything>) => {
  const tallies = tallyRecords(erp, report, {});
  return ENTITY_TYPES.map((type) => tallies[type].missing);
};

slowTest('what is held as it was pushed is not missing', () =>
  expect(missing(everything())).toEqual([0, 0, 0, 0]),
);

test('a record that is not there is missing', () => {
  const books = everything();
  books.report.held.contracts.pop();
  expect(missing(books)).toEqual([0, 1, 0, 0]);
});

test.each([
  ['a field differs', (ticket: HeldRecord) => (ticket['net_weight'] = 1)],
  ['a field too many', (ticket: HeldRecord) => (ticket['colour'] = 'red')],
  ['a field is gone', (ticket: HeldRecord) => delete ticket['commodity']],
  ['an older content', (ticket: HeldRecord) => (ticket['source_updated_at'] = '2026-01-01T00:00:00.000Z')],
  [
    'a reference to another record',
    (ticket: HeldRecord) => (ticket['elevator'] = { id: '42-9', remote_id: '9' }),
  ],
  ['another company', (ticket: HeldRecord) => (ticket['company'] = { id: '43', name: DEMO_COMPANY.name })],
  ['deleted', (ticket: HeldRecord) => (ticket['deleted_at'] = ticket.updated_at)],
  ['no time of change', (ticket: HeldRecord) => (ticket.updated_at = 'yesterday')],
])('%s: the record counts as missing', (_, spoil) => {
  const books = everything();
  spoil(books.report.held.tickets[3]!);
  expect(missing(books)).toEqual([0, 0, 1, 0]);
});
