import {
  choice,
  cropYear,
  flag,
  identifier,
  instant,
  lifecycle,
  list,
  measurement,
  object,
  ordinal,
  quantity,
  reference,
  text,
  unit,
} from './fields';

/** What the owner does with delivered grain (docs/erp.md). */
export const DISPOSITIONS = [
  'priced',
  'priced_later',
  'basis_fixed',
  'futures_fixed',
  'hedged_to_arrive',
  'open_storage',
  'grain_bank',
  'minimum_priced',
  'on_hold',
] as const;

const gradeFactor = object({
  code: text(),
  name: text(),
  result: measurement(),
  result_uom: text(),
  dockage_value: quantity(),
  premium_discount_value: quantity(),
});

const split = object({
  id: reference(),
  account_id: reference(),
  split_percent: quantity(),
  net_units: quantity(),
  disposition: choice(DISPOSITIONS),
  contract_id: reference(),
});

const application = object({
  contract_id: reference(),
  settlement_id: reference(),
  units: quantity(),
  applied_at: instant(),
});

// A ticket names the owner of the grain: one account, or splits.
const ownership = {
  anyOf: [
    { required: ['account_id'], properties: { account_id: { not: { type: 'null' } } } },
    { required: ['splits'], properties: { splits: { type: 'array', minItems: 1 } } },
  ],
};

/** A scale ticket. */
export const ticketSchema = object(
  {
    id: identifier(),
    ticket_number: text(),
    direction: choice(['inbound', 'outbound', 'redelivered']),
    status: choice(['in_yard', 'complete', 'void']),
    void_reason: text(),
    replaces_ticket_id: reference(),

    elevator_id: reference(),
    scale_id: text(),
    bin_id: text(),
    commodity: text(),
    grade: text(),
    crop_year: cropYear(),

    gross_weight: quantity(),
    tare_weight: quantity(),
    net_weight: quantity(),
    weight_uom: unit(),
    weigh_in_at: instant(),
    weigh_out_at: instant(),
    driver_on: flag(),
    weigh_master: text(),

    gross_units: quantity(),
    shrink_units: quantity(),
    dockage_units: quantity(),
    net_units: quantity(),
    units_uom: unit(),

    grade_factors: list(gradeFactor),
    grader: text(),
    inspector: text(),

    truck_name: text(),
    truck_license: text(),
    truck_driver: text(),
    hauler: text(),
    bill_of_lading_number: text(),

    account_id: reference(),
    splits: list(split),
    disposition: choice(DISPOSITIONS),
    applications: list(application),

    load_number: text(),
    farm_name: text(),
    field_name: text(),
    field_id: text(),
    fsa_farm_number: ordinal(),
    fsa_tract_number: ordinal(),
    fsa_field_number: ordinal(),
    county: text(),
    state: text(),
    insurance_unit_number: text(),
    ...lifecycle(),
  },
  { title: 'Ticket', description: 'a scale ticket', ...ownership },
);
