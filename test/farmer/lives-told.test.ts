import pino from 'pino';
import { createRounds } from '../../api/farmer/rounds';
import type { TextMessage, TextSender } from '../../api/farmer/sms/text-sender';
import { readConfig } from '../../config';
import { closeChannel } from '../../store/sharing/close-channel';
import { finishClosing } from '../../control/end-grants';
import { revokesOf, shareAccounts } from '../../control/share-accounts';
import { lastDayOf } from '../../domain/consent/grant-end';
import { findChannel, findEvenClosed } from '../../store/channels/channels';
import { setChannel } from '../../store/channels/set-channel';
import { farmerIdOf } from '../setup/farmer-id-of';
import { listGranted, type Subscription, subscriptionKey } from '../../store/consent/subscriptions';
import { noteEndings } from '../../store/sharing/note-consents';
import type { Store } from '../../store/store';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { cases, scaledTest } from '../setup/cases';
import { randomOf } from '../setup/dying';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';
import { actsOf } from '../setup/share-accounts';

// Random lives of grants, changes, stops, ends and numbers that move, while the processes that text die at any moment
// (docs/contract.md F22). What is to be told is known here from what is done, and from nothing that the service keeps.
const SEED = Number(process.env['GDX_SEED'] ?? 20261130);
const LIVES = cases(3, 200); // GDX_CASES=1000 is what docs/proof.md says of it
const DAY_MS = 86_400_000;

const KINDS = {
  begun: /you now share grain records with (.*)\. Not you/,
  stopped: /sharing grain records with (.*) was stopped/,
  changed: /what you share with (.*) was changed/,
  ending: /the last day that you share grain records with (.*) is /,
  other: /phone ending in \d\d now shares records of an account of yours with (.*)\. Not right/,
};
type Kind = keyof typeof KINDS;

/** Something that one phone is to be told of. */
interface Moment {
  kind: Kind;
  phone: string;
  channel: string;
  /** Of the grants. */
  farmer: string;
  accounts: string[];
  /** Of an end. */
  day?: string;
  /** Whether it has been so, and told to a phone of its account, at every moment since. */
  isSo: boolean;
  isTold: boolean;
}

interface Grant {
  phone: string;
  channel: string;
  account: string;
  ends_at: Date | undefined;
  isToldOfEnd: boolean;
}

let store: Store;
beforeAll(async () => {
  store = await emptyStore();
});

const log = pino({ level: 'silent' });
const { temporal } = hearingSignals();
const farmer = { ...readConfig({}), publicUrl: 'https://farmers.example' };
const tally = { texts: 0, repeated: 0, killed: 0, moments: 0, overtaken: 0 };

/** One life: an account or two, three phones, two customers. */
class Life {
  private readonly phones: string[];
  private readonly accounts: string[];
  private readonly channels: string[];
  private readonly carried = new Map<string, string[]>();
  private grants: Grant[] = [];
  private readonly moments: Moment[] = [];
  private readonly ends: string[] = [];
  private readonly taken = new Set<string>();
  private now = Date.now();

  constructor(
    private readonly number: number,
    private readonly random: () => number,
  ) {
    this.phones = [0, 1, 2].map((index) => `701555${String(number * 3 + index).padStart(4, '0')}`);
    this.accounts = [`42-${number}a`, `42-${number}b`];
    this.channels = [`life-${number}-one`, `life-${number}-two`];
  }

