import { validatePush } from '../../../domain/validate-push';
import { CORN, SOYBEANS, WHEAT, COMMODITIES } from '../../../tools/sample/commodities';
import { toHundredths } from '../../../tools/sample/fixed-point';
import { generateCompany, type SampleCompany } from '../../../tools/sample/generate-elevator-company';
import { generateTickets } from '../../../tools/sample/generate-tickets';
import type { SampleTicket } from '../../../tools/sample/scale-ticket';
import { slowTest } from '../../setup/cases';

const SIZE = { seed: 7, accounts: 40, tickets: 1200, settlements: 60 };
const company = generateCompany(SIZE);
const { elevators, accounts, contracts, tickets, settlements } = company;
const commodityOf = ({ commodity }: { commodity: string }) =>
  COMMODITIES.find(({ name }) => name === commodity)!;
const cents = (text: string) => Math.round(Number(text) * 100);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const ids = (records: { id: string }[]) => new Set(records.map(({ id }) => id));
const factorOf = (ticket: SampleTicket, code: string) =>
  ticket.grade_factors.find((factor) => factor.code === code);

describe('one seed, one story', () => {
  it('makes the same company again, and another from another seed', () => {
    expect(generateCompany(SIZE)).toEqual(company);
    expect(generateCompany({ ...SIZE, seed: 8 }).tickets[0]).not.toEqual(tickets[0]);
  });

  it('makes as many of each kind as asked, every id once', () => {
    for (const [kind, count] of [
      ['accounts', 40],
      ['contracts', 80],
      ['tickets', 1200],
      ['settlements', 60],
    ] as const) {
      expect(company[kind]).toHaveLength(count);
      expect(ids(company[kind]).size).toBe(count);
    }
  });

  it('yields the same tickets one by one, not settled yet', () => {
    const settled = structuredClone(tickets);
    for (const { applications } of settled)
      applications.forEach((application) => delete application.settlement_id);
    expect([...generateTickets(SIZE)]).toEqual(settled);
  });

  it('leaves accounts and elevators as they were when more tickets are wanted', () => {
    const larger = generateCompany({ ...SIZE, tickets: 1300 });
    expect([larger.accounts, larger.elevators]).toEqual([accounts, elevators]);
  });

  it.each([1, 2, 3, 5, 9])('serves a company of %i accounts', (count) => {
    const small = generateCompany({ seed: count, accounts: count, tickets: 20, settlements: 3 });
    expect([small.tickets.length, small.settlements.length]).toEqual([20, 3]);
  });

  it('reaches back into earlier harvests rather than hauling more than 40 loads a day', () => {
    const few = generateCompany({ seed: 1, accounts: 1, tickets: 4000 });
    expect(Math.min(...few.tickets.map((ticket) => ticket.crop_year))).toBeLessThan(2026);
    expect(Math.max(...loadsADay(few))).toBeLessThanOrEqual(40);
  });
});

it('is what a push takes', () => {
  const body = {
    data: Object.entries(company).map(([type, records]) => ({ [`update-${type}`]: { [type]: records } })),
  };
  expect(validatePush(JSON.parse(JSON.stringify(body)))).toMatchObject({ ok: true });
});

