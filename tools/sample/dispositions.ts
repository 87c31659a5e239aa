import type { DISPOSITIONS } from '../../domain/records/schemas/ticket';

/** What has been agreed about delivered grain (records: ticket). */
export type Disposition = (typeof DISPOSITIONS)[number];

/** Grain that is at the elevator without a price or a contract. */
export const UNPRICED: readonly Disposition[] = [
  'open_storage',
  'open_storage',
  'priced_later',
  'grain_bank',
  'on_hold',
];

/** A contract's type is the disposition of the grain it takes. */
export const CONTRACT_TYPES = [
  'priced',
  'basis_fixed',
  'futures_fixed',
  'hedged_to_arrive',
  'priced_later',
  'minimum_priced',
] as const satisfies readonly Disposition[];

export type ContractType = (typeof CONTRACT_TYPES)[number];
