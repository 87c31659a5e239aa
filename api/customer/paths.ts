/** The paths of a customer's own page, as in the route table. */
export const CUSTOMER = {
  page: '/customer',
  signIn: '/customer/sign-in',
  signOut: '/customer/sign-out',
} as const;
