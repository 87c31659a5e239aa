import { setTimeout } from 'node:timers/promises';
import { nextPage } from '../../api/feed/next-page';
import { findChannel, pauseChannel } from '../../store/feed/channels';
import { markerId } from '../../store/feed/markers';
import { askForPage, layPage, noteNothing } from '../../store/feed/waiting-pages';
import { eventually } from '../setup/eventually';
import { type Api, channelKey, hearingSignals, startApi } from './start-api';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

const META = { current_page: 1, page_count: 0, page_size: 1, total_count: 0, total_pages: 1 };

let used = 0;

/** A channel that collects its pages, and what a worker would do for it: there is none here. */
async function scene() {
  const slug = `pulls-${++used}`;
  const token = await channelKey(api.store, slug, { delivery: 'pull', base_url: '' });
  const channel = (await findChannel(api.store, slug))!;
  const next = (temporal = hearingSignals(false).temporal) =>
    nextPage({ store: api.store, temporal }, { channel, entityType: 'tickets', requestId: 'test' });
  const ask = async () => (await askForPage(api.store, channel, 'tickets')).asks;
  return {
    slug,
    next,
    ask,
    get: (headers: Record<string, string>) =>
      api.ask('GET', `/api/v1/channels/${slug}/feed?entity_type=tickets`, { token, headers }),
    nothing: (asks: number) => noteNothing(api.store, slug, 'tickets', asks),
    async lay(): Promise<void> {
      await ask();
      const headers = { 'webhook-id': 'msg_1', 'x-request-id': 'of-the-page' };
      const until = new Date(Date.now() + 60_000);
      const page = { page: 'msg_1', until, shares_version: channel.shares_version, headers };
      const body = Buffer.from(JSON.stringify({ data: [], meta: META }));
      await layPage(api.store, markerId(slug, 'tickets'), { ...page, body }, undefined);
    },
  };
}

const away = expect.objectContaining({ code: 'UNAVAILABLE' });

test('a page is answered under the id of the question, not under its own', async () => {
  const { lay, get } = await scene();
  await lay();
  const { status, headers } = await get({ 'x-request-id': 'of-the-question' });
  expect([status, headers['webhook-id'], headers['x-request-id']]).toEqual([200, 'msg_1', 'of-the-question']);
});

test('that there was nothing for an earlier question answers no later one', async () => {
  const { ask, next, nothing } = await scene();
  await nothing(await ask());
  await expect(next()).rejects.toEqual(away);
});

test('a page that waits is not given out once the channel is paused, however long ago the question was let in', async () => {
  const { slug, lay, next } = await scene();
  await lay();
  expect((await next())?.headers['webhook-id']).toBe('msg_1');
  await pauseChannel(api.store, slug, 'asked');
  await expect(next()).rejects.toEqual(away);
});

test('a question is signalled once, however long it waits', async () => {
  const { slug, next, nothing } = await scene();
  const { temporal, signals } = hearingSignals();
  const answer = next(temporal);
  await eventually(() => expect(signals.length).toBeGreaterThan(0));
  await setTimeout(200);
  await nothing(1);
  expect(await answer).toBeNull();
  expect(signals).toEqual([
    { slug, signal: 'pageAskedFor', args: [{ entity_types: ['tickets'], request_id: 'test' }] },
  ]);
});