describe('tickets', () => {
  it('weigh in steps of 20 lb what their kind of truck weighs, and add up', () => {
    for (const { gross_weight, tare_weight, net_weight } of tickets) {
      expect([gross_weight % 20, tare_weight % 20, gross_weight - tare_weight - net_weight]).toEqual([
        0, 0, 0,
      ]);
      const semi = gross_weight > 40_000;
      expect(gross_weight).toBeLessThanOrEqual(semi ? 80_000 : 35_000);
      expect(tare_weight).toBeGreaterThanOrEqual(semi ? 23_000 : 11_000);
      expect(tare_weight).toBeLessThanOrEqual(semi ? 30_000 : 13_000);
    }
  });

  it('turn pounds into bushels, less shrink and dockage', () => {
    const pounds = { corn: 56, soybeans: 60, 'hard red spring wheat': 60 } as Record<string, number>;
    for (const ticket of tickets) {
      const [gross, shrink, dockage, net] = [
        ticket.gross_units,
        ticket.shrink_units,
        ticket.dockage_units,
        ticket.net_units,
      ].map(toHundredths) as [number, number, number, number];
      expect(Math.abs(gross - (ticket.net_weight * 100) / pounds[ticket.commodity]!)).toBeLessThanOrEqual(
        0.5,
      );
      expect(gross - shrink - dockage).toBe(net);
      expect(ticket.dockage_units > 0).toBe(ticket.commodity === WHEAT.name);
    }
  });

  it('shrink by 1.4 % a point of moisture over base', () => {
    const base = { corn: 15, soybeans: 13, 'hard red spring wheat': 13.5 } as Record<string, number>;
    const wet = tickets.filter((ticket) => factorOf(ticket, 'MO')!.result > base[ticket.commodity]!);
    expect(wet.length).toBeGreaterThan(100);
    for (const ticket of wet) {
      const points = factorOf(ticket, 'MO')!.result - base[ticket.commodity]!;
      expect(ticket.shrink_units).toBeCloseTo(ticket.gross_units * points * 0.014, 1);
    }
    for (const ticket of tickets.filter((each) => !wet.includes(each))) expect(ticket.shrink_units).toBe(0);
  });

  slowTest('carry the grade factors of their commodity, inside what is ever seen', () => {
    const codes = new Map(
      tickets.map((ticket) => [ticket.commodity, ticket.grade_factors.map(({ code }) => code)]),
    );
    expect(codes.get(CORN.name)).toEqual(['MO', 'TW', 'BCFM', 'DMG']);
    expect(codes.get(SOYBEANS.name)).toEqual(['MO', 'FM', 'SPL', 'DMG']);
    expect(codes.get(WHEAT.name)).toEqual(['MO', 'PRO', 'DKG', 'DON', 'FN']);
    for (const ticket of tickets) {
      for (const factor of commodityOf(ticket).factors) {
        const { result, premium_discount_value } = factorOf(ticket, factor.code)!;
        expect(result >= factor.lowest && result <= factor.highest).toBe(true);
        expect(premium_discount_value).toMatch(/^-?\d\.\d\d$/);
      }
    }
  });

  it('come at harvest: wheat in August, soybeans in late September, corn in October and November', () => {
    expect(shareBetween(WHEAT.name, '08-01', '08-31')).toBeGreaterThan(0.8);
    expect(shareBetween(SOYBEANS.name, '09-18', '09-30')).toBeGreaterThan(0.6);
    expect(shareBetween(CORN.name, '10-01', '11-30')).toBe(1);
  });

  it('are 10 to 40 loads of a farm a day', () => {
    const loads = loadsADay(company);
    expect(Math.min(...loads)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...loads)).toBeLessThanOrEqual(40);
  });

  it('are numbered in the order in which trucks came, and weigh out after weighing in', () => {
    expect(tickets.map(({ id }) => id)).toEqual(tickets.map(({ id }) => id).sort());
    for (const [index, { weigh_in_at, weigh_out_at }] of tickets.entries()) {
      expect(weigh_in_at < weigh_out_at).toBe(true);
      if (index > 0) expect(tickets[index - 1]!.weigh_in_at <= weigh_in_at).toBe(true);
    }
  });

  it('belong to one account or to splits of 100.00 % that share the bushels; one account in five splits', () => {
    const split = tickets.filter(({ splits }) => splits);
    for (const { splits, account_id, net_units } of split) {
      expect(account_id).toBeUndefined();
      expect(sum(splits!.map(({ split_percent }) => toHundredths(split_percent)))).toBe(10_000);
      expect(sum(splits!.map((part) => toHundredths(part.net_units)))).toBe(toHundredths(net_units));
    }
    const tenants = new Set(split.map(({ splits }) => splits![0]!.account_id));
    expect(tenants.size / accounts.length).toBe(0.2);
  });

  it('are replaced by the next load of the farm when void, and then count nowhere', () => {
    const spoiled = tickets.filter(({ status }) => status === 'void');
    expect(spoiled.length).toBeGreaterThan(5);
    for (const { id, void_reason, applications, net_weight } of spoiled) {
      expect([typeof void_reason, applications]).toEqual(['string', []]);
      expect(tickets.filter(({ replaces_ticket_id }) => replaces_ticket_id === id)).toMatchObject([
        { net_weight, status: 'complete' },
      ]);
    }
  });

  it('have about 40 fields and weigh about 1.2 to 2 kB', () => {
    const bytes = sum(tickets.map((ticket) => Buffer.byteLength(JSON.stringify(ticket)))) / tickets.length;
    expect(bytes).toBeGreaterThan(1200);
    expect(bytes).toBeLessThan(2000);
    for (const ticket of tickets) expect(Object.keys(ticket).length).toBeGreaterThanOrEqual(40);
  });
});

