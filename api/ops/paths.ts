/** The operators' paths, as in the route table. */
export const OPS = {
  channels: '/ops',
  signIn: '/ops/sign-in',
  toProvider: '/ops/sign-in/provider',
  fromProvider: '/ops/sign-in/from-provider',
  signOut: '/ops/sign-out',
  channel: '/ops/channels/:channel_slug',
} as const;

/** The page after signing in, always one of ours whatever the form contains. */
export const wayOn = (to: string | null) =>
  to && /^\/ops(\/channels\/[a-z0-9-]{1,63})?$/.test(to) ? to : OPS.channels;
