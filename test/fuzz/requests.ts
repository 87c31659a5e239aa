import { gzipSync } from 'node:zlib';
import { CHANNEL_LISTS } from '../../api/channel/list-route';
import { CHANNEL } from '../../api/http/route';
import type { Route } from '../../api/routes';
import type { AnyList } from '../../control/list';
import type { Random } from '../../tools/sample/random';
import { pushFor } from './generate';
import { damage, mutate, nasty, writeJson } from './mutate';
import { spellHeaders } from './spell-header';
import { BROKEN_ENCODINGS, ENCODINGS } from '../setup/text-encodings';

export interface FuzzRequest {
  path: string;
  headers: Record<string, string | string[]>;
  body?: Buffer;
}

const TYPES = ['accounts', 'contracts', 'tickets', 'settlements'];
const HEADER_VALUES = [
  '',
  'x',
  '*',
  'gzip',
  'br',
  'identity',
  'text/plain',
  'application/json; charset=utf-16',
  '100-continue',
];
const INSTANTS = ['2026-10-01T00:00:00Z', '2016-01-01T00:00:00Z', '2020-02-29T23:59:59.999-11:30'];

/** A part of a list. */
const PART = { limit: ['1', '50', '200'], after: [Buffer.from('[1,"x"]').toString('base64url')] };

const kindsOf = (filters: AnyList['filters']) =>
  Object.fromEntries(
    Object.entries<AnyList['filters'][string]>(filters).map(([name, { kinds }]) => [name, kinds]),
  );

/** What is asked of one row of the route table: a good request, with something wrong in most of them. */
const GENERATORS: Record<string, (random: Random) => Omit<FuzzRequest, 'headers'>> = {
  'POST /api/v1/push': (random) => ({
    path: `/api/v1/push${random.chance(0.2) ? query(random, { dry_run: ['true', 'false'] }) : ''}`,
    body: bodyOf(pushFor(random), random),
  }),
  'GET /api/v1/pushes/:request_id': (random) => ({ path: `/api/v1/pushes/${part(random, ['same', '~'])}` }),
  'GET /api/v1/records/:type': (random) => ({
    path: `/api/v1/records/${part(random, ['elevators', ...TYPES])}${query(random, { after: ['1', 'T-1', ''], limit: ['1', '5000'] })}`,
  }),
  'GET /api/v1/check': (random) => ({ path: `/api/v1/check${query(random, {})}` }),
  'POST /api/v1/channels/:channel_slug/markers/:entity_type/reset': (random) => ({
    path: `${channel(random)}/markers/${part(random, TYPES)}/reset${query(random, { dry_run: ['true', 'false'] })}`,
    body: bodyOf({ timestamp: random.pick(INSTANTS) }, random),
  }),
  ...Object.fromEntries(
    CHANNEL_LISTS.map(({ api, filters, cursor }) => [
      `GET ${CHANNEL}${api.path}`,
      (random: Random) => ({
        path: `${channel(random)}${api.path}${query(random, { ...kindsOf(filters), ...(cursor && PART) })}`,
      }),
    ]),
  ),
  'GET /api/v1/channels/:channel_slug/production': (random) => ({
    path: `${channel(random)}/production${query(random, { account: ['42-1001'], crop_year: ['2026', 'none'], format: ['json', 'csv'] })}`,
  }),
  'GET /api/v1/channels/:channel_slug/elevators': (random) => ({
    path: `${channel(random)}/elevators${query(random, { limit: ['1', '200'], after: ['42-100', '42-'] })}`,
  }),
  'GET /api/v1/channels/:channel_slug/subscriptions': (random) => ({
    path: `${channel(random)}/subscriptions${query(random, { partner_id: ['policy-7'] })}`,
  }),
  'GET /api/v1/channels/:channel_slug/feed': (random) => ({
    path: `${pulling(random)}/feed${query(random, { entity_type: TYPES })}`,
  }),
  'POST /api/v1/channels/:channel_slug/feed/confirm': (random) => ({
    path: `${pulling(random)}/feed/confirm`,
    body: bodyOf({ page: random.pick(['msg_0123456789abcdef0123456789abcdef', 'msg_x']) }, random),
  }),
  'GET /api/v1/channels/:channel_slug/digest': (random) => ({
    path: `${channel(random)}/digest${query(random, { entity_type: TYPES, bucket: ['00', '00,ff', '3f'] })}`,
  }),
  'POST /api/v1/channels/:channel_slug/digest': (random) => ({
    path: `${channel(random)}/digest`,
    body: bodyOf(
      {
        entity_type: random.pick(TYPES),
        ranges: [
          { up_to: '42-1', hash: HASH },
          { up_to: null, hash: HASH },
        ],
      },
      random,
    ),
  }),
  'POST /api/v1/channels/:channel_slug/resend': (random) => ({
    path: `${channel(random)}/resend`,
    body: bodyOf(
      {
        entity_type: random.pick(TYPES),
        ...(random.chance(0.5) ? { ids: ['42-1', '42-2'] } : { account: '42-1' }),
      },
      random,
    ),
  }),
  'POST /api/v1/channels/:channel_slug/deletions': (random) => ({
    path: `${channel(random)}/deletions`,
    body: bodyOf({ account: '42-1' }, random),
  }),
};
const HASH = '0'.repeat(64);

