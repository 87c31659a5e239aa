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

/** "Who sees my grain data", the one page that needs no customer's link. Its first address is on every text and receipt. */
export const SHARING = {
  entry: '/sharing',
  phone: '/sharing/phone',
  code: '/sharing/code',
  customers: '/sharing/customers',
  copy: '/sharing/copy',
  copyFile: '/sharing/copy/file',
} as const;

/** The steps that prove a phone, and the one behind them, of whichever page an address belongs to. */
export function signInPathsAt(path: string): { phone: string; code: string; next: string } {
  if (path === SHARING.entry || path.startsWith(`${SHARING.entry}/`))
    return { ...SHARING, next: SHARING.customers };
  return { ...PATHS, next: PATHS.accounts };
}

/** The address of "who sees my grain data", as pages and receipts have it. */
export const sharingUrl = ({ publicUrl }: { publicUrl: string }) => new URL(SHARING.entry, publicUrl).href;

/** The same as a text has it, where every character counts. */
export const shortSharingUrl = (settings: { publicUrl: string }) =>
  sharingUrl(settings).replace(/^https:\/\//, '');

/** The way out without changes. */
export const LEAVE_UNCHANGED = `${PATHS.leave}?cancelled`;

/** The last step without the automatic redirect. */
export const STAYING = `${PATHS.done}?stay`;

/** The last step with the receipt; its form only switches the language. */
export const SEEN_RECEIPT = `${PATHS.done}?receipt`;
