/** The steps, in order. Only the first address ever holds the parameters of the link. */
export const PATHS = {
  link: '/subscriptions',
  phone: '/subscriptions/phone',
  code: '/subscriptions/code',
  accounts: '/subscriptions/accounts',
  check: '/subscriptions/check',
  done: '/subscriptions/done',
  cancelled: '/subscriptions/cancelled',
  receipt: '/subscriptions/receipt',
} as const;

/** The last step, with what was agreed to instead: it takes the same form, the change of the language. */
export const SEEN_RECEIPT = `${PATHS.done}?receipt`;
