import { createHash, createHmac, createPublicKey, verify } from 'node:crypto';
import { findChannel } from '../../store/channels/channels';
import { type Consent, listWithoutGrant } from '../../store/consent/consents';
import { grant, refuse, revoke } from '../../store/sharing/grant-and-revoke';
import { readLedgerKeys, replaceLedgerKey } from '../../store/secrets/ledger-keys';
import { verifyConsents } from '../../store/consent/verify-consents';
import type { Store } from '../../store/store';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { slowTest, nightlyTest } from '../setup/cases';
import { emptyStore } from '../setup/open-store';
import { actsOf, grantAccounts, revokeAccounts } from '../setup/share-accounts';

const SLUG = 'acme';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, SLUG, 'https://acme.example', { scope: 'subscribed' });
});

const entries = () => store.db.collection<Consent>('consents');

describe('consents', () => {
  const keysOf = (accounts: string[], partner_id = 'policy-1') =>
    accounts.map((account) => ({ channel: SLUG, partner_id, farmer: 'dale', account }));

  const share = async (accounts: string[], partner?: string) =>
    grantAccounts(store, (await findChannel(store, SLUG))!, keysOf(accounts, partner));

  const end = (...accounts: string[]) => revokeAccounts(store, keysOf(accounts));

  const found = async (through = store) =>
    (await listWithoutGrant(through, SLUG)).map(({ partner_id, account }) => `${partner_id} ${account}`);

  slowTest('the last entry is gone: the chain holds, and what it granted is named', async () => {
    await share(['1', '2']);
    await refuse(store, actsOf('refusal', keysOf(['3'])));
    await share(['1'], 'policy-2');
    expect(await found()).toEqual([]);
    await entries().deleteOne({ _id: `${SLUG}/4` });
    expect(await verifyConsents(store, SLUG)).toMatchObject({ ok: true, links: 3 });
    expect(await found()).toEqual(['policy-2 1']);
  });

  slowTest('a second grant is gone, and the revoke before it is the last; so is a whole ledger', async () => {
    await share(['1', '2']);
    await end('1', '2');
    await share(['2']);
    expect(await found()).toEqual([]);
    await entries().deleteOne({ _id: `${SLUG}/5` });
    expect(await found()).toEqual(['policy-1 2']);
    await entries().deleteMany({});
    expect(await found()).toEqual(['policy-1 2']);
  });

  slowTest('what is revoked, or granted, while it looks is not named', async () => {
    await share(['1', '2']);
    let saved = false;
    const meanwhile = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'consents' && method === 'find' && !saved) {
        saved = true;
        await end('1', '2');
        await share(['3']);
        await end('2');
        await share(['2']);
        await entries().deleteOne({ act: 'grant', account: '2', number: { $gt: 2 } });
      }
      return run();
    });
    expect(await found(meanwhile)).toEqual([]);
    expect(await found()).toEqual(['policy-1 2']);
  });

  nightlyTest('of thousands: a question a batch, and one more where something is missing', async () => {
    const accounts = Array.from({ length: 1_200 }, (_, index) => `${index}`);
    for (const part of [accounts.slice(0, 500), accounts.slice(500, 1_000), accounts.slice(1_000)]) {
      await share(part);
    }
    await entries().deleteMany({ number: { $gt: 1_190 } });
    let questions = 0;
    const counting = rewire(store, ({ run }) => {
      questions += 1;
      return run();
    });
    expect((await found(counting)).sort()).toEqual(
      accounts
        .slice(1_190)
        .map((id) => `policy-1 ${id}`)
        .sort(),
    );
    expect(questions).toBe(1 + 3 + 1); // what is granted, three batches of entries, and again what seems to lack its own
  });
});

