import { Type } from '@sinclair/typebox';
import { reset } from '../../control/reset';
import { CHANNEL } from '../http/route';
import { CHANNEL_LISTS } from '../channel/list-route';
import { entityType } from '../../control/fields';
import { describeDeed } from './describe-deed';
import { describeList, PAGE_BY_PAGE } from './describe-list';
import { DIGEST_OPERATIONS } from './digest-operations';
import { ELEVATOR, productionExample } from './examples';
import { PAGE_CONTENT, PAGE_HEADERS } from './feed-webhook';
import { json, query, type Operation } from './operation';

export const CHANNEL_OPERATIONS: Record<string, Operation> = {
  ...describeDeed(reset),
  [`GET ${CHANNEL}/feed`]: {
    id: 'getPage',
    tag: 'feed',
    summary: 'Collect the next page',
    description:
      'For a channel whose customer collects its pages. The page is the one that would be posted, with the same headers; ' +
      'it is answered again until it is confirmed or something in it has changed. Waits up to 10 s for it.',
    parameters: [{ ...query('entity_type', 'Of which type.', entityType()), required: true }],
    answers: {
      200: { description: 'The page.', headers: PAGE_HEADERS, content: PAGE_CONTENT },
      204: { description: 'There is nothing to send.' },
    },
    errors: ['CHANNEL_PUSHED', 'CHANNEL_PAUSED'],
  },
  [`POST ${CHANNEL}/feed/confirm`]: {
    id: 'confirmPage',
    tag: 'feed',
    summary: 'Confirm a page that you have stored',
    description:
      'Moves the marker past the page. Confirming it again answers 204 again. After 503, confirm it again.',
    body: json('The `webhook-id` of the page.', 'PageConfirmation', {
      page: 'msg_3f0c7a52b1d94e08a6f25c1de8b0aa97',
    }),
    answers: { 204: { description: 'It is confirmed, and the marker is past it.' } },
    errors: ['CHANNEL_PUSHED', 'CHANNEL_PAUSED', 'PAGE_NOT_WAITING'],
  },
  ...DIGEST_OPERATIONS,
  ...Object.assign({}, ...CHANNEL_LISTS.map(describeList)),
  [`GET ${CHANNEL}/production`]: {
    id: 'getProduction',
    tag: 'production',
    summary: 'The production record of an account',
    description:
      'The loads of one account and crop year by FSA farm, tract and field as they were pushed, with their sums and what is ' +
      'missing, from the tickets and settlements that you may see now. One at a time for a channel, else 429.',
    parameters: [
      { ...query('account', 'As the feed shows it.', Type.String()), required: true },
      { ...query('crop_year', 'Such as 2026; `none` for loads without one.', Type.String()), required: true },
      query(
        'format',
        'As JSON, or the loads as CSV, or the sums of each field as CSV.',
        Type.Union([Type.Literal('json'), Type.Literal('csv'), Type.Literal('sums')]),
      ),
    ],
    answers: {
      200: {
        description: 'The record.',
        content: {
          ...json('', 'Production', productionExample()).content,
          'text/csv': { schema: { type: 'string' } },
        },
      },
    },
  },
  [`GET ${CHANNEL}/elevators`]: {
    id: 'listElevators',
    tag: 'elevators',
    summary: 'What an elevator reference means',
    description:
      'The elevators of the channel’s companies as their ERPs pushed them. They are not fed; contracts, tickets and ' +
      'settlements refer to them as `elevator`. A channel of scope `subscribed` is shown a field that is not listed only ' +
      'where its ERP says that it names nobody.',
    parameters: PAGE_BY_PAGE,
    answers: {
      200: json('In the order of their ids.', 'Elevators', {
        data: [
          {
            ...ELEVATOR,
            id: `42-${ELEVATOR.id}`,
            remote_id: ELEVATOR.id,
            company: { id: '42', name: 'Prairie Co-op' },
          },
        ],
        next: null,
      }),
    },
  },
  [`GET ${CHANNEL}/subscriptions`]: {
    id: 'listSubscriptions',
    tag: 'sharing',
    summary: 'What farmers share with you now',
    description: 'Ask here after a farmer has come back: the `status` of the address is no proof of consent.',
    parameters: [
      query('partner_id', 'Only of this set of choices.', Type.String()),
      query(
        'ended',
        'Those that are no longer shared, newest first, instead of those that are.',
        Type.Literal('true'),
      ),
    ],
    answers: {
      200: json('Accounts shared now.', 'Subscriptions', {
        data: [
          {
            account: { id: '42-1001', remote_id: '1001', name: 'Meyer Farms' },
            partner_id: 'POLICY-4711',
            since: '2026-09-30T17:20:44.871Z',
            ends_at: null,
            earlier: true,
          },
        ],
      }),
    },
  },
  [`POST ${CHANNEL}/deletions`]: {
    id: 'confirmDeletion',
    tag: 'sharing',
    summary: 'Say that you have deleted an account',
    description:
      'For an account that nobody shares with you any more: the notice, and the list of ended subscriptions, say which. The farmer ' +
      'reads that you have said so, and the ledger keeps it. Saying it again answers the same.',
    body: json('The account, as the feed shows it.', 'DeletionConfirmation', { account: '42-1001' }),
    answers: {
      200: json('It is kept.', 'DeletionConfirmed', {
        account: '42-1001',
        confirmed_at: '2026-11-27T16:20:44.871Z',
      }),
    },
    errors: ['ACCOUNT_SHARED'],
  },
};
