import { createSelections } from '../../activities/selections';
import type { EntityType } from '../../domain/entity-types';
import type { Channel } from '../../store/feed/channels';

/** Channels of a hundred accounts each, with what is read for them. */
function stage(most: number) {
  const read: string[] = [];
  const shared = new Set(Array.from({ length: 100 }, (_, index) => `42-${index}`));
  const selections = createSelections({} as never, most, async (_, { _id }, type) => {
    read.push(`${_id} ${type}`);
    return { companies: [], shared };
  });
  const ask = (slug: string, shares_version = 1, companies: string[] = [], type: EntityType = 'tickets') =>
    selections({ _id: slug, scope: 'subscribed', shares_version, companies } as Channel, type, {} as never);
  return { read, shared, ask };
}

test('shared accounts are read once for a version, and the companies are those of the channel now', async () => {
  const { read, shared, ask } = stage(1_000);
  expect(await ask('acme')).toEqual({ companies: [], shared });
  expect(await ask('acme', 1, ['42'])).toEqual({ companies: ['42'], shared });
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
