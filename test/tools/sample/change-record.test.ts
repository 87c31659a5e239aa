import { ENTITY_TYPES } from '../../../domain/records/entity-types';
import { validatePush } from '../../../domain/records/validate-push';
import { changeRecord } from '../../../tools/sample/change-record';
import { toHundredths } from '../../../tools/sample/fixed-point';
import { generateCompany } from '../../../tools/sample/generate-elevator-company';
import { Random } from '../../../tools/sample/random';
import { ELEVATOR } from '../../../api/openapi/examples';
import { first, scaledTest } from '../../setup/cases';

const company = generateCompany({ seed: 11, accounts: 10, tickets: 200, settlements: 12 });

describe.each(ENTITY_TYPES)('a changed record of %s', (type) => {
  const records: { id: string; updated_at: string }[] = company[type];

  scaledTest('is the same record, different, later and still what a push takes, change after change', () => {
    const random = new Random('changes');
    for (const record of first(20, records)) {
      const given = structuredClone(record);
      let before = record;
      for (let change = 0; change < 8; change++) {
        const later = changeRecord(type, before, random);
        expect(later.id).toBe(record.id);
        expect(later.updated_at > before.updated_at).toBe(true);
        expect(validatePush({ data: [{ [`update-${type}`]: { [type]: [later] } }] })).toMatchObject({
          ok: true,
        });
        before = later;
      }
      expect(record).toEqual(given);
    }
  });

  it('differs in more than its time', () => {
    const [record] = records;
    const later = changeRecord(type, record!, new Random(1));
    expect({ ...later, updated_at: record!.updated_at }).not.toEqual(record);
  });

  it('is the same for the same chance', () => {
    const change = () => records.map((record) => changeRecord(type, record, new Random(5)));
    expect(change()).toEqual(change());
  });
});

it('re-grades a ticket without moving its bushels', () => {
  for (const ticket of company.tickets) {
    const later = changeRecord('tickets', ticket, new Random(ticket.id));
    expect(later.grade_factors).not.toEqual(ticket.grade_factors);
    expect([later.net_units, later.applications]).toEqual([ticket.net_units, ticket.applications]);
  }
});

it('applies a contract until it is full, then extends it', () => {
  const random = new Random(3);
  let contract = company.contracts[0]!;
  for (let change = 0; change < 60; change++) {
    contract = changeRecord('contracts', contract, random);
    const { quantity, quantity_applied, quantity_remaining } = contract;
    expect(toHundredths(quantity_applied) + toHundredths(quantity_remaining)).toBe(toHundredths(quantity));
  }
  expect(contract).toMatchObject({
    status: 'closed',
    quantity_remaining: 0,
    amendments: [{ changed_field: 'expires_on' }],
  });
});

it('pays a posted settlement its net amount', () => {
  const posted = company.settlements.find(({ status }) => status === 'posted')!;
  const paid = changeRecord('settlements', posted, new Random(2));
  expect(paid).toMatchObject({ status: 'paid', payments: [{ amount: posted.net_amount, status: 'issued' }] });
});

it('has the elevator of the specification as a push takes it', () => {
  expect(validatePush({ data: [{ 'update-elevators': { elevators: [ELEVATOR] } }] })).toMatchObject({
    ok: true,
  });
  expect(Object.keys(ELEVATOR)).toHaveLength(15);
});