describe('contracts', () => {
  it('have applied and remaining add up to the quantity, and applied is what tickets say', () => {
    const applied = new Map<string, number>();
    for (const { contract_id, units } of tickets.flatMap(({ applications }) => applications)) {
      if (contract_id) applied.set(contract_id, (applied.get(contract_id) ?? 0) + toHundredths(units));
    }
    for (const contract of contracts) {
      const [quantity, taken, left] = [
        contract.quantity,
        contract.quantity_applied,
        contract.quantity_remaining,
      ].map(toHundredths) as [number, number, number];
      expect(taken + left).toBe(quantity);
      expect(taken).toBe(applied.get(contract.id) ?? 0);
      expect(contract.status === 'closed').toBe(left === 0);
      expect(contract.quantity_settled).toBeLessThanOrEqual(contract.quantity_applied);
    }
    expect(new Set(contracts.map(({ status }) => status))).toEqual(
      new Set(['open', 'unfilled', 'unpriced', 'closed']),
    );
  });

  it('lie 10 to 80 cents under a futures month', () => {
    for (const { futures_month, futures_price, basis_price, cash_price } of contracts) {
      expect(futures_month).toMatch(/^[UXZ]26$/);
      if (basis_price) expect(cents(basis_price)).toBeLessThanOrEqual(-10);
      if (basis_price) expect(cents(basis_price)).toBeGreaterThanOrEqual(-80);
      if (cash_price) expect(Number(cash_price)).toBeCloseTo(Number(futures_price) + Number(basis_price), 6);
    }
  });
});

