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
  leave: '/subscriptions/leave',
  signOut: '/subscriptions/sign-out',
} as const;

/** The way out without changes. */
export const LEAVE_UNCHANGED = `${PATHS.leave}?cancelled`;

/** The last step without the automatic redirect. */
export const STAYING = `${PATHS.done}?stay`;

/** The last step with the receipt; its form only switches the language. */
export const SEEN_RECEIPT = `${PATHS.done}?receipt`;