/** @throws when nobody has said yet what to ask of a route */
export function requestFor({ method, path }: Pick<Route, 'method' | 'path'>, random: Random): FuzzRequest {
  const generate = GENERATORS[`${method} ${path}`];
  if (!generate) throw new Error(`${method} ${path} is not fuzzed yet: add it to ${__filename}`);
  const request = generate(random);
  const headers: Record<string, string> = request.body ? { 'content-type': 'application/json' } : {};
  if (random.chance(0.05)) headers['content-type'] = random.pick(HEADER_VALUES);
  if (random.chance(0.05)) headers['content-encoding'] = random.pick(HEADER_VALUES);
  if (random.chance(0.1)) headers['x-request-id'] = random.pick(['same', 'x'.repeat(200), '~', 'a b']);
  if (request.body && random.chance(0.1)) {
    headers['content-encoding'] = 'gzip';
    request.body = random.chance(0.5) ? gzipSync(request.body) : damage(gzipSync(request.body), random);
  }
  return { ...request, headers: random.chance(0.3) ? spellHeaders(headers, random) : headers };
}

/** A text as some program saves it, rightly or not. */
const SAVED = [...Object.values(ENCODINGS), ...Object.values(BROKEN_ENCODINGS).map(([encode]) => encode)];

function bodyOf(good: unknown, random: Random): Buffer {
  let value = good;
  for (let times = random.integer(0, 3); times > 0; times--) value = mutate(value, random);
  const written = writeJson(value, random);
  const bytes = random.chance(0.05) ? random.pick(SAVED)(written.toString()) : written;
  return random.chance(0.2) ? damage(bytes, random) : bytes;
}

/** Neither is collected: where one is, a question waits for a worker. */
const pulling = (random: Random) => `/api/v1/channels/${random.chance(0.9) ? 'acme' : 'other'}`;

const channel = (random: Random) =>
  `/api/v1/channels/${random.chance(0.9) ? 'acme' : part(random, ['other'])}`;

/** A segment of a path: mostly a good one. */
const part = (random: Random, good: string[]) =>
  random.chance(0.7) ? random.pick(good) : encodeURIComponent(anything(random)) || '%';

function query(random: Random, good: Record<string, string[]>): string {
  const pairs = Object.entries(good).flatMap(([name, values]) =>
    random.chance(0.5) ? [`${name}=${part(random, values)}`] : [],
  );
  if (random.chance(0.2))
    pairs.push(`${encodeURIComponent(anything(random))}=${encodeURIComponent(anything(random))}`);
  if (random.chance(0.1)) pairs.push(...pairs);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

const anything = (random: Random) =>
  JSON.stringify(nasty(random))
    .slice(0, 300)
    .replace(/[\ud800-\udfff]/g, '');
