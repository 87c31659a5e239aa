import { Type } from '@sinclair/typebox';
import { ENTITY_TYPES } from '../../../domain/entity-types';
import { DELIVERY_STATUSES } from '../../../store/feed/deliveries';
import { OPS } from '../../ops/paths';
import type { Operation, Parameter } from '../operation';
import { onward, page } from './page-answers';

// Whatever is in the way, the operator gets a page that says what to do.
const TROUBLES = {
  429: page('Too many requests from one address, or too many wrong tokens.'),
  500: page('A defect.'),
  503: page('Not now.'),
};
const SIGNED_IN = { 401: page('The page that asks for the token.'), ...TROUBLES };
const OF_CHANNEL = { ...SIGNED_IN, 404: page('No such channel.') };
const FORM = {
  303: onward('To the page that shows what came of it.'),
  400: page('The form cannot be read.'),
  403: page('The form is not of this session, or the operator may only read.'),
  422: page('The page again, with what is wrong.'),
};

const slug: Parameter = {
  name: 'channel_slug',
  in: 'path',
  required: true,
  description: 'A channel.',
  schema: Type.String(),
  example: 'acme',
};
const query = (name: string, description: string, schema: object, example: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  example,
});
const oneOf = (words: readonly string[]) => ({ type: 'string', enum: words });
const entityType = (name: string) =>
  query(name, 'One of the channel’s.', oneOf(ENTITY_TYPES), ENTITY_TYPES[2]);

const form = (fields: Record<string, string>): NonNullable<Operation['body']> => ({
  description: 'The form of the page.',
  content: {
    'application/x-www-form-urlencoded': {
      schema: Type.Object(
        Object.fromEntries(
          ['csrf', ...Object.keys(fields)].map((name) => [
            name,
            Type.String({ description: fields[name] ?? 'From the page.' }),
          ]),
        ),
      ),
    },
  },
});

const action = (id: string, summary: string, fields: Record<string, string> = {}): Operation => ({
  id,
  tag: 'operators',
  summary,
  parameters: [slug],
  body: form({ form: 'From the page: posted twice, it is done once.', reason: 'Why.', ...fields }),
  answers: { ...FORM, ...OF_CHANNEL },
});

export const OPS_OPERATIONS: Record<string, Operation> = {
  [`GET ${OPS.signIn}`]: {
    id: 'showOperatorSignIn',
    tag: 'operators',
    summary: 'Asks for an operator’s token',
    answers: { 200: page('The page.'), ...TROUBLES },
  },
  [`POST ${OPS.signIn}`]: {
    id: 'signInOperator',
    tag: 'operators',
    summary: 'Opens a session, of 30 minutes without a page and 8 hours at most',
    body: form({ token: 'Of `gdx operator add`.', to: 'From the page.' }),
    answers: { ...FORM, ...TROUBLES },
  },
  [`POST ${OPS.signOut}`]: {
    id: 'signOutOperator',
    tag: 'operators',
    summary: 'Ends the session',
    body: form({}),
    answers: { 303: FORM[303], 400: FORM[400], 403: FORM[403], ...SIGNED_IN },
  },
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
    parameters: [
      slug,
      entityType('entity'),
      query('status', 'Of the deliveries listed.', oneOf(DELIVERY_STATUSES), 'failed'),
      query('after', 'Where the list goes on, from the page.', Type.String(), 'WzE3OTUyNjY1'),
    ],
    answers: { 200: page('The page.'), 422: page('The address does not work.'), ...OF_CHANNEL },
  },
  [`POST ${OPS.pause}`]: action('pauseChannel', 'Sends nothing more until it is resumed'),
  [`POST ${OPS.resume}`]: action('resumeChannel', 'Delivers again, at once'),
  [`POST ${OPS.deliver}`]: action('deliverChannel', 'Runs now instead of at the next due time'),
  [`GET ${OPS.reset}`]: {
    id: 'askReset',
    tag: 'operators',
    summary: 'Says what a reset would resend, and asks',
    parameters: [
      slug,
      entityType('entity_type'),
      query('timestamp', 'UTC where it has no offset.', Type.String(), '2026-10-01T00:00:00Z'),
    ],
    answers: {
      200: page('The page.'),
      403: page('The operator may only read.'),
      422: FORM[422],
      ...OF_CHANNEL,
    },
  },
  [`POST ${OPS.reset}`]: action('resetChannelMarker', 'Sends again what changed at or after a time', {
    entity_type: 'One of the channel’s.',
    timestamp: 'UTC.',
  }),
  [`POST ${OPS.release}`]: action('releaseSetAside', 'Sends records that were set aside again', {
    record: '`<entity_type>/<record>`, as often as wanted.',
    which: '`ticked` or `all`.',
  }),
};
