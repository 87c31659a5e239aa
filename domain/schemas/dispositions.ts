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
