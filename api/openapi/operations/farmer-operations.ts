import { Type } from '@sinclair/typebox';
import { PATHS, SHARING } from '../../farmer/paths';
import type { AnswerDescription, Operation, Parameter } from '../operation';
import { onward, page } from './page-answers';

// Whatever is in the way, the farmer gets a page that says what to do, in English and Spanish.
const PAGE_ERRORS = {
  400: page('The form cannot be read.'),
  403: page('The session has ended, or the form does not belong to it.'),
  404: page('The channel is no more.'),
  429: page('Too many requests from one address, or too many codes.'),
  503: page('Not now, or the text could not be sent.'),
};

const show = (id: string, summary: string, answers: Record<string, AnswerDescription> = {}): Operation => ({
  id,
  tag: 'sharing',
  summary,
  answers: { 200: page('The page.'), 303: onward('To the step that is next.'), ...answers, ...PAGE_ERRORS },
});

const submit = (id: string, summary: string, answers: Record<string, AnswerDescription> = {}): Operation => ({
  ...show(id, summary, answers),
  body: {
    description: 'The form of the page.',
    content: {
      'application/x-www-form-urlencoded': {
        schema: Type.Object({ csrf: Type.String({ description: 'From the page.' }) }),
      },
    },
  },
});

const again = { 422: page('The page again, with what is wrong.') };

const linkPart = (
  name: string,
  description: string,
  schema: object,
  example: string,
  required = true,
): Parameter => ({
  name,
  in: 'query',
  required,
  description,
  schema,
  example,
});

const link: Operation = {
  id: 'openLink',
  tag: 'sharing',
  summary: 'Send a farmer here to share accounts with you',
  description:
    'The farmer’s page. It works without JavaScript. The farmer comes back to `callback_url`, by a button or 20 ' +
    'seconds after saving, with `status` (saved, unchanged or cancelled) and `partner_id` added.',
  parameters: [
    linkPart('partner_slug', 'Your channel.', Type.String(), 'acme'),
    linkPart(
      'partner_id',
      'Your own key for this set of choices, one per policy for example. Another value shows none of them.',
      Type.String({ minLength: 1, maxLength: 128 }),
      'POLICY-4711',
    ),
    linkPart('display_name', 'Your name as the farmer knows it.', Type.String(), 'Acme Crop Insurance'),
    linkPart('phone', 'Fills in the first page.', Type.String({ pattern: '^\\d{10}$' }), '7015550142'),
    linkPart(
      'callback_url',
      'Where the farmer goes afterwards; its origin must be registered with the operator.',
      Type.String({ format: 'uri', maxLength: 2048 }),
      'https://acme.example/back',
    ),
    linkPart(
      'expires',
      'Until when the link works, as a Unix time in seconds; where your links are signed.',
      Type.String({ pattern: '^\\d{1,12}$' }),
      '1795435200',
      false,
    ),
    linkPart(
      'signature',
      'HMAC-SHA256 in hex of the other six; where your links are signed.',
      Type.String({ pattern: '^[0-9a-f]{64}$' }),
      'c0a8d4c0f5c7e1d6f0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7',
      false,
    ),
  ],
  answers: {
    303: onward('To an address without the parameters.'),
    400: page('The link is broken; the page says which part.'),
    403: page('The channel’s links are signed, and this one is not, or it is over.'),
    429: PAGE_ERRORS[429],
    503: PAGE_ERRORS[503],
  },
};

const receipt: Operation = {
  ...show('downloadReceipt', 'What the farmer has agreed to, to keep'),
  answers: {
    200: { description: 'The receipt.', content: { 'text/plain': { schema: Type.String() } } },
    303: onward('To the step that is next.'),
    ...PAGE_ERRORS,
  },
};

const leave: Operation = {
  ...show('leave', 'On to the customer'),
  answers: {
    303: onward('To the `callback_url`; before anything is saved, to the step that is next.'),
    ...PAGE_ERRORS,
  },
};

const openSharing: Operation = {
  id: 'openSharing',
  tag: 'sharing',
  summary: 'Who sees my grain data: the address for every farmer',
  description:
    'The farmer’s own page, without a customer’s link. After a code it shows every customer that gets something of the ' +
    'accounts with that phone, and stops any. Link to it from your website.',
  answers: {
    303: onward('To the page, or to the phone number.'),
    429: PAGE_ERRORS[429],
    503: PAGE_ERRORS[503],
  },
};

export const FARMER_OPERATIONS: Record<string, Operation> = {
  [`GET ${PATHS.link}`]: link,
  [`GET ${PATHS.phone}`]: show('showPhone', 'Step 1: the phone number'),
  [`POST ${PATHS.phone}`]: submit('submitPhone', 'Texts a code', again),
  [`GET ${PATHS.code}`]: show('showCode', 'Step 2: the code'),
  [`POST ${PATHS.code}`]: submit('submitCode', 'Tries a code, or texts another', again),
  [`GET ${PATHS.accounts}`]: show('showAccounts', 'Step 3: which accounts'),
  [`POST ${PATHS.accounts}`]: submit('submitAccounts', 'Chooses accounts, or searches', again),
  [`GET ${PATHS.check}`]: show('showCheck', 'Step 4: what will be shared, and with whom'),
  [`POST ${PATHS.check}`]: submit('submitCheck', 'Agrees', {
    409: page('What was read has changed: the page again.'),
  }),
  [`GET ${PATHS.done}`]: show('showDone', 'Step 5: what is shared now'),
  [`POST ${PATHS.done}`]: submit('submitDone', 'Changes the language of that page'),
  [`GET ${PATHS.cancelled}`]: show('showCancelled', 'Nothing was changed'),
  [`POST ${PATHS.cancelled}`]: submit('submitCancelled', 'Changes the language of that page'),
  [`GET ${PATHS.leave}`]: leave,
  [`POST ${PATHS.signOut}`]: submit('signOutFarmer', 'Ends the visit'),
  [`GET ${PATHS.receipt}`]: receipt,
  [`GET ${SHARING.entry}`]: openSharing,
  [`GET ${SHARING.phone}`]: show('showSharingPhone', 'Who sees my grain data: the phone number'),
  [`POST ${SHARING.phone}`]: submit('submitSharingPhone', 'Texts a code', again),
  [`GET ${SHARING.code}`]: show('showSharingCode', 'Who sees my grain data: the code'),
  [`POST ${SHARING.code}`]: submit('submitSharingCode', 'Tries a code, or texts another', again),
  [`GET ${SHARING.customers}`]: show('showSharing', 'Who sees my grain data: every customer'),
  [`POST ${SHARING.customers}`]: submit('stopSharing', 'Stops one account, one customer, or all'),
};