describe('settlements', () => {
  it('pay to the cent what lines and signed adjustments make', () => {
    for (const { lines, adjustments, gross_amount, adjustments_amount, net_amount } of settlements) {
      expect(sum(lines.map(({ amount }) => cents(amount)))).toBe(cents(gross_amount));
      expect(sum(adjustments.map(({ amount }) => cents(amount)))).toBe(cents(adjustments_amount));
      expect(cents(gross_amount) + cents(adjustments_amount)).toBe(cents(net_amount));
      expect([gross_amount, adjustments_amount, net_amount].every((text) => /^-?\d+\.\d\d$/.test(text))).toBe(
        true,
      );
    }
  });

  it('add premiums, take discounts, drying and always the checkoff', () => {
    for (const { adjustments } of settlements) {
      expect(adjustments.map((adjustment) => adjustment.class)).toContain('checkoff');
      for (const { class: kind, rate, amount } of adjustments) {
        expect([Number(amount) > 0, Number(rate) > 0]).toEqual([kind === 'premium', kind === 'premium']);
      }
    }
    const classes = settlements.flatMap(({ adjustments }) =>
      adjustments.map((adjustment) => adjustment.class),
    );
    expect(new Set(classes)).toEqual(new Set(['premium', 'discount', 'drying', 'checkoff']));
  });

  it('price each line, and add up their bushels', () => {
    for (const settlement of settlements) {
      for (const { net_units, unit_price, amount } of settlement.lines) {
        expect(Number(amount)).toBeCloseTo(net_units * Number(unit_price), 1);
      }
      const [gross, shrink, dockage, net] = [
        settlement.gross_units,
        settlement.shrink_units,
        settlement.dockage_units,
        settlement.net_units,
      ].map(toHundredths) as [number, number, number, number];
      expect(gross - shrink - dockage).toBe(net);
      expect(sum(settlement.lines.map((line) => toHundredths(line.net_units)))).toBe(net);
    }
  });

  it('name tickets of their account and commodity, each application once, and are named by them', () => {
    const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]));
    for (const { id, account_id, commodity, lines } of settlements) {
      for (const { ticket_id, contract_id, net_units } of lines) {
        const ticket = byId.get(ticket_id)!;
        const owners = ticket.account_id
          ? [ticket.account_id]
          : ticket.splits!.map((split) => split.account_id);
        expect(owners).toContain(account_id);
        expect(ticket).toMatchObject({ commodity, status: 'complete' });
        const paid = ticket.applications.filter(
          (each) => each.settlement_id === id && each.contract_id === contract_id,
        );
        expect(paid.map(({ units }) => units)).toEqual([net_units]);
      }
    }
    const named = tickets
      .flatMap(({ applications }) => applications)
      .filter(({ settlement_id }) => settlement_id);
    expect(named).toHaveLength(sum(settlements.map(({ lines }) => lines.length)));
  });
});

it('refers only to records of the same company, and never under another account', () => {
  const known = {
    account: ids(accounts),
    contract: ids(contracts),
    elevator: ids(elevators),
    ticket: ids(tickets),
    settlement: ids(settlements),
  };
  const references = referencesIn([contracts, tickets, settlements]);
  expect(new Set(references.map(([kind]) => kind))).toEqual(new Set(Object.keys(known)));
  for (const [kind, id] of references) expect(known[kind as keyof typeof known].has(id)).toBe(true);
  const owner = new Map(contracts.map((contract) => [contract.id, contract.account_id]));
  for (const { splits = [] } of tickets) {
    for (const split of splits)
      if (split.contract_id) expect(owner.get(split.contract_id)).toBe(split.account_id);
  }
});

it("gives out fictional phones only, a farmer's two accounts under one", () => {
  const phones = accounts.map((account) => account.phones.map(({ phone }) => phone));
  for (const phone of phones.flat()) expect(phone).toMatch(/^\d{3}55501\d\d$/);
  for (const { phone } of elevators) expect(phone).toMatch(/^\+1\d{3}55501\d\d$/);
  expect(phones[1]).toEqual(phones[0]);
  expect(new Set(phones.map(([first]) => first)).size).toBe(accounts.length - 4);
});

function shareBetween(commodity: string, first: string, last: string): number {
  const loads = tickets.filter((ticket) => ticket.commodity === commodity);
  const days = loads.map(({ weigh_in_at }) => weigh_in_at.slice(5, 10));
  return days.filter((day) => day >= first && day <= last).length / days.length;
}

/** Splits are the tenant's haul. */
function loadsADay(of: SampleCompany): number[] {
  const loads = new Map<string, number>();
  for (const { account_id, splits, weigh_in_at } of of.tickets) {
    const day = `${account_id ?? `split ${splits![0]!.account_id}`} ${weigh_in_at.slice(0, 10)}`;
    loads.set(day, (loads.get(day) ?? 0) + 1);
  }
  return [...loads.values()];
}

/** Every `<kind>_id`, at any depth (docs/contract.md C3). */
function referencesIn(value: unknown): [kind: string, id: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const kind = /^(?:replaces_)?(account|contract|elevator|ticket|settlement)_id$/.exec(key)?.[1];
    return kind ? [[kind, String(inner)] as [string, string]] : referencesIn(inner);
  });
}
