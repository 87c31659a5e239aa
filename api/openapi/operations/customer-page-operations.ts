import { CUSTOMER } from '../../customer/paths';
import type { Operation } from '../operation';
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

const action = (id: string, summary: string, fields: Record<string, string>): Operation => ({
  id,
  tag: 'customer',
  summary,
  body: form({ ...ACTED, ...fields }),
  answers: { ...FORM, ...SIGNED_IN },
});

export const CUSTOMER_PAGE_OPERATIONS: Record<string, Operation> = {
  ...doorOperations('customer', CUSTOMER, {
    whose: 'Customer',
    asks: 'Asks for the API key of a channel',
    opens: 'Opens a session, of 30 minutes without a page and 8 hours at most; it ends with the key',
    token: 'The API key.',
  }),
  [`GET ${CUSTOMER.page}`]: {
    id: 'showOwnChannel',
    tag: 'customer',
    summary: 'Your channel: markers, deliveries with your answers, what is set aside, settings, what you did',
    parameters: LISTED,
    answers: { 200: page('The page.'), 422: page('The address does not work.'), ...SIGNED_IN },
  },
  [`GET ${CUSTOMER.reset}`]: {
    id: 'askOwnReset',
    tag: 'customer',
    summary: 'Says what a reset would resend, and asks',
    parameters: RESET_ASKED,
    answers: { 200: page('The page.'), 422: FORM[422], ...SIGNED_IN },
  },
  [`POST ${CUSTOMER.reset}`]: action(
    'resetOwnMarker',
    'Sends again what changed at or after a time',
    RESET_FIELDS,
  ),
  [`POST ${CUSTOMER.release}`]: action(
    'releaseOwn',
    'Sends records that were set aside again',
    RELEASE_FIELDS,
  ),
  [`POST ${CUSTOMER.resend}`]: action('resendOwn', 'Sends an account’s records again', RESEND_FIELDS),
  [`POST ${CUSTOMER.test}`]: action('testOwnEndpoint', 'Posts a page marked as a test to you', {}),
  [`POST ${CUSTOMER.notify}`]: action(
    'setOwnNotifyUrl',
    'Sets the address at which you are told what happens',
    {
      notify_url: 'Empty: nothing is told.',
    },
  ),
  [`GET ${CUSTOMER.rotateSecret}`]: {
    id: 'askSecretRotation',
    tag: 'customer',
    summary: 'Says what a new signing secret means, and asks',
    answers: { 200: page('The page.'), ...SIGNED_IN },
  },
  [`POST ${CUSTOMER.rotateSecret}`]: {
    id: 'rotateOwnSecret',
    tag: 'customer',
    summary: 'Makes a new signing secret, shown only in this answer',
    body: form({ ...ACTED, at_once: '`yes` drops the old ones now.' }),
    answers: { 200: page('The secret.'), 400: FORM[400], 403: FORM[403], 422: FORM[422], ...SIGNED_IN },
  },
};
