import type { EntityType } from '../../domain/records/entity-types';
import { dateText, DAY, instantText, MINUTE } from './calendar';
import { COMMODITIES } from './commodities';
import { fromHundredths, toHundredths } from './fixed-point';
import { fictionalPhone, SECOND_NUMBERS, type SampleAccount } from './generate-accounts';
import type { SampleContract } from './generate-contracts';
import { gradeFactor, gradeOf } from './grade-load';
import type { Random } from './random';
import type { SampleTicket } from './scale-ticket';
import { payment, type SampleSettlement } from './settlement-sheet';

interface SampleRecords {
  accounts: SampleAccount;
  contracts: SampleContract;
  tickets: SampleTicket;
  settlements: SampleSettlement;
}

const CHANGES: { [Type in EntityType]: (later: SampleRecords[Type], random: Random) => void } = {
  accounts: addPhone,
  contracts: applyQuantity,
  tickets: regrade,
  settlements: advance,
};

/**
 * The same record as its ERP would push it some time later; never equal to the one given, which is left as it is.
 * `record` is one that `generateCompany` or this function made.
 */
export function changeRecord<T extends object>(type: EntityType, record: T, random: Random): T {
  const later = structuredClone(record) as T & SampleRecords[EntityType];
  const change = CHANGES[type] as (later: SampleRecords[EntityType], random: Random) => void;
  change(later, random);
  later.updated_at = instantText(Date.parse(later.updated_at) + random.integer(1, 90) * MINUTE);
  return later;
}

/** Three phones at most: a fourth takes the place of the third. */
function addPhone(account: SampleAccount, random: Random): void {
  const areaCode = account.phones[0]!.phone.slice(0, 3);
  const known = new Set(account.phones.map(({ phone }) => phone));
  const free = SECOND_NUMBERS.map((number) => fictionalPhone(areaCode, number)).filter(
    (phone) => !known.has(phone),
  );
  account.phones = [...account.phones.slice(0, 2), { phone: random.pick(free) }];
}

/** A load or two more, up to what remains; a contract that is full is given a month longer. */
function applyQuantity(contract: SampleContract, random: Random): void {
  const remaining = toHundredths(contract.quantity_remaining);
  if (remaining === 0) return extend(contract);
  const taken = Math.min(remaining, random.integer(40_000, 180_000));
  contract.quantity_applied = fromHundredths(toHundredths(contract.quantity_applied) + taken);
  contract.quantity_remaining = fromHundredths(remaining - taken);
  contract.status = taken === remaining ? 'closed' : 'unfilled';
}

function extend(contract: SampleContract): void {
  contract.expires_on = dateText(Date.parse(contract.expires_on) + 31 * DAY);
  const changed_on = contract.updated_at.slice(0, 10);
  contract.amendments = [{ changed_field: 'expires_on', new_value: contract.expires_on, changed_on }];
}

/** An official sample changes a factor that moves the price, not the bushels, so that what is applied stays true. */
function regrade(ticket: SampleTicket, random: Random): void {
  const commodity = COMMODITIES.find(({ name }) => name === ticket.commodity)!;
  const factor = random.pick(commodity.factors.filter(({ cents }) => cents));
  const before = ticket.grade_factors.find(({ code }) => code === factor.code)!;
  const step =
    random.integer(1, 5) *
    (factor.places === 0 ? 5 : 0.1) *
    (before.result * 2 > factor.lowest + factor.highest ? -1 : 1);
  const result = Number((before.result + step).toFixed(factor.places));
  ticket.grade_factors = ticket.grade_factors.map((each) =>
    each === before ? gradeFactor(commodity, factor, result) : each,
  );
  ticket.grade = gradeOf(commodity, ticket.grade_factors);
  ticket.inspector = 'official';
}

/** Draft, posted, paid, cleared; a cleared sheet that still changes was reversed. */
function advance(settlement: SampleSettlement, random: Random): void {
  const [paid] = settlement.payments;
  if (settlement.status === 'draft') {
    settlement.status = 'posted';
  } else if (settlement.status === 'posted') {
    settlement.status = 'paid';
    settlement.payments = [payment(random, Date.parse(settlement.updated_at), settlement.net_amount)];
  } else if (paid?.status === 'issued') {
    paid.status = 'cleared';
  } else {
    settlement.status = 'reversed';
  }
}