  private one<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)]!;
  }

  async play(): Promise<void> {
    for (const slug of this.channels) {
      await addTestChannel(store, slug, 'https://x.example', { scope: 'subscribed', name: slug });
      await setChannel(store, slug, { notify_url: 'https://x.example/notices' });
    }
    for (const account of this.accounts) await this.move(account, this.phones.slice(0, 2));
    for (let step = 0; step < 10; step++) {
      const act = this.one([
        'grant',
        'grant',
        'grant',
        'change',
        'stop',
        'stop',
        'move',
        'days',
        'close',
      ] as const);
      await this[act === 'move' ? 'moveSome' : act]();
      if (this.random() < 0.6) await this.text(this.random() < 0.5);
    }
    await this.text(false);
    await this.judge();
  }

  /** An account is pushed with other phones. */
  private async move(account: string, phones: string[]): Promise<void> {
    const id = account.slice(3);
    await pushRecords(store, { accounts: [{ id, name: id, phones: phones.map((phone) => ({ phone })) }] });
    const before = this.carried.get(account) ?? [];
    this.carried.set(account, phones);
    this.look();
    // A phone that comes to an account before its grant is handed on may be told of it, once.
    for (const phone of phones.filter((one) => !before.includes(one)))
      for (const grant of this.grants)
        if (grant.account === account && grant.phone !== phone)
          this.note('other', phone, [grant], { may: true });
  }

  private moveSome = () => {
    const phones = this.phones.filter(() => this.random() < 0.6);
    return this.move(this.one(this.accounts), phones);
  };

  private of =
    ({ phone, channel }: { phone: string; channel: string }) =>
    (grant: Grant) =>
      grant.phone === phone && grant.channel === channel;

  private note(
    kind: Kind,
    phone: string,
    of: Grant[],
    { day, may }: { day?: string; may?: true } = {},
  ): void {
    const [{ channel, phone: farmer }] = of as [Grant];
    const accounts = of.map(({ account }) => account);
    this.moments.push({
      kind,
      phone,
      channel,
      farmer,
      accounts,
      isSo: !may,
      isTold: false,
      ...(day && { day }),
    });
    this.look();
  }

  private async keys(grants: Grant[]) {
    const { phone, channel } = grants[0]!;
    const owner = await farmerIdOf(store, phone);
    return grants.map(({ account }) => ({ channel, account, farmer: owner, partner_id: `of ${phone}` }));
  }

  private async share(kind: 'grants' | 'moves' | 'revokes', grants: Grant[], more: object = {}) {
    const { phone, channel: slug, ends_at } = grants[0]!;
    const channel = (await findChannel(store, slug))!;
    const keys = await this.keys(grants);
    const said = { ...(kind !== 'revokes' && ends_at && { ends_at }), ...more };
    const acts = actsOf(kind === 'revokes' ? 'revoke' : 'grant', keys, channel.entity_types);
    const page = { requestId: 'r', phoneEnding: phone.slice(-2) };
    const all = acts.map((act) => ({ ...act, ...said }));
    await shareAccounts({ store, temporal }, channel, { revokes: [], [kind]: all }, page);
  }

  private async grant(): Promise<void> {
    const [phone, channel] = [this.one(this.phones), this.one(this.channels)];
    const has = new Set(this.grants.filter(this.of({ phone, channel })).map(({ account }) => account));
    const free = this.accounts.filter((one) => this.carried.get(one)!.includes(phone) && !has.has(one));
    const accounts = free.filter((_, index) => index === 0 || this.random() < 0.5);
    const isOpen = (await findChannel(store, channel)) !== null;
    if (accounts.length === 0 || !isOpen) return;
    const days = this.one([undefined, 20, 40]);
    const ends_at = days ? new Date(Math.floor(this.now / DAY_MS + days) * DAY_MS) : undefined;
    const begun = accounts.map((account) => ({ phone, channel, account, ends_at, isToldOfEnd: false }));
    await this.share('grants', begun);
    this.grants.push(...begun);
    this.note('begun', phone, begun);
    for (const other of this.phones) {
      const theirs = begun.filter(({ account }) => this.carried.get(account)!.includes(other));
      if (other !== phone && theirs.length > 0) this.note('other', other, theirs);
    }
  }

  /** Another end, for all that one phone shares with one customer. */
  private async change(): Promise<void> {
    const some = this.grants.length > 0 && this.grants.filter(this.of(this.one(this.grants)));
    if (!some) return;
    const ends_at = new Date(Math.floor(this.now / DAY_MS + 30 + this.random() * 30) * DAY_MS);
    const moved = some.filter((one) => one.ends_at?.getTime() !== ends_at.getTime());
    for (const one of moved) Object.assign(one, { ends_at, isToldOfEnd: false });
    if (moved.length === 0) return;
    await this.share('moves', moved);
    this.note('changed', moved[0]!.phone, moved);
  }

  /** By the farmer, by another phone, or by an operator. */
  private async stop(): Promise<void> {
    const some = this.grants.length > 0 && this.grants.filter(this.of(this.one(this.grants)));
    if (!some) return;
    const stopped = this.random() < 0.5 ? some : some.slice(0, 1);
    const how = this.one(['farmer', 'phone', 'operator']);
    if (how === 'operator') {
      const { channel: slug } = stopped[0]!;
      const channel = (await findChannel(store, slug))!;
      const granted = (await this.keys(stopped)) as Subscription[];
      const revokes = revokesOf(channel, granted, { reason: 'asked', request_id: 'r' });
      await shareAccounts({ store, temporal }, channel, { revokes }, { requestId: 'r' });
    } else await this.share('revokes', stopped, how === 'phone' ? { phone_ending: '99' } : {});
    this.end(stopped);
  }

  private end(stopped: Grant[]): void {
    this.grants = this.grants.filter((one) => !stopped.includes(one));
    this.look();
    for (const phone of new Set(stopped.map((one) => one.phone))) {
      const theirs = stopped.filter((one) => one.phone === phone);
      this.note('stopped', phone, theirs);
    }
  }

  private async close(): Promise<void> {
    if (this.random() < 0.7) return;
    const slug = this.one(this.channels);
    await closeChannel(store, slug, 'over');
    await finishClosing({ store, temporal }, (await findEvenClosed(store, slug))!, 'r');
    const ended = this.grants.filter(({ channel }) => channel === slug);
    if (ended.length > 0) this.end(ended);
  }

  /** Days go by; the round of that hour dies once, and is made by two others at the same time. */
  private async days(): Promise<void> {
    const at = new Date(this.now + Math.floor(this.random() * 12 * DAY_MS));
    if (this.grants.some(({ ends_at }) => ends_at && ends_at <= at)) return; // no life comes to an end of its own
    this.now = at.getTime();
    await noteEndings(this.dying().through, at).catch(() => undefined);
    await Promise.all([noteEndings(store, at), noteEndings(store, at)]);
    const near = this.grants.filter(
      (one) => one.ends_at && !one.isToldOfEnd && one.ends_at.getTime() <= this.now + 14 * DAY_MS,
    );
    const texts = new Map<string, Grant[]>();
    for (const one of near) {
      one.isToldOfEnd = true;
      this.ends.push(`${one.channel} ${one.phone} ${one.account} ${one.ends_at!.toISOString()}`);
      const key = `${one.phone} ${one.channel} ${one.ends_at!.getTime()}`;
      texts.set(key, [...(texts.get(key) ?? []), one]);
    }
    for (const some of texts.values())
      this.note('ending', some[0]!.phone, some, { day: lastDayOf(some[0]!.ends_at!) });
  }

  /** What has ceased to be so since, or whose number has moved, need not be told. */
  private look(): void {
    for (const one of this.moments)
      one.isSo &&= one.accounts.some(
        (account) => this.isSo(one, account) && this.carried.get(account)!.includes(one.phone),
      );
  }

  private isSo({ kind, farmer: phone, channel, day }: Moment, account: string): boolean {
    const grant = this.grants.filter(this.of({ phone, channel })).find((one) => one.account === account);
    if (kind === 'stopped') return !grant;
    return !!grant && (kind !== 'ending' || (!!grant.ends_at && lastDayOf(grant.ends_at) === day));
  }

  /** A process that dies at one of its calls, or when the provider has a text, or has not got it. */
  private dying(): { through: Store; sender: TextSender } {
    let left = 1 + Math.floor(this.random() * 40);
    const [isAfter, isAtText] = [this.random() < 0.5, this.random() < 0.4];
    let isDead = false;
    const die = () => {
      if (!isDead) tally.killed += 1;
      isDead = true;
      throw new Error('killed');
    };
    const through = rewire(store, async ({ run }) => {
      if (isDead) throw new Error('killed');
      left -= 1;
      if (left === 0 && !isAfter && !isAtText) die();
      const result = await run();
      if (left === 0 && isAfter && !isAtText) die();
      return result;
    });
    const send = async (message: TextMessage) => {
      if (isAtText && !isAfter) die();
      await this.provider.send(message);
      if (isAtText) die();
    };
    return { through, sender: { showsCodes: false, send } };
  }

  /** Whoever texts, perhaps beside another one, perhaps dying; then, two hours later, others. */
  private async text(dies: boolean): Promise<void> {
    const rounds = (through: Store, sender: TextSender) =>
      createRounds({ store: through, sender, farmer, temporal, log });
    if (dies) {
      const { through, sender } = this.dying();
      await rounds(through, sender)
        .everyMinute()
        .catch(() => undefined);
      if (this.random() < 0.5) return;
    }
    const living = [rounds(store, this.provider), rounds(store, this.provider)];
    const at = new Date();
    for (let hour = 0; hour < 2; hour++) await Promise.all(living.map((one) => one.everyHour(at)));
    await Promise.all(living.map((one) => one.everyMinute()));
  }

  /** Takes each key once. */
  private readonly provider: TextSender = {
    showsCodes: false,
    send: async ({ to, body, key }) => {
      const phone = to.slice(2);
      if (this.taken.has(key!)) return void (tally.repeated += 1);
      this.taken.add(key!);
      tally.texts += 1;
      const [kind, found] = (Object.keys(KINDS) as Kind[])
        .map((one) => [one, KINDS[one].exec(body)] as const)
        .find((one) => one[1])!;
      for (const channel of found![1]!.split(' and ')) {
        const slug = channel.replaceAll(' ', '-');
        const asked = this.moments.filter(
          (one) => one.kind === kind && one.phone === phone && one.channel === slug,
        );
        const carries = asked.some((one) => one.accounts.some((id) => this.carried.get(id)!.includes(phone)));
        this.expect(carries, `${kind} of ${slug} to ${phone}, which carries no account of it`);
        this.expect(
          asked.some((one) => !one.isTold) || this.extra(kind, phone, slug) > 0,
          `${kind} of ${slug} to ${phone} once too often`,
        );
        for (const one of asked) one.isTold = true;
        this.told.push(`${kind} ${phone} ${slug}`);
      }
    },
  };

  private readonly told: string[] = [];

  /** Moments of one kind that were told together may have been begun by a text that was repeated. */
  private extra(kind: Kind, phone: string, channel: string): number {
    const moments = this.moments.filter(
      (one) => one.kind === kind && one.phone === phone && one.channel === channel,
    );
    return moments.length - this.told.filter((one) => one === `${kind} ${phone} ${channel}`).length;
  }

  private expect(holds: boolean, what: string): void {
    if (!holds) this.wrong.push(what);
  }
  private readonly wrong: string[] = [];

  private async judge(): Promise<void> {
    for (const { kind, channel, phone, isSo, isTold } of this.moments) {
      tally.moments += 1;
      if (!isTold) tally.overtaken += 1;
      this.expect(isTold || !isSo, `${kind} of ${channel} never to ${phone}`);
    }
    const notices = await store.db
      .collection('customer_notices')
      .find({ channel: { $in: this.channels }, type: 'accounts.ending' })
      .toArray();
    const ends = notices.flatMap(({ channel, data }) =>
      (data.accounts as string[]).map(
        (account) => `${channel} ${String(data.partner_id).slice(3)} ${account} ${data.ends_at}`,
      ),
    );
    expect([SEED, this.number, this.wrong, ends.sort()]).toEqual([SEED, this.number, [], this.ends.sort()]);
    const granted = (await Promise.all(this.channels.map((slug) => listGranted(store, slug)))).flat();
    expect(granted.map((one) => subscriptionKey(one).account).sort()).toEqual(
      this.grants.map(({ account }) => account).sort(),
    );
    await store.db.collection('subscriptions').deleteMany({});
    await store.db.collection('farmer_notices').deleteMany({});
  }
}

scaledTest(
  'in random lives each text comes once, and never to a number that no longer carries the account, whoever dies',
  async () => {
    const random = randomOf(SEED);
    for (let number = 0; number < LIVES; number++) await new Life(number, random).play();
    console.log(`${LIVES} lives: ${JSON.stringify(tally)}`);
    expect(tally.killed).toBeGreaterThan(LIVES / 4);
    expect(tally.texts).toBeGreaterThan(LIVES);
  },
  3_600_000,
);
