import { randomUUID } from 'node:crypto';
import type { Route } from '../../api/routes';
import type { Random } from '../../tools/sample/random';
import { pastedForms } from '../setup/pasted';
import { damage, nasty } from './mutate';

// What the forms and addresses of the pages carry, farmers' included.
const GOOD: Record<string, string[]> = {
  reason: ['because'],
  phone: ['7015550142', '+1 (701) 555-0142'],
  code: ['123456'],
  token: ['gdx_operator_live_x'],
  to: ['/ops', '/customer', 'https://evil.example'],
  which: ['ticked', 'all'],
  record: ['tickets/42-1', 'accounts/42-1'],
  entity_type: ['accounts', 'tickets'],
  entity: ['accounts', 'tickets'],
  status: ['failed'],
  after: [Buffer.from('[1,"x"]').toString('base64url')],
  timestamp: ['2026-10-01T00:00', '2026-10-01T00:00:00Z'],
  account: ['42-1001'],
  accounts: ['42-1001'],
  notify_url: ['https://acme.example/hooks', ''],
  at_once: ['yes'],
  language: ['en', 'es'],
  callback_url: ['https://acme.example/back'],
  display_name: ['Acme'],
  partner_id: ['policy-7'],
  partner_slug: ['acme'],
  expires: ['1790000000'],
  signature: ['00'],
  did: [randomUUID()],
  ends: ['2027-01-01'],
  days: ['30'],
  iss: ['https://login.example'],
  error: ['access_denied'],
  ends_on: ['2027-01-01'],
  earlier: ['yes', 'no'],
  copy: ['acme'],
};

/** What may be repeated to as much as a form takes. */
const LONG = ['/', ' ', '\t', '.', '-', 'a', '1', '(', ',', '@', '%', '&', 'gdx_erp_', '\u200b', '701-'];

// Of a longer one with its headers Node takes nothing.
const MOST_OF_AN_ADDRESS = 14_000;

export interface PageRequest {
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

/**
 * A request for a page, with something wrong in most of them.
 * @param csrf that of the session, where there is one @param known what else is right in this browser
 */
export function pageRequestFor(
  { method, path, maxFormBytes = 15_000 }: Pick<Route, 'method' | 'path' | 'maxFormBytes'>,
  random: Random,
  csrf: string,
  known: Record<string, string[]> = {},
): PageRequest {
  const good = { ...GOOD, ...known };
  const at = path.replace(/:\w+/g, () => (random.chance(0.8) ? 'acme' : encodeURIComponent(value(random))));
  const fields = fieldsOf(random, good);
  if (random.chance(0.05)) fields.set(random.pick(Object.keys(good)), long(random, method, maxFormBytes));
  if (method === 'GET') return { path: `${at}?${fields}`.slice(0, MOST_OF_AN_ADDRESS), headers: {} };
  if (random.chance(0.8)) fields.set('csrf', csrf);
  if (random.chance(0.8)) fields.set('form', randomUUID());
  const body = Buffer.from(String(fields));
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: 'null',
  };
  if (random.chance(0.05)) headers['content-type'] = random.pick(['application/json', 'text/plain', '*', '']);
  if (random.chance(0.05)) headers['origin'] = random.pick(['https://evil.example', 'null,null', '~']);
  return { path: at, headers, body: random.chance(0.1) ? damage(body, random) : body };
}

/** 64 KiB of one thing, or as much of it as an address or a form takes. */
function long(random: Random, method: Route['method'], most: number): string {
  const one = random.pick(LONG);
  const bytes = method === 'GET' ? 10_000 : Math.min(65_536, most);
  return `${one.repeat(Math.floor(bytes / encodeURIComponent(one).length))}x`;
}

function fieldsOf(random: Random, known: Record<string, string[]>): URLSearchParams {
  const fields = new URLSearchParams();
  for (let count = random.integer(0, 8); count > 0; count--) {
    const name = random.chance(0.95) ? random.pick(Object.keys(known)) : value(random);
    const good = Object.hasOwn(known, name) ? known[name]! : ['x'];
    fields.append(name, random.chance(0.6) ? typed(random.pick(good), random) : value(random));
  }
  return fields;
}

/** As people paste it, now and then. */
const typed = (good: string, random: Random): string =>
  random.chance(0.15) ? random.pick(pastedForms(good)) : good;

function value(random: Random): string {
  const one = nasty(random);
  return (typeof one === 'string' ? one : JSON.stringify(one))
    .slice(0, 2_000)
    .replace(/[\ud800-\udfff]/g, '');
}
