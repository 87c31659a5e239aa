import { instantText, MINUTE } from './calendar';
import type { Disposition } from './dispositions';
import { fromHundredths } from './fixed-point';
import { SURNAMES } from './people';
import type { Haul } from './plan-hauls';
import type { Placement } from './place-grain';
import type { Random } from './random';
import type { WeighedLoad } from './weigh-load';

/** One owner's part of a load; percent in hundredths, units in hundredths of a bushel. */
export interface ShareOfLoad {
  accountId: string;
  percent: number;
  units: number;
  placements: Placement[];
}

export interface TicketFacts {
  ticketId: string;
  haul: Haul;
  weighedIn: number;
  weighedOut: number;
  loadNumber: number;
  load: WeighedLoad;
  shares: ShareOfLoad[];
  voidReason?: string;
  replacesTicketId?: string;
}

export type SampleTicket = ReturnType<typeof scaleTicket>;

/** The record as the elevator's own system pushes it (records: ticket). */
export function scaleTicket(random: Random, facts: TicketFacts) {
  const { ticketId, haul, weighedIn, weighedOut, load, shares, voidReason, replacesTicketId } = facts;
  return {
    id: ticketId,
    ticket_number: ticketId.slice(2),
    direction: 'inbound',
    status: voidReason ? 'void' : 'complete',
    ...(voidReason && { void_reason: voidReason }),
    ...(replacesTicketId && { replaces_ticket_id: replacesTicketId }),
    elevator_id: haul.farm.elevatorId,
    scale_id: `${haul.farm.elevatorId}-${random.integer(1, 2)}`,
    bin_id: `${haul.farm.elevatorId}-B${random.integer(1, 24)}`,
    commodity: haul.commodity.name,
    grade: load.grading.grade,
    crop_year: haul.cropYear,
    ...weights(load),
    weigh_in_at: instantText(weighedIn),
    weigh_out_at: instantText(weighedOut),
    driver_on: random.chance(0.9),
    weigh_master: random.pick(SURNAMES),
    ...units(load),
    grade_factors: load.grading.factors,
    grader: random.pick(SURNAMES),
    inspector: 'house',
    ...vehicle(random, load),
    ...ownership(facts),
    applications: shares.flatMap(({ placements }) => placements.map(({ application }) => application)),
    ...origin(facts),
    updated_at: instantText(weighedOut + MINUTE),
  };
}

function weights({ grossWeight, tareWeight }: WeighedLoad) {
  const net_weight = grossWeight - tareWeight;
  return { gross_weight: grossWeight, tare_weight: tareWeight, net_weight, weight_uom: 'lb' };
}

function units({ grading }: WeighedLoad) {
  return {
    gross_units: fromHundredths(grading.grossUnits),
    shrink_units: fromHundredths(grading.shrinkUnits),
    dockage_units: fromHundredths(grading.dockageUnits),
    net_units: fromHundredths(grading.netUnits),
    units_uom: 'bu',
  };
}

function vehicle(random: Random, { truck }: WeighedLoad) {
  return {
    truck_name: truck.name,
    truck_license: truck.license,
    truck_driver: truck.driver,
    hauler: truck.hauler,
    bill_of_lading_number: `BL-${random.integer(10_000, 99_999)}`,
  };
}

function ownership({ ticketId, haul, shares }: TicketFacts) {
  const disposition = dispositionOf(shares[0]!, haul);
  if (shares.length === 1) return { account_id: shares[0]!.accountId, disposition };
  const splits = shares.map((share, index) => ({
    id: `${ticketId}-${index + 1}`,
    account_id: share.accountId,
    split_percent: fromHundredths(share.percent),
    net_units: fromHundredths(share.units),
    disposition: dispositionOf(share, haul),
    ...(share.placements[0]?.contract && { contract_id: share.placements[0].contract.id }),
  }));
  return { splits, disposition };
}

function dispositionOf({ placements }: ShareOfLoad, haul: Haul): Disposition {
  return placements[0]?.disposition ?? haul.fallback;
}

function origin({ haul: { farm, field }, loadNumber }: TicketFacts) {
  return {
    load_number: String(loadNumber),
    farm_name: farm.account.name,
    field_name: field.name,
    field_id: field.id,
    fsa_farm_number: field.farmNumber,
    fsa_tract_number: field.tractNumber,
    fsa_field_number: field.fieldNumber,
    county: farm.county,
    state: farm.state,
    insurance_unit_number: field.insuranceUnit,
  };
}