describe('ledger-rewritten', () => {
  // What whoever holds the database, and nothing else, can try.
  beforeEach(() => share('1', '2', '3'));

  const read = () => entries().find().sort({ number: 1 }).toArray();
  const entry = async (number: number) => (await read())[number - 1]!;

  const keysOf = (accounts: string[]) =>
    accounts.map((account) => ({ channel: SLUG, partner_id: 'p', farmer: 'dale', account }));
  const share = async (...accounts: string[]) =>
    void (await grantAccounts(store, (await findChannel(store, SLUG))!, keysOf(accounts)));

  /** What an auditor makes of an entry by docs/operator.md#auditing-the-ledger, with nothing of the service. */
  function fieldsOf(entry: object): string {
    const left = Object.entries(entry).filter(([name]) => !['_id', 'hash', 'signature'].includes(name));
    const members = left
      .map(([name, value]) => `[${JSON.stringify(name)},${JSON.stringify(value)}]`)
      .sort((one, other) => Buffer.from(one).compare(Buffer.from(other)));
    return `[${members.join(',')}]`;
  }

  const plain = (consent: object) => createHash('sha256').update(fieldsOf(consent)).digest('hex');

  /** Writes the chain anew from an entry on, with plain hashes that fit. */
  async function rewrite(change: (consent: Consent) => object, signed: boolean): Promise<void> {
    let previous = '0'.repeat(64);
    for (const consent of await read()) {
      const { key, signature, ...fields } = { ...consent, ...change(consent), previous };
      const changed = { ...fields, ...(signed && key && signature ? { key, signature } : {}) };
      changed.hash = plain(changed);
      await entries().replaceOne({ _id: consent._id }, changed as Consent);
      previous = changed.hash;
    }
  }

  const broken = async (heads?: Map<number, string>) => {
    const verdict = await verifyConsents(store, SLUG, heads);
    return verdict.ok ? 'holds' : `${verdict.broken}: ${verdict.why}`;
  };

  /** Entries of every kind: a grant with an end, that end, a revoke by the farmer and by an operator, a refusal. */
  async function everyKind(): Promise<void> {
    const channel = (await findChannel(store, SLUG))!;
    const ends_at = new Date('2031-05-31T23:59:59.999Z');
    const of = (act: 'grant' | 'refusal' | 'revoke', account: string) =>
      actsOf(act, keysOf([account]), channel.entity_types)[0]!;
    await grant(store, channel, [{ ...of('grant', '4'), ends_at }], { phoneEnding: '42' });
    const {
      text_version: _text,
      language: _language,
      ...bare
    } = of('revoke', '4') as never as Record<string, string>;
    await revoke(store, [{ ...bare, by: 'end', ends_at } as never]);
    await revoke(store, [of('revoke', '1')]);
    await revoke(store, [
      { ...bare, account: '2', by: 'operator', reason: 'called: “lost” \u0001 \u2028 é' } as never,
    ]);
    await refuse(store, [of('refusal', '5')]);
  }

  test('a ledger that nobody touched holds, and any auditor can check it by its public key', async () => {
    await everyKind();
    expect(await broken()).toBe('holds');
    const { known } = await readLedgerKeys(store);
    const jwk = {
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(known[0]!.shown, 'base64').toString('base64url'),
    };
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    let previous = '0'.repeat(64);
    for (const [index, consent] of (await read()).entries()) {
      expect(consent).toMatchObject({ _id: `${SLUG}/${index + 1}`, number: index + 1, previous });
      const text = Buffer.from(`${consent.hash}\n${fieldsOf(consent)}`);
      expect(verify(null, text, key, Buffer.from(consent.signature!, 'base64'))).toBe(true);
      const hash = createHmac('sha256', known[0]!.mac).update(fieldsOf(consent)).digest('hex');
      expect(consent.hash).toBe(hash);
      previous = consent.hash;
    }
  });

  slowTest('every hash computed anew, with the signatures or without', async () => {
    await rewrite(({ account }) => ({ account: `${account}9` }), true);
    expect(await broken()).toBe('acme/1: its content was altered');
    await rewrite(() => ({}), false);
    expect(await broken()).toBe('acme/1: it is not signed');
  });

  slowTest('a grant added by hand, one changed, one replaced by another', async () => {
    const [last, now] = [await entry(3), await entry(2)];
    const added = { ...last, _id: 'acme/4', number: 4, previous: last.hash, account: '4' };
    await entries().insertOne({ ...added, hash: plain(added) });
    expect(await broken()).toBe('acme/4: its content was altered');
    await entries().updateOne({ _id: 'acme/4' }, { $unset: { signature: 1, key: 1 } });
    expect(await broken()).toBe('acme/4: it is not signed');
    await entries().deleteOne({ _id: 'acme/4' });
    await entries().updateOne({ _id: 'acme/2' }, { $set: { act: 'refusal' as const } });
    expect(await broken()).toBe('acme/2: its content was altered');
    await entries().replaceOne({ _id: 'acme/2' }, { ...now, account: '1' });
    expect(await broken()).toBe('acme/2: its content was altered');
  });

  test('an entry signed with a key of one’s own', async () => {
    await entries().updateOne({ _id: 'acme/3' }, { $set: { key: '00000000' } });
    expect(await broken()).toBe('acme/3: it is signed with a key that is not one of ours');
  });

  slowTest('the end cut off shows by a head that was kept outside, as does another end', async () => {
    const heads = new Map([[3, (await entry(3)).hash]]);
    expect(await broken(heads)).toBe('holds');
    await entries().deleteOne({ _id: 'acme/3' });
    expect(await broken()).toBe('holds');
    expect(await broken(heads)).toMatch(/^acme\/3: it is missing, and acme\/3 was posted as head/);
    await share('9');
    expect(await broken()).toBe('holds');
    expect(await broken(heads)).toBe('acme/3: it is not the entry that was posted as head');
  });

  slowTest('the key is replaced: entries of both hold, and the key before signs nothing new', async () => {
    const before = await entry(3);
    const { id } = await replaceLedgerKey(store);
    await share('4');
    expect([before.key, (await entry(4)).key]).toEqual([expect.not.stringMatching(id), id]);
    expect(await broken()).toBe('holds');
    await entries().updateOne({ _id: 'acme/3' }, { $set: { key: id } });
    await entries().updateOne({ _id: 'acme/4' }, { $set: { key: before.key! } });
    expect(await broken()).toBe('acme/3: its content was altered');
    await entries().updateOne({ _id: 'acme/3' }, { $set: { key: before.key! } });
    await share('5');
    await entries().updateOne({ _id: 'acme/4' }, { $set: { key: id } });
    await entries().updateOne({ _id: 'acme/5' }, { $set: { key: before.key! } });
    expect(await broken()).toBe('acme/5: it is signed with a key that had been replaced before');
  });

  slowTest('replaced again and again, what each key has signed still holds', async () => {
    for (const account of ['4', '5', '6']) {
      await replaceLedgerKey(store);
      await share(account);
    }
    expect(new Set((await read()).map(({ key }) => key)).size).toBe(4);
    expect(await broken()).toBe('holds');
  });

  slowTest('replaced twice at the same time, what the key between has signed holds', async () => {
    let met = false;
    const slow = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'keys' && method === 'updateOne' && !met) {
        met = true;
        await replaceLedgerKey(store);
        await share('4');
      }
      return run();
    });
    await replaceLedgerKey(slow);
    await share('5');
    expect(new Set((await read()).map(({ key }) => key)).size).toBe(3);
    expect(await broken()).toBe('holds');
  });

  slowTest('the signature of another entry, by which no auditor could verify this one', async () => {
    const { signature } = await entry(1);
    await entries().updateOne({ _id: 'acme/2' }, { $set: { signature: signature! } });
    expect(await broken()).toBe('acme/2: its content was altered');
  });
});
