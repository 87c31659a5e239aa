import { Type } from '@sinclair/typebox';
import { ENTITY_TYPES } from '../../../domain/entity-types';
import { DELIVERY_STATUSES } from '../../../store/deliveries/deliveries';
import type { Operation, Parameter } from '../operation';
import { onward, page } from './page-answers';

// Whatever is in the way, there is a page that says what to do.
const PAGE_ERRORS = {
  429: page('Too many requests from one address, or too many wrong tokens.'),
  500: page('A defect.'),
  503: page('Not now.'),
};
export const SIGNED_IN = { 401: page('The page that asks for the token or key.'), ...PAGE_ERRORS };
export const FORM = {
  303: onward('To the page that shows what came of it.'),
  400: page('The form cannot be read.'),
  403: page('The form is not of this session, or the operator may only read.'),
  422: page('The page again, with what is wrong.'),
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

/** A posted form: its fields, and what each is. */
export const form = (fields: Record<string, string>): NonNullable<Operation['body']> => ({
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

/** What every form of an action has. */
export const ACTED = { form: 'From the page: posted twice, it is done once.', reason: 'Why.' };
export const RESET_FIELDS = { entity_type: 'One of the channel’s.', timestamp: 'UTC.' };
export const RELEASE_FIELDS = {
  record: '`<entity_type>/<record>`, as often as wanted.',
  which: '`ticked` or `all`.',
};

/** Of an account. */
export const RESEND_FIELDS = { entity_type: 'One of the channel’s.', account: 'Its id in the feed.' };

/** The way in through a door and out of it. `whose`: `Operator`, for the ids. */
export function doorOperations(
  tag: Operation['tag'],
  paths: Record<'signIn' | 'signOut', string>,
  { whose, asks, opens, token }: Record<'whose' | 'asks' | 'opens' | 'token', string>,
): Record<string, Operation> {
  return {
    [`GET ${paths.signIn}`]: {
      id: `show${whose}SignIn`,
      tag,
      summary: asks,
      answers: { 200: page('The page.'), ...PAGE_ERRORS },
    },
    [`POST ${paths.signIn}`]: {
      id: `signIn${whose}`,
      tag,
      summary: opens,
      body: form({ token, to: 'From the page.' }),
      answers: { ...FORM, ...PAGE_ERRORS },
    },
    [`POST ${paths.signOut}`]: {
      id: `signOut${whose}`,
      tag,
      summary: 'Ends the session',
      body: form({}),
      answers: { 303: FORM[303], 400: FORM[400], 403: FORM[403], ...SIGNED_IN },
    },
  };
}

/** Which deliveries a channel's page lists. */
export const LISTED: Parameter[] = [
  entityType('entity'),
  query('status', 'Of the deliveries listed.', oneOf(DELIVERY_STATUSES), 'failed'),
  query('after', 'Where the list goes on, from the page.', Type.String(), 'WzE3OTUyNjY1'),
];

export const RESET_ASKED: Parameter[] = [
  entityType('entity_type'),
  query('timestamp', 'UTC where it has no offset.', Type.String(), '2026-10-01T00:00:00Z'),
];
