const CHANNEL = '/ops/channels/:channel_slug';

/** The operators' addresses, as the route table has them. */
export const OPS = {
  channels: '/ops',
  signIn: '/ops/sign-in',
  signOut: '/ops/sign-out',
  channel: CHANNEL,
  pause: `${CHANNEL}/pause`,
  resume: `${CHANNEL}/resume`,
  deliver: `${CHANNEL}/deliver`,
  reset: `${CHANNEL}/reset`,
  release: `${CHANNEL}/release`,
} as const;

/** One of these for one channel. */
export const pathOf = (page: keyof typeof OPS, slug: string) => OPS[page].replace(':channel_slug', slug);

/** Where an operator goes on to after signing in: a page of ours, whatever the form says. */
export const wayOn = (to: string | null) =>
  to && /^\/ops(\/channels\/[a-z0-9-]{1,63})?$/.test(to) ? to : OPS.channels;
