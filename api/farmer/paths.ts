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

/** "Who sees my grain data": the pages that need no customer's link. Their first address is in every text and receipt. */
export const SHARING = {
  entry: '/sharing',
  phone: '/sharing/phone',
  code: '/sharing/code',
  customers: '/sharing/customers',
  copy: '/sharing/copy',
  copyToRead: '/sharing/copy/page',
  copyTable: '/sharing/copy/table',
  copyFile: '/sharing/copy/file',
  copyProduction: '/sharing/copy/production',
  copyLoads: '/sharing/copy/loads',
  signOut: '/sharing/sign-out',
} as const;

/** The page that asks whether to stop; its button posts the same. */
export const stopPath = (name: 'stop' | 'do', value: string) =>
  `${SHARING.customers}?${new URLSearchParams({ [name]: value }).toString()}`;

/** The pages that verify a phone, the page after them and the way out, for the visit that `path` belongs to. */
export function signInPathsAt(path: string): { phone: string; code: string; next: string; signOut: string } {
  if (path === SHARING.entry || path.startsWith(`${SHARING.entry}/`))
    return { ...SHARING, next: SHARING.customers };
  return { ...PATHS, next: PATHS.accounts };
}

/** The full address of "who sees my grain data", for pages and receipts. */
export const sharingUrl = ({ publicUrl }: { publicUrl: string }) => new URL(SHARING.entry, publicUrl).href;

/** The short address of the same page for texts, where every character counts. */
export const shortSharingUrl = (settings: { publicUrl: string }) =>
  sharingUrl(settings).replace(/^https:\/\//, '');

/** The address that ends the visit without changes. */
export const LEAVE_UNCHANGED = `${PATHS.leave}?cancelled`;

/** The last page without the automatic redirect. */
export const STAYING = `${PATHS.done}?stay`;

/** The last page with the receipt. Its form only switches the language. */
export const SEEN_RECEIPT = `${PATHS.done}?receipt`;
