import { hashToken, newToken } from '../../../store/callers/tokens';
import { pastedForms } from '../../setup/pasted';
import { at, CHANNEL, PUSH, RESET, type BadInput } from './bad-input';

const good = newToken('erp', {}); // well formed; nobody has it

/** As a token pasted with what no screen shows comes over the wire: the bytes of its text. */
const PASTED = pastedForms(good).map((text): [string, string] => [
  `pasted as ${JSON.stringify(text)}`,
  Buffer.from(text).toString('latin1'),
]);

const UNKNOWN: [string, string][] = [
  ['well formed, unknown', good],
  ['unknown, as Bearer', `Bearer ${good}`],
  ['unknown, of a channel', newToken('channel', {})],
  ['unknown kind', good.replace('erp', 'ops')],
  ['a live one, outside production', newToken('erp', { production: true })],
  ['of no mode', good.replace('test_', '')],
  ['no kind', good.replace('erp_', '')],
  ['one letter changed', good.slice(0, -1) + (good.endsWith('0') ? '1' : '0')],
  ['one letter too few', good.slice(0, -1)],
  ['one letter too many', `${good}0`],
  ['lower case', good.toLowerCase()],
  ['upper case', good.toUpperCase()],
  ['its hash', hashToken(good)],
  ['in quotes', `"${good}"`],
  ['in base64', Buffer.from(good).toString('base64')],
  ['percent-encoded', good.replace(/_/g, '%5F')],
  ['twice', `${good} ${good}`],
  ['twice with a comma', `${good}, ${good}`],
  ['with a tab inside', good.replace('_', '\t')],
  ['with a letter beyond ASCII', `${good}\u00e9`],
  ['a blank that does not break behind it', `${good}\u00a0`],
  ['a blank that does not break before it', `Bearer \u00a0${good}`],
  ['a soft hyphen within', good.replace('_', '_\u00ad')],
  ['the bytes of U+202D around it', `\u00e2\u0080\u00ad${good}\u00e2\u0080\u00ac`],
  ...PASTED,
  ['Basic', `Basic ${Buffer.from(`gdx:${good}`).toString('base64')}`],
  ['Digest', 'Digest username="gdx", realm="grain-data-exchange"'],
  ['Token', `Token ${good}`],
  ['Bearer alone', 'Bearer'],
  ['Bearer Bearer', `Bearer Bearer ${good}`],
  ['Bearer without a blank', `Bearer${good}`],
  ['a JWT without a signature', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
  ['an operator of MongoDB', '{"$ne":null}'],
  ['SQL', "' OR 1=1 --"],
  ['a path', '../../etc/passwd'],
  ['a wildcard', '*'],
  ['null', 'null'],
  ['very long', 'x'.repeat(8_000)],
];

const refused = (name: string, headers: Record<string, string>, path = PUSH): BadInput => ({
  name,
  as: 'nobody',
  path,
  headers,
  body: { data: [] },
  status: 401,
  code: 'UNAUTHENTICATED',
});

const elsewhere: BadInput[] = [
  refused('no header', {}),
  refused('an empty header', { authorization: '' }),
  refused('in X-Api-Key', { 'x-api-key': good }),
  refused('in a cookie', { cookie: `authorization=${good}; token=${good}` }),
  refused('in Proxy-Authorization', { 'proxy-authorization': good }),
  refused('in the query', {}, `${PUSH}?token=${good}&authorization=${good}&access_token=${good}`),
];

const presented = UNKNOWN.map(([name, authorization]) => refused(name, { authorization }));

export const tokens: BadInput[] = [
  ...[...elsewhere, ...presented].map((input) => ({ ...input, name: `push: ${input.name}` })),
  ...at(presented, { path: RESET }).map((input) => ({ ...input, name: `reset: ${input.name}` })),
  ...['markers', 'deliveries', 'subscriptions'].map((list) => ({
    ...refused(`${list}: no header`, {}, `${CHANNEL}/${list}`),
    method: 'GET',
  })),
  { ...refused('push: the key of a channel', {}), as: 'channel' },
  { ...refused('reset: the token of an integration', {}, RESET), as: 'erp' },
  ...['markers', 'deliveries', 'subscriptions'].map((list): BadInput => ({
    ...refused(`${list}: the token of an integration`, {}, `${CHANNEL}/${list}`),
    method: 'GET',
    as: 'erp',
  })),
];
