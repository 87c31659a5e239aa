import type { RecordType } from '../../domain/records/commands';
import { type EntityType, WRAPPER_KEYS } from '../../domain/records/entity-types';
import { productionRecord } from '../../domain/records/production-record';
import { finishWire, renderRecord } from '../../domain/records/render-record';
import { renderPage } from '../../domain/deliveries/render-page';
import type { PushedRecord } from '../../domain/records/validate-push';

const COMPANY = { id: '42', name: 'Prairie Co-op' };
const CHANGED_AT = Date.parse('2026-10-20T14:05:00.000Z');

export const ELEVATOR = {
  id: '100',
  name: 'Prairie Co-op Casselton',
  address_line_1: '210 Railroad Ave',
  address_line_2: '',
  city: 'Casselton',
  state: 'ND',
  zip_code: '58012',
  phone: '+17015550100',
  fax: '',
  email: 'casselton@prairie-coop.example',
  website: 'https://www.prairie-coop.example/casselton',
  cash_bids_hidden: false,
  push_notifications_hidden: false,
  deleted_at: null,
  version: '1.0.0',
};

const ACCOUNT = { id: '1001', name: 'Meyer Farms', phones: [{ phone: '7015550142' }], deleted_at: null };

const CONTRACT = {
  id: 'C-7001',
  account_id: '1001',
  contract_number: '7001',
  direction: 'purchase',
  contract_type: 'priced',
  status: 'open',
  contract_date: '2026-08-14',
  commodity: 'corn',
  crop_year: 2026,
  elevator_id: '100',
  quantity: 20000,
  quantity_applied: '918.94',
  uom: 'bu',
  futures_month: 'Z26',
  futures_price: 4.52,
  basis_price: '-0.35',
  cash_price: 4.17,
  price_uom: 'bu',
  currency: 'USD',
};

// 52,340 lb of corn are 934.64 bu; 1.2 points over 15 % moisture shrink them by 1.68 %.
const TICKET = {
  id: 'T-48213',
  ticket_number: '48213',
  direction: 'inbound',
  status: 'complete',
  account_id: '1001',
  elevator_id: '100',
  commodity: 'corn',
  crop_year: 2026,
  gross_weight: 78420,
  tare_weight: 26080,
  net_weight: 52340,
  weight_uom: 'lb',
  weigh_in_at: '2026-10-20T08:41:00-05:00',
  weigh_out_at: '2026-10-20T08:56:00-05:00',
  gross_units: '934.64',
  shrink_units: '15.70',
  dockage_units: '0.00',
  net_units: '918.94',
  units_uom: 'bu',
  grade_factors: [
    { code: 'MO', name: 'moisture', result: 16.2, result_uom: '%' },
    { code: 'TW', name: 'test weight', result: 57.5, result_uom: 'lb/bu' },
  ],
  applications: [{ contract_id: 'C-7001', units: '918.94', applied_at: '2026-10-20T09:00:00-05:00' }],
  fsa_farm_number: 4412,
};

const SETTLEMENT = {
  id: 'S-3301',
  account_id: '1001',
  settlement_number: '3301',
  settlement_date: '2026-10-27',
  status: 'paid',
  kind: 'settlement',
  commodity: 'corn',
  crop_year: 2026,
  net_units: '918.94',
  uom: 'bu',
  lines: [
    { ticket_id: 'T-48213', contract_id: 'C-7001', net_units: '918.94', unit_price: 4.17, amount: '3831.98' },
  ],
  adjustments: [{ class: 'checkoff', description: 'Corn checkoff', rate: '0.01', amount: '-9.19' }],
  gross_amount: '3831.98',
  adjustments_amount: '-9.19',
  net_amount: '3822.79',
  currency: 'USD',
  payments: [{ payment_number: '90117', method: 'check', paid_on: '2026-10-28', amount: '3822.79' }],
};

const RECORDS = { accounts: ACCOUNT, contracts: CONTRACT, tickets: TICKET, settlements: SETTLEMENT };

/** One record of each type. They refer to each other. */
export const EXAMPLES: Readonly<Record<RecordType, Readonly<Record<string, unknown>>>> = {
  elevators: ELEVATOR,
  ...RECORDS,
};

/** Complete pushes that the service accepts. */
export const PUSHES = {
  elevators: { data: [{ 'update-elevators': { elevators: [ELEVATOR] } }] },
  'a day’s grain': {
    data: Object.entries(RECORDS).map(([type, record]) => ({ [`update-${type}`]: { [type]: [record] } })),
  },
};

/** A page with the example of a type, made by the same code as a real page. */
export function pageExample(type: EntityType): unknown {
  const rendered = renderRecord(type, RECORDS[type] as PushedRecord, COMPANY);
  const meta = { current_page: 1, page_count: 1, page_size: 1000, total_count: 1, total_pages: 1 };
  const page = renderPage([finishWire(rendered, CHANGED_AT, CHANGED_AT)], meta);
  return JSON.parse(page.toString());
}

/** The production record of the examples. */
export function productionExample(): unknown {
  const fed = (type: EntityType) =>
    (pageExample(type) as { data: Record<string, object>[] }).data.map((one) => ({
      ...one[WRAPPER_KEYS[type]],
    }));
  const grain = { tickets: fed('tickets'), settlements: fed('settlements'), lacksEarlier: false };
  const record = productionRecord(`${COMPANY.id}-${ACCOUNT.id}`, String(TICKET.crop_year), grain);
  return { made_at: '2026-12-03T16:00:00.000Z', ...record };
}
