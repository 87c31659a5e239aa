const CHANNEL = '/ops/channels/:channel_slug';

/** The operators' paths, as in the route table. */
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
  resend: `${CHANNEL}/resend`,
  test: `${CHANNEL}/test`,
} as const;

/** The page after signing in, always one of ours whatever the form contains. */
export const wayOn = (to: string | null) =>
  to && /^\/ops(\/channels\/[a-z0-9-]{1,63})?$/.test(to) ? to : OPS.channels;
