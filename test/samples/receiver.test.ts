import { mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { signedMessage } from '../../outbound/sign-page';
import type { Store } from '../../store/store';
import { openStore } from '../setup/open-store';
import { temporaryFolder } from '../setup/temporary-folder';
import { openMailbox } from './mailbox';
import { startPoster, type PostedAccount, type Poster } from './start-poster';
import { startReceiver } from './start-receiver';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour));
const account = (name: string, hour: number): PostedAccount => ({ id: '1001', name, at: at(hour) });

let store: Store;
const folder = temporaryFolder('receiver');
let poster: Poster;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  store = await openStore();
  poster = await startPoster(store, 'acme', 'http://127.0.0.1:9');
});
beforeEach(async () => {
  receiver = await startReceiver(poster.signingSecret, path.join(folder, 'held.json'));
});

const post = (accounts: PostedAccount[], changes: Parameters<Poster['post']>[1] = {}) =>
  poster.post(accounts, { base_url: receiver.url, ...changes });
const meyer = () => receiver.records()['accounts']?.['42-1001'];

test('a page is applied, and once; an older one changes nothing, an equal or newer one does', async () => {
  expect(await post([account('Meyer', 8)])).toMatchObject({ status: 200 });
  expect(meyer()).toMatchObject({ name: 'Meyer', updated_at: at(8).toISOString() });
  await post([account('Meyer & Sons', 10)]);
  await post([account('An old page', 9)]);
  expect(meyer()?.name).toBe('Meyer & Sons');
  await post([account('Of the same instant', 10)]);
  expect(meyer()?.name).toBe('Of the same instant');
  // Its webhook-id is known: not even this older page's first delivery is applied again.
  expect(await post([account('Meyer & Sons', 10)])).toMatchObject({ status: 200 });
  expect(meyer()?.name).toBe('Of the same instant');
});

test('packed pages are understood', async () => {
  expect(await post([{ id: '1002', name: 'Olson', at: at(8) }], { gzip: true })).toMatchObject({
    status: 200,
  });
  expect(receiver.records()['accounts']?.['42-1002']?.name).toBe('Olson');
});

test('a test of the operator is answered and not applied', async () => {
  expect(await post([{ id: 'test', name: 'TEST', at: at(8) }], { test: true })).toMatchObject({
    status: 200,
  });
  expect(receiver.records()['accounts']).not.toHaveProperty('42-test');
});

test('what it has confirmed survives its death', async () => {
  await post([{ id: '1003', name: 'Hauge', at: at(8) }]);
  await receiver.kill();
  receiver = await startReceiver(poster.signingSecret, path.join(folder, 'held.json'));
  await post([{ id: '1004', name: 'Nygaard', at: at(8) }]);
  expect(Object.keys(receiver.records()['accounts']!)).toEqual(
    expect.arrayContaining(['42-1001', '42-1003', '42-1004']),
  );
});

test('a page that could not be kept is kept when it comes again, and only then confirmed', async () => {
  const file = path.join(folder, 'held.json');
  const page = [{ id: '1005', name: 'Berg', at: at(8) }];
  mkdirSync(`${file}.new`); // nothing can be written there
  expect(await post(page)).toMatchObject({ status: 503 });
  rmdirSync(`${file}.new`);
  expect(await post(page)).toMatchObject({ status: 200 });
  await receiver.kill();
  receiver = await startReceiver(poster.signingSecret, file);
  expect(receiver.records()['accounts']).toHaveProperty('42-1005');
});

test('a record is what the signed page says, whatever the header; of another kind it is not confirmed', async () => {
  const send = async (kind: string, id: string) => {
    const record = { [kind]: { id, name: 'Lund', updated_at: at(8).toISOString() } };
    const signers = { signingSecrets: [poster.signingSecret] };
    const { headers, body } = await signedMessage(`msg_${id}`, { data: [record] }, signers);
    const typed = { ...headers, 'x-entity-type': 'tickets' };
    return (
      await fetch(`${receiver.url}/feed`, { method: 'POST', headers: typed, body: new Uint8Array(body) })
    ).status;
  };
  expect(await send('account', '42-1006')).toBe(200);
  expect(receiver.records()['accounts']).toHaveProperty('42-1006');
  expect([await send('elevator', '42-1'), await send('__proto__', '42-2')]).toEqual([503, 503]);
  expect(Object.keys(receiver.records())).toEqual(['accounts']);
});

test('what is not signed for it is refused and not applied', async () => {
  const before = receiver.records();
  const mailbox = await openMailbox();
  await poster.post([account('Forged', 23)], { base_url: mailbox.url });
  const { body, id, timestamp, signature } = mailbox.last();
  const send = async (url: string, sent: Buffer, method = 'POST') => {
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    const answer = await fetch(url, {
      method,
      headers: { ...headers, 'x-entity-type': 'accounts' },
      body: new Uint8Array(sent),
    });
    return answer.status;
  };
  expect(await send(`${receiver.url}/feed`, Buffer.from(body.toString().replace('Forged', 'Forgot')))).toBe(
    401,
  );
  expect(await send(`${receiver.url}/feed`, Buffer.alloc(0))).toBe(401);
  expect(await send(`${receiver.url}/other`, body)).toBe(404);
  expect((await fetch(`${receiver.url}/feed`, { method: 'POST', body: new Uint8Array(body) })).status).toBe(
    401,
  );
  expect(receiver.records()).toEqual(before);
  expect(await send(`${receiver.url}/feed`, body)).toBe(200);
});
