import pino from 'pino';
import { createPostHeads } from '../../activities/post-heads';
import { readAlertSecret } from '../../store/feed/alert-secret';
import { listAlerts } from '../../store/feed/alerts';
import { findChannel, listChannels } from '../../store/feed/channels';
import { verifyConsents } from '../../store/sharing/verify-consents';
import type { Store } from '../../store/store';
import { AlertReceiver } from '../alerts/alert-receiver';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { grantAccounts } from '../setup/share-accounts';
import { slowTest } from '../setup/cases';

const HOUR_MS = 3_600_000;

let store: Store;
let receiver: AlertReceiver;
beforeEach(async () => {
  store = await emptyStore();
  const secret = await readAlertSecret(store);
  receiver = await AlertReceiver.start(() => secret);
  for (const slug of ['acme', 'quiet'])
    await addTestChannel(store, slug, 'https://acme.example', { scope: 'subscribed' });
});
afterEach(() => receiver.stop());

const lines: { heads?: string[] }[] = [];
const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });

const share = async (account: string) =>
  grantAccounts(store, (await findChannel(store, 'acme'))!, [
    { channel: 'acme', partner_id: 'p', farmer: 'dale', account },
  ]);

async function post(afterHours: number, to = receiver, through = store): Promise<void> {
  const alertWebhook = { url: to.url, secret: undefined };
  const postHeads = createPostHeads({ store: through, log, alertWebhook });
  await postHeads(await listChannels(store), new Date(Date.now() + afterHours * HOUR_MS));
}
const posted = () => receiver.received.map(({ data }) => (data as unknown as { heads: string[] }).heads);

slowTest(
  'a head is posted when it has moved, at most once an hour, and once a day; it opens no alert',
  async () => {
    await post(0);
    expect(posted()).toEqual([]);
    await share('1');
    await post(0);
    await post(0.5);
    const verdict = await verifyConsents(store, 'acme');
    expect(posted()).toEqual([[`acme/1:${verdict.ok && verdict.head}`]]);
    await share('2');
    await post(0.5);
    expect(posted()).toHaveLength(1);
    await post(1.1);
    expect(posted()[1]).toEqual([expect.stringMatching(/^acme\/2:[0-9a-f]{64}$/)]);
    await post(20);
    expect(posted()).toHaveLength(2);
    await post(26);
    expect(posted()[2]).toEqual(posted()[1]);
    expect([receiver.received[0], receiver.refused, await listAlerts(store)]).toEqual([
      expect.objectContaining({ type: 'ledger.heads' }),
      [],
      [],
    ]);
  },
);

test('an entry made while the one before is posted is posted an hour later', async () => {
  await share('1');
  let meanwhile: Promise<unknown> | undefined;
  const slow = rewire(store, async ({ collection, run }) => {
    if (collection === 'channels') await (meanwhile ??= share('2'));
    return run();
  });
  await post(0, receiver, slow);
  await post(1.1);
  expect(posted()).toEqual([[expect.stringMatching(/^acme\/1:/)], [expect.stringMatching(/^acme\/2:/)]]);
});

test('what was refused is posted again; without a webhook the heads are logged', async () => {
  await share('1');
  receiver.answer = () => 503;
  await post(0);
  receiver.answer = () => 204;
  await post(0);
  expect(posted()).toHaveLength(1);
  lines.splice(0);
  await createPostHeads({ store, log })(await listChannels(store), new Date(Date.now() + 25 * HOUR_MS));
  expect(lines).toEqual([expect.objectContaining({ heads: posted()[0] })]);
});
