import { Type } from '@sinclair/typebox';
import { OPS } from '../../ops/paths';
import type { Operation, Parameter } from '../operation';
import {
  ACTED,
  doorOperations,
  form,
  FORM,
  LISTED,
  RELEASE_FIELDS,
  RESEND_FIELDS,
  RESET_ASKED,
  RESET_FIELDS,
  SIGNED_IN,
} from './channel-page-parts';
import { page } from './page-answers';

const OF_CHANNEL = { ...SIGNED_IN, 404: page('No such channel.') };

const slug: Parameter = {
  name: 'channel_slug',
  in: 'path',
  required: true,
  description: 'A channel.',
  schema: Type.String(),
  example: 'acme',
};
const action = (id: string, summary: string, fields: Record<string, string> = {}): Operation => ({
  id,
  tag: 'operators',
  summary,
  parameters: [slug],
  body: form({ ...ACTED, ...fields }),
  answers: { ...FORM, ...OF_CHANNEL },
});

export const OPS_OPERATIONS: Record<string, Operation> = {
  ...doorOperations('operators', OPS, {
    whose: 'Operator',
    asks: 'Asks for an operator’s token',
    opens: 'Opens a session, of 30 minutes without a page and 8 hours at most',
    token: 'Of `gdx operator add`.',
  }),
  [`GET ${OPS.channels}`]: {
    id: 'showChannels',
    tag: 'operators',
    summary: 'Every channel, those that need somebody first',
    answers: { 200: page('The page.'), ...SIGNED_IN },
  },
  [`GET ${OPS.channel}`]: {
    id: 'showChannel',
    tag: 'operators',
    summary: 'One channel: markers, deliveries, what is set aside and shared, what operators did',
    parameters: [slug, ...LISTED],
    answers: { 200: page('The page.'), 422: page('The address does not work.'), ...OF_CHANNEL },
  },
  [`POST ${OPS.pause}`]: action('pauseChannel', 'Sends nothing more until it is resumed'),
  [`POST ${OPS.resume}`]: action('resumeChannel', 'Delivers again, at once'),
  [`POST ${OPS.deliver}`]: action('deliverChannel', 'Runs now instead of at the next due time'),
  [`GET ${OPS.reset}`]: {
    id: 'askReset',
    tag: 'operators',
    summary: 'Says what a reset would resend, and asks',
    parameters: [slug, ...RESET_ASKED],
    answers: {
      200: page('The page.'),
      403: page('The operator may only read.'),
      422: FORM[422],
      ...OF_CHANNEL,
    },
  },
  [`POST ${OPS.reset}`]: action(
    'resetChannelMarker',
    'Sends again what changed at or after a time',
    RESET_FIELDS,
  ),
  [`POST ${OPS.release}`]: action(
    'releaseSetAside',
    'Sends records that were set aside again',
    RELEASE_FIELDS,
  ),
  [`POST ${OPS.resend}`]: action('resendAccount', 'Sends an account’s records again', RESEND_FIELDS),
  [`POST ${OPS.test}`]: action('testEndpoint', 'Posts a page marked as a test to the customer'),
};
