import { readFileSync } from 'node:fs';
import path from 'node:path';
import { tellDeprecated } from '../../api/http/tell-deprecated';
import { describeApi } from '../../api/openapi/describe-api';
import { deprecationsPage, surfaceOf } from '../../api/openapi/surface';
import { ROUTES } from '../../api/routes';
import { type Deprecation, DEPRECATIONS, isAnnouncedInTime, MONTHS_AHEAD } from '../../domain/deprecations';
import { startApi } from '../api/start-api';
import { DOCUMENT, type Node } from './read-document';

const published = readFileSync(path.join(__dirname, 'published.txt'), 'utf8').trim().split('\n');
const today = new Set(surfaceOf(DOCUMENT).keys());

/** What was published and is gone, but was not announced in time. */
const goneUnannounced = (now: Set<string>, rows: readonly Deprecation[], at = new Date()) =>
  published.filter((what) => {
    const row = rows.find((one) => one.what === what);
    const mayBeGone = row && isAnnouncedInTime(row) && new Date(row.ends) <= at;
    return !now.has(what) && !mayBeGone;
  });

const GOING: Deprecation = {
  what: 'GET /api/v1/channels/{channel_slug}/markers',
  announced: '2027-01-15',
  ends: '2027-07-15',
  instead: 'ask `.../positions`',
};

test('nothing that was published is gone without an announcement months ahead', () =>
  expect(goneUnannounced(today, DEPRECATIONS)).toEqual([]));

test('what is new is published: add these lines to test/openapi/published.txt, in order, and remove none', () => {
  expect([...today].filter((what) => !published.includes(what))).toEqual([]);
  expect(published).toEqual([...new Set(published)].sort());
});

test('a field that is gone has to have been announced, in time, and its day to have come', () => {
  const less = new Set(today);
  less.delete('Ticket.truck_driver');
  const row = { ...GOING, what: 'Ticket.truck_driver' };
  const [before, after] = [new Date('2027-07-14'), new Date('2027-07-15')];
  expect(goneUnannounced(less, [])).toEqual(['Ticket.truck_driver']);
  expect(goneUnannounced(less, [row], before)).toEqual(['Ticket.truck_driver']);
  expect(goneUnannounced(less, [{ ...row, announced: '2027-02-01' }], after)).toEqual([
    'Ticket.truck_driver',
  ]);
  expect(goneUnannounced(less, [row], after)).toEqual([]);
});

test('every announcement is of something that was published, and comes in time', () => {
  for (const row of DEPRECATIONS)
    expect([row.what, published.includes(row.what), isAnnouncedInTime(row)]).toEqual([row.what, true, true]);
});

test('what is going is marked in the document, with its end and what to use', () => {
  const document: Node = describeApi(ROUTES, [
    GOING,
    { ...GOING, what: 'Ticket.truck_driver' },
    { ...GOING, what: 'GET /api/v1/channels/{channel_slug}/deliveries?limit' },
  ]);
  const says = /Deprecated since 2027-01-15, and gone from 2027-07-15 on: ask `\.\.\.\/positions`\.$/;
  const [markers, deliveries] = ['markers', 'deliveries'].map(
    (end) => document.paths[`/api/v1/channels/{channel_slug}/${end}`].get,
  );
  const limit = deliveries.parameters.find(({ name }: Node) => name === 'limit');
  const field = document.components.schemas.Ticket.properties.truck_driver;
  for (const place of [markers, limit, field])
    expect(place).toMatchObject({ deprecated: true, description: expect.stringMatching(says) });
  expect(DOCUMENT.components.schemas.Ticket.properties.truck_driver).not.toHaveProperty('deprecated');
});

test('each answer of a request that is going says since when and until when, an error as well', async () => {
  (DEPRECATIONS as Deprecation[]).push(GOING);
  const api = await startApi();
  const going = await api.ask('GET', '/api/v1/channels/acme/markers');
  const staying = await api.ask('GET', '/api/v1/channels/acme/deliveries');
  (DEPRECATIONS as Deprecation[]).pop();
  expect([going.status, going.headers]).toMatchObject([
    401,
    {
      deprecation: '@1799971200',
      sunset: 'Thu, 15 Jul 2027 00:00:00 GMT',
      link: '</docs>; rel="deprecation"; type="text/html"',
    },
  ]);
  expect(staying.headers).not.toHaveProperty('deprecation');
  expect(tellDeprecated({ method: 'POST', path: '/api/v1/push' }, [GOING])).toEqual([]);
});

test('docs/deprecations.md says what is going: its last lines have the command that makes it', () => {
  const page = readFileSync(path.join(__dirname, '../../docs/deprecations.md'), 'utf8');
  expect(page).toBe(`${deprecationsPage(DEPRECATIONS, MONTHS_AHEAD)}\n`);
  expect(deprecationsPage([GOING], MONTHS_AHEAD)).toContain(
    `| \`${GOING.what}\` | 2027-01-15 | 2027-07-15 | ask \`.../positions\` |`,
  );
});
