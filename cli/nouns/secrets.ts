import { type Command, Option } from 'commander';
import { count } from '../../domain/records/count';
import { countHashedBefore, forgetHashedBefore } from '../../store/consent/farmers';
import { newCustomerKeys } from '../../store/secrets/customer-secrets';
import { addHashKey, dropPreviousHashKey, hashKeyId, refreshHashKeys } from '../../store/secrets/hash-key';
import { readLedgerKeys, replaceLedgerKey } from '../../store/secrets/ledger-keys';
import { type Rewrapped, rewrapSecrets } from '../../store/secrets/rewrap-secrets';
import type { Store } from '../../store/store';
import { CliError } from '../../client/cli-error';
import type { Call, Envelope } from '../envelope';
import { note } from '../../client/print';

export function secretsCommands(secrets: Command, { reads, changes }: Envelope): void {
  reads(
    secrets.command('keys').description('make a key pair for customers’ secrets; nothing is stored'),
    makeKeys,
  );
  changes(
    secrets
      .command('ledger-key')
      .description('the public keys that verify the ledger of consents; the first one signs')
      .option('--new', 'sign with a new key from now on; earlier keys still verify what they have signed')
      .option('--yes', 'do not ask'),
    ledgerKey,
  );
  changes(
    secrets
      .command('hash-key')
      .description('the keys that hash farmers’ phones, and how many are still hashed with the previous one')
      .addOption(
        new Option(
          '--new',
          'hash with a new key from now on; the previous one still finds farmers until their next visit',
        ).conflicts('dropPrevious'),
      )
      .option('--drop-previous', 'end the previous key, once nobody who shares is hashed with it')
      .option('--yes', 'do not ask'),
    hashKey,
  );
  changes(
    secrets
      .command('rewrap')
      .description(
        'seal with the current keys what those of GDX_SECRET_KEY_OLD and GDX_CUSTOMER_SECRETS_KEY_OLD have sealed',
      )
      .option('--dry-run', 'only print what would be done'),
    rewrap,
  );
}

async function makeKeys() {
  const { privateKey, publicKey } = newCustomerKeys();
  note(
    'The private key is for the worker, the public one for API and gdx. Keep a copy apart from the backups.',
  );
  return { facts: { GDX_CUSTOMER_SECRETS_KEY: privateKey, GDX_CUSTOMER_SECRETS_PUBLIC_KEY: publicKey } };
}

async function ledgerKey(call: Call, { new: replace }: { new?: true }) {
  const store = await call.preparedStore();
  if (replace) {
    await call.confirm('Auditors have to be given the new public key. Continue?');
    const [signs] = (await readLedgerKeys(store)).known;
    await call.record({ channel: null, before: { signs: signs!.id } }, replaceLedgerKey);
  }
  const { known } = await readLedgerKeys(store);
  return { table: known.map(({ id, shown }, index) => ({ id, ed25519: shown, signs: index === 0 })) };
}

type HashState = Awaited<ReturnType<typeof readHashState>>;

async function hashKey(call: Call, { new: add, dropPrevious: drop }: { new?: true; dropPrevious?: true }) {
  const before = await readHashState(await call.preparedStore());
  if (add) await addKey(call, before);
  else if (drop) await dropKey(call, before);
  return { facts: await readHashState(await call.store()) };
}

async function addKey(call: Call, before: HashState): Promise<void> {
  await call.record({ channel: null, about: 'new', before }, async (store) => {
    if (await addHashKey(store)) return;
    throw new CliError('two keys are in use already', 'drop the previous one first: `--drop-previous`');
  });
}

async function dropKey(call: Call, before: HashState): Promise<void> {
  refuseToDrop(before);
  const lost = `${count(before.by_previous, 'farmer')} who share nothing now cannot be found again, nor their receipts.`;
  await call.confirm(`${lost} Continue?`);
  await call.record({ channel: null, about: 'drop previous', before }, async (store) => {
    // While the question stood, somebody else may have exchanged the keys.
    await refreshHashKeys(store);
    refuseToDrop(await readHashState(store));
    await dropPreviousHashKey(store);
    await forgetHashedBefore(store);
  });
}

/** @throws CliError where no key can be dropped without losing what somebody shares */
function refuseToDrop({ previous, of_these_sharing }: HashState): void {
  if (previous === null) throw new CliError('there is no previous key', 'nothing is left to drop');
  if (of_these_sharing > 0)
    throw new CliError(
      `${count(of_these_sharing, 'farmer')} who share are still hashed with the previous key`,
      'wait for their next visit, or end what they share: `gdx subscriptions revoke`',
    );
}

/** The progress of an exchange of the key that hashes phones. */
async function readHashState(store: Store) {
  const { current, previous } = store.hashKeys!;
  const { farmers, before, sharing } = await countHashedBefore(store);
  return {
    current: hashKeyId(current),
    previous: previous ? hashKeyId(previous) : null,
    farmers,
    by_previous: before,
    of_these_sharing: sharing,
  };
}

async function rewrap(call: Call, { dryRun = false }: { dryRun?: boolean }) {
  const planned = await rewrapSecrets(await call.store(), { dryRun: true });
  const before = { of_older_keys: sumOf(planned), unopened: unopenedOf(planned).length };
  const done = dryRun
    ? planned
    : await call.record(
        { channel: null, before },
        (store) => rewrapSecrets(store, { dryRun }),
        (made) => `Resealed ${sumOf(made)}, could not open ${unopenedOf(made).length}.`,
      );
  const unopened = unopenedOf(done);
  for (const line of unopened) note(`Not opened: ${line}`);
  if (unopened.length === 0 && !dryRun)
    note('The old keys are no longer needed once no process runs with them as its current ones.');
  const error = new CliError(
    `${unopened.length} secrets could not be opened, and are as they were`,
    'add the key they were sealed with to GDX_SECRET_KEY_OLD or GDX_CUSTOMER_SECRETS_KEY_OLD, then rewrap again',
  );
  return {
    json: { dry_run: dryRun, data: done },
    table: done.map(row),
    error: unopened.length > 0 ? error : undefined,
  };
}

const sumOf = (done: Rewrapped[]) => done.reduce((sum, { rewrapped }) => sum + rewrapped, 0);

const unopenedOf = (done: Rewrapped[]) =>
  done.flatMap(({ kind, unopened }) => unopened.map(({ owner, why }) => `${kind} of ${owner}: ${why}`));

const row = ({ kind, current, rewrapped, unopened }: Rewrapped) => ({
  kind,
  current,
  rewrapped,
  unopened: unopened.length,
});
