import { countProbe } from '../../activities/deliver/search-page';
import type { DeliverySlice, NotConfirmed } from '../../activities/deliver/slice';
import { createSelections } from '../../activities/selections';
import { withHeartbeat } from '../../activities/current-delivery';
import { NOTHING_YET } from '../../domain/deliveries/delivery';
import type { EntityType } from '../../domain/records/entity-types';
import { NONE_DECLARED } from '../../domain/records/shown-fields';
import type { Channel } from '../../store/channels/channels';
import { asActivity } from '../setup/as-activity';

describe('with-heartbeat', () => {
  beforeEach(() => jest.useFakeTimers());

  afterEach(() => jest.useRealTimers());

  test('a long step heartbeats all the while, with what was shown last, and not after its end', async () => {
    const beats: unknown[] = [];
    let end = () => {};
    const step = () =>
      withHeartbeat(async (show) => {
        show('page 1');
        show('page 2');
        await new Promise<void>((resolve) => (end = resolve));
      });
    const running = asActivity('test', step, undefined, (details) => beats.push(details));
    jest.advanceTimersByTime(3_000);
    expect(beats).toEqual(['page 2', 'page 2', 'page 2']);
    end();
    await running;
    jest.advanceTimersByTime(3_000);
    expect(beats).toHaveLength(3);
  });
});

describe('set-record-aside', () => {
  const refused = { end: 'unconfirmed', unconfirmed: { reason: 'refused' } } as NotConfirmed;

  /** After sixty requests, with so much confirmed and set aside. */
  function afterSixty(records: number, set_aside: number) {
    const input = { spent: { set_aside, probes: 60 } };
    return countProbe({ input, tally: { totals: { ...NOTHING_YET, records } } } as DeliverySlice, refused);
  }

  test('with the requests of a search used up it is the endpoint, unless something was confirmed or set aside', () => {
    expect(afterSixty(0, 0)).toMatchObject({ isEndpoint: true });
    for (const [records, set_aside] of [
      [1, 0],
      [0, 1],
    ] as const) {
      const ended = afterSixty(records, set_aside)!;
      expect(ended.isEndpoint).toBeUndefined();
      expect(ended.unconfirmed.advice).toContain('those set aside');
    }
  });
});

describe('selections', () => {
  /** Channels of a hundred accounts each, with what is read for them. */
  function stage(most: number) {
    const read: string[] = [];
    const shared = new Set(Array.from({ length: 100 }, (_, index) => `42-${index}`));
    const selections = createSelections({} as never, most, async (_, { _id }, type) => {
      read.push(`${_id} ${type}`);
      return { companies: [], shared, fields: NONE_DECLARED };
    });
    const ask = (slug: string, shares_version = 1, companies: string[] = [], type: EntityType = 'tickets') =>
      selections({ _id: slug, scope: 'subscribed', shares_version, companies } as Channel, type, {} as never);
    return { read, shared, ask };
  }

  test('shared accounts are read once for a version, and the companies are those of the channel now', async () => {
    const { read, shared, ask } = stage(1_000);
    const fields = NONE_DECLARED;
    expect(await ask('acme')).toEqual({ companies: [], shared, fields });
    expect(await ask('acme', 1, ['42'])).toEqual({ companies: ['42'], shared, fields });
    await ask('acme', 2);
    expect(read).toEqual(['acme tickets', 'acme tickets']);
  });

  test('each entity type has its own: an account may be begun for one and not yet for another', async () => {
    const { read, ask } = stage(1_000);
    for (const type of ['tickets', 'accounts', 'tickets'] as const) await ask('acme', 1, [], type);
    expect(read).toEqual(['acme tickets', 'acme accounts']);
  });

  test('those used last are kept, up to a number of accounts', async () => {
    const { read, ask } = stage(200);
    for (const slug of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(slug);
    expect(read).toEqual(['a tickets', 'b tickets', 'c tickets', 'b tickets']);
  });

  test('the last one is kept whatever its number', async () => {
    const { read, ask } = stage(50);
    for (const slug of ['a', 'a', 'b', 'b']) await ask(slug);
    expect(read).toEqual(['a tickets', 'b tickets']);
  });
});
