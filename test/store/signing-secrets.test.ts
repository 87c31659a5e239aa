import { findChannel, openSecrets } from '../../store/feed/channels';
import { rotateSigningSecret } from '../../store/feed/signing-secrets';
import type { Store } from '../../store/store';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';

const BEGIN = Date.now();
const inHours = (hours: number) => new Date(BEGIN + hours * 3_600_000);

let store: Store;
let first: string;
beforeEach(async () => {
  store = await emptyStore();
  ({ signingSecret: first } = await addTestChannel(store, 'acme', 'https://acme.example'));
});

const rotate = async (hours: number, through = store) =>
  (await rotateSigningSecret(through, 'acme', { atOnce: false }, inHours(hours)))!.signingSecret;
const signing = async (hours: number) => {
  const { signingSecrets, signingKeys } = await openSecrets(
    store,
    (await findChannel(store, 'acme'))!,
    inHours(hours),
  );
  expect(signingKeys).toHaveLength(signingSecrets.length);
  return signingSecrets;
};

test('changed twice in a day: each secret signs for 24 hours after it was replaced, and is then kept no longer', async () => {
  const second = await rotate(0);
  const third = await rotate(10);
  expect(await signing(23)).toEqual([third, second, first]);
  expect(await signing(25)).toEqual([third, second]);
  const fourth = await rotate(25);
  expect(await signing(26)).toEqual([fourth, third, second]);
  expect((await findChannel(store, 'acme'))!.signing_secrets).toHaveLength(3);
});

test('changed twice at the same time: both secrets sign, as each was shown to somebody', async () => {
  let meanwhile: string | undefined;
  const slow = rewire(store, async ({ method, run }) => {
    const read = await run();
    if (method === 'findOne') meanwhile ??= await rotate(0);
    return read;
  });
  const last = await rotate(0, slow);
  expect(await signing(1)).toEqual([last, meanwhile, first]);
});
