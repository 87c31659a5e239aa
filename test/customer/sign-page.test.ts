import { Webhook } from 'standardwebhooks';
import { signPage, webhookId } from '../../customer/sign-page';

const BODY = Buffer.from('{"data":[]}');
const SCOPE = { channel: 'acme', entityType: 'tickets', generation: 1, account: undefined };
const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

test('with two secrets, each has its signature: either one opens while they are exchanged', async () => {
  const signers = { signingSecrets: [secretOf(1), secretOf(2)] };
  const headers = await signPage('msg_1', BODY, signers, new Date());
  for (const secret of [secretOf(1), secretOf(2)])
    expect(() => new Webhook(secret).verify(BODY, headers)).not.toThrow();
  expect(() => new Webhook(secretOf(3)).verify(BODY, headers)).toThrow();
});

test('a signature holds for its id and its time alone', async () => {
  const headers = await signPage('msg_1', BODY, { signingSecrets: [secretOf(1)] }, new Date());
  const verify = (changed: object) => () => new Webhook(secretOf(1)).verify(BODY, { ...headers, ...changed });
  expect(verify({})).not.toThrow();
  expect(verify({ 'webhook-id': 'msg_2' })).toThrow();
  expect(verify({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) })).toThrow();
});

test('the id of a page tells apart whose it is, and the pages of a reset; the same page keeps it', () => {
  const others = [
    {},
    { channel: 'bison' },
    { entityType: 'accounts' },
    { generation: 2 },
    { account: '42-1001' },
  ];
  const ids = others.map((other) => webhookId({ ...SCOPE, ...other }, BODY));
  expect(new Set([...ids, webhookId(SCOPE, Buffer.from('{}'))]).size).toBe(6);
  expect(webhookId(SCOPE, BODY)).toBe(ids[0]);
});
