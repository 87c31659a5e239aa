/** The paths of a customer's own page, as in the route table. */
export const CUSTOMER = {
  page: '/customer',
  signIn: '/customer/sign-in',
  signOut: '/customer/sign-out',
  reset: '/customer/reset',
  release: '/customer/release',
  resend: '/customer/resend',
  test: '/customer/test',
  notify: '/customer/notify',
  rotateSecret: '/customer/rotate-secret',
} as const;
