import { Type } from '@sinclair/typebox';
import { count } from '../domain/records/count';
import { WRAPPER_KEYS } from '../domain/records/entity-types';
import type { Channel } from '../store/channels/channels';
import { chooseRecords, MOST_OF_ACCOUNT, TooManyRecords } from '../store/window/choose-records';
import { bumpSharesVersion } from '../store/channels/shares-version';
import { readMarkers } from '../store/markers/markers';
import { releaseForResend } from '../store/deliveries/set-aside';
import { aCount, startsAt } from './answers';
import { deed, type Input, type Flaw, flaw, Refused } from './deed';
import { accountId, carriedType, recordIds } from './fields';
import { type Asker, type Parts, recordAction, type Result } from './record-action';
import { startOf } from './start-of';

const input = { entity_type: carriedType(), ids: recordIds(), account: accountId() };
type Asked = Input<typeof input>;

/** How many records are sent again, which ids the channel does not get, and when the first page leaves (`startOf`). */
interface Resending {
  records: number;
  unknown: string[];
  starts: string;
}

// An account may have 100,000 records, and each is written: a process does one such resend at a time for a channel.
const resending = new Set<string>();
const NONE: Flaw = {
  says: 'the channel gets none of these records',
  advice: 'give ids as the feed has them',
  isWhole: true,
};
const BUSY: Flaw = {
  says: 'another account is being sent again',
  advice: 'try again in a few seconds',
  isWhole: true,
};
const BUSY_MS = 5_000;
const TOO_MANY: Flaw = {
  says: `has more than ${MOST_OF_ACCOUNT.toLocaleString('en-US')} records of this type`,
  advice: 'reset the marker instead',
};

/**
 * Sends just these records again, without moving a marker (docs/contract.md C23); of an account even those that were
 * corrected away from it.
 */
export const resend = deed<Resending>()({
  name: 'resend',
  input,
  together: {
    fields: ['ids', 'account'],
    judge: ({ ids, account }) =>
      (ids === undefined) === (account === undefined)
        ? flaw('give either ids or account', {
            isWhole: true,
            advice: 'name their ids, or give --account <id>',
          })
        : undefined,
  },
  api: {
    id: 'resendRecords',
    tag: 'digest',
    path: '/resend',
    maxBodyBytes: 1024 * 1024, // a thousand of the longest ids, escaped
    summary: 'Get single records again',
    description: 'Sends just these again, as they are now. No marker moves, and nothing else is held up.',
    body: [
      'ResendRequest',
      'Records by id, or all of an account.',
      {
        ids: { entity_type: 'tickets', ids: ['42-T-1', '42-T-2'] },
        account: { entity_type: 'tickets', account: '42-1001' },
      },
    ],
    answer: ['Resend', 'What is sent again.', { sample: { records: 1, unknown: ['42-T-2'], starts: 'now' } }],
  },
  output: Type.Object({
    records: aCount('How many records are sent again.'),
    unknown: Type.Array(Type.String(), {
      description: 'What was asked for and is not yours: it is not there, or not shared with you.',
    }),
    starts: startsAt(),
  }),
  gdx: {
    words: ['resend'],
    says: 'send single records again; no marker moves',
    notes: ({ unknown }) => (unknown.length > 0 ? [`the channel does not get: ${unknown.join(', ')}`] : []),
    none: ({ records }) => (records === 0 ? NONE : undefined),
  },
  sends: {
    verb: 'resend',
    what: ({ entity_type: type }, { records }) => count(records, WRAPPER_KEYS[type], type),
  },
  page: {
    doors: ['operator', 'channel'],
    title: 'Send an account again',
    says: 'Sends all records of one type of one account again. No marker moves.',
    done: 'Sent records again',
  },

  async run(parts, channel, asked, asker) {
    const { _id: slug } = channel;
    if (asked.account === undefined) return resendChosen(parts, channel, asked, asker);
    if (resending.has(slug)) throw new Refused('account', BUSY, BUSY_MS);
    resending.add(slug);
    return resendChosen(parts, channel, asked, asker).finally(() => resending.delete(slug));
  },

  answer: (_, { records, unknown, starts }) => ({ records, unknown, starts }),
});

async function resendChosen(
  parts: Parts,
  channel: Channel,
  { entity_type: type, ids = [], account }: Asked,
  asker: Asker,
): Promise<(Result & Resending) | undefined> {
  const { store, temporal } = parts;
  const { _id: slug } = channel;
  const choice = account === undefined ? { ids } : { account };
  const { records, unknown } = await chooseRecords(store, channel, type, choice).catch(refuse);
  const said = count(records.length, WRAPPER_KEYS[type], type);
  const about = account === undefined ? said : `${type} of ${account}`;
  const action = { action: 'resend', channel: slug, about, before: {} } as const;
  return recordAction(parts, asker, action, async () => {
    // They come with the channel's own pages, which have to be new ones to a customer that has lost what it had applied.
    const passed = (await readMarkers(store, slug)).get(type)?.position ?? 0;
    if (records.some(({ position }) => position > passed)) await bumpSharesVersion(store, slug);
    await releaseForResend(store, { channel: slug, entity_type: type }, records);
    const signalled =
      records.length === 0 || (await temporal.settingsChanged(slug, 'released', asker.request_id));
    const starts = await startOf(parts, channel, type, signalled);
    const outcome =
      records.length > 0
        ? `Resends ${said}.`
        : 'None of these records belong to the channel: nothing is sent.';
    return { outcome, signalled, records: records.length, unknown, starts };
  });
}

function refuse(error: unknown): never {
  throw error instanceof TooManyRecords ? new Refused('account', TOO_MANY) : error;
}
