import { validatePush } from '../../../domain/records/validate-push';
import { toHundredths } from '../../../tools/sample/fixed-point';
import { generateCompany } from '../../../tools/sample/generate-elevator-company';
import { generateTickets } from '../../../tools/sample/generate-tickets';
import { slowTest } from '../../setup/cases';

const SIZE = { seed: 7, accounts: 40, tickets: 1200, settlements: 60 };
const company = generateCompany(SIZE);
const { elevators, accounts, contracts, tickets, settlements } = company;
const cents = (text: string) => Math.round(Number(text) * 100);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const ids = (records: { id: string }[]) => new Set(records.map(({ id }) => id));

slowTest('one seed makes the same company again, and another seed another', () => {
  expect(generateCompany(SIZE)).toEqual(company);
  expect(generateCompany({ ...SIZE, seed: 8 }).tickets[0]).not.toEqual(tickets[0]);
});

test('a company of any size has as many of each kind as asked, every id once', () => {
  for (const count of [1, 2, 3, 5, 9, 40]) {
    const made = generateCompany({ seed: count, accounts: count, tickets: 100, settlements: 3 });
    const ofKinds = [made.accounts, made.tickets, made.settlements];
    expect(ofKinds.map((records) => records.length)).toEqual([count, 100, 3]);
    for (const records of [...ofKinds, made.contracts]) expect(ids(records).size).toBe(records.length);
  }
});

slowTest('tickets one by one are the same, not settled yet', () => {
  const unsettled = structuredClone(tickets);
  for (const { applications } of unsettled)
    for (const application of applications) delete application.settlement_id;
  expect([...generateTickets(SIZE)]).toEqual(unsettled);
});

slowTest('a push takes all of it', () => {
  const data = Object.entries(company).map(([type, records]) => ({
    [`update-${type}`]: { [type]: records },
  }));
  expect(validatePush(JSON.parse(JSON.stringify({ data })))).toMatchObject({ ok: true });
});

/** Gross units, less shrink and dockage, in hundredths of a bushel. */
const netOf = (of: { gross_units: number; shrink_units: number; dockage_units: number }) =>
  toHundredths(of.gross_units) - toHundredths(of.shrink_units) - toHundredths(of.dockage_units);

slowTest('the weights, bushels and splits of tickets add up', () => {
  for (const { gross_weight, tare_weight, net_weight, net_units, splits, ...ticket } of tickets) {
    expect([gross_weight - tare_weight, netOf(ticket)]).toEqual([net_weight, toHundredths(net_units)]);
    if (!splits) continue;
    expect(sum(splits.map(({ split_percent }) => toHundredths(split_percent)))).toBe(10_000);
    expect(sum(splits.map((part) => toHundredths(part.net_units)))).toBe(toHundredths(net_units));
  }
});

test('what contracts have applied is what tickets say, and with what remains it is their quantity', () => {
  const applied = new Map<string, number>();
  for (const { contract_id, units } of tickets.flatMap(({ applications }) => applications))
    if (contract_id) applied.set(contract_id, (applied.get(contract_id) ?? 0) + toHundredths(units));
  for (const { id, quantity, quantity_applied, quantity_remaining } of contracts) {
    const [whole, taken, left] = [quantity, quantity_applied, quantity_remaining].map(toHundredths);
    expect([taken, taken! + left!]).toEqual([applied.get(id) ?? 0, whole]);
  }
});

test('settlements pay to the cent what their lines and signed adjustments make', () => {
  for (const { lines, adjustments, gross_amount, adjustments_amount, net_amount, ...units } of settlements) {
    expect(sum(lines.map(({ amount }) => cents(amount)))).toBe(cents(gross_amount));
    expect(sum(adjustments.map(({ amount }) => cents(amount)))).toBe(cents(adjustments_amount));
    expect(cents(gross_amount) + cents(adjustments_amount)).toBe(cents(net_amount));
    expect(sum(lines.map((line) => toHundredths(line.net_units)))).toBe(netOf(units));
  }
});

test('settlements pay each application of a ticket once, to an account that the ticket is of', () => {
  const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
  for (const { id, account_id, lines } of settlements)
    for (const { ticket_id, contract_id, net_units } of lines) {
      const { applications, splits, ...ticket } = byId.get(ticket_id)!;
      expect([ticket.account_id, ...(splits ?? []).map((split) => split.account_id)]).toContain(account_id);
      const paid = applications.filter(
        (each) => each.settlement_id === id && each.contract_id === contract_id,
      );
      expect(paid.map(({ units }) => units)).toEqual([net_units]);
    }
  const settled = tickets.flatMap(({ applications }) => applications.filter((each) => each.settlement_id));
  expect(settled).toHaveLength(sum(settlements.map(({ lines }) => lines.length)));
});

test('records refer to records of the same company only', () => {
  const known = {
    account: ids(accounts),
    contract: ids(contracts),
    elevator: ids(elevators),
    ticket: ids(tickets),
    settlement: ids(settlements),
  };
  const references = referencesIn([contracts, tickets, settlements]);
  expect(new Set(references.map(([kind]) => kind))).toEqual(new Set(Object.keys(known)));
  expect(references.filter(([kind, id]) => !known[kind as keyof typeof known].has(id))).toEqual([]);
});

test("phones are fictional, and a farmer's two accounts have the same", () => {
  const phones = accounts.map((account) => account.phones.map(({ phone }) => phone));
  for (const phone of phones.flat()) expect(phone).toMatch(/^\d{3}55501\d\d$/);
  for (const { phone } of elevators) expect(phone).toMatch(/^\+1\d{3}55501\d\d$/);
  expect(phones[1]).toEqual(phones[0]);
});

/** Every `<kind>_id`, at any depth (docs/contract.md C3). */
function referencesIn(value: unknown): [kind: string, id: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const kind = /^(?:replaces_)?(account|contract|elevator|ticket|settlement)_id$/.exec(key)?.[1];
    return kind ? [[kind, String(inner)] as [string, string]] : referencesIn(inner);
  });
}
