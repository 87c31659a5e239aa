import { Webhook } from 'standardwebhooks';
import { flawOfPage } from '../../domain/deliveries/verify-page';

const secret = `whsec_${Buffer.from('a secret of 24 bytes, ok').toString('base64')}`;
const sentAt = new Date('2026-11-20T12:00:00Z');
const body = Buffer.from('{"data":[]}');
const own = new Webhook(secret).sign('msg_1', sentAt, body.toString());
const other = new Webhook(`whsec_${Buffer.from('whsec_ another').toString('base64')}`).sign(
  'msg_1',
  sentAt,
  '{}',
);

function flaw(
  changed: { id?: string; timestamp?: string; signatures?: string; body?: Buffer; now?: Date } = {},
) {
  const timestamp = String(sentAt.getTime() / 1_000);
  const { body: sent = body, now = sentAt, ...headers } = changed;
  return flawOfPage({ id: 'msg_1', timestamp, signatures: own, ...headers }, sent, { secret, now });
}

test('a signature of the standard’s own package is valid, alone or beside others', () => {
  expect(flaw()).toBeUndefined();
  for (const signatures of [`${other} ${own}`, `${own} ${other}`, `v1a,x ${own}`])
    expect(flaw({ signatures })).toBeUndefined();
});

test('a secret holds without its prefix', () =>
  expect(
    flawOfPage({ id: 'msg_1', timestamp: String(sentAt.getTime() / 1_000), signatures: own }, body, {
      secret: secret.slice('whsec_'.length),
      now: sentAt,
    }),
  ).toBeUndefined());

test.each([
  ['another id', { id: 'msg_2' }],
  ['another time', { timestamp: String(sentAt.getTime() / 1_000 + 1) }],
  ['another body', { body: Buffer.from('{"data":[1]}') }],
  ['no signature', { signatures: '' }],
  ['one of another secret', { signatures: other }],
  ['a shorter one', { signatures: own.slice(0, -1) }],
  ['a longer one', { signatures: `${own}=` }],
  ['one of another version', { signatures: own.replace('v1,', 'v2,') }],
])('%s does not', (_, changed) => expect(flaw(changed)).toBe('no signature fits the secret'));

test('it may be five minutes old, or early', () => {
  const at = (seconds: number) => flaw({ now: new Date(sentAt.getTime() + seconds * 1_000) });
  for (const seconds of [-300, 300]) expect(at(seconds)).toBeUndefined();
  for (const seconds of [-301, 301]) expect(at(seconds)).toBe('its timestamp is more than 5 minutes off');
  expect(flaw({ timestamp: 'now' })).toBe('its timestamp is more than 5 minutes off');
});
