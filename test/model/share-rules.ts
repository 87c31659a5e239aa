import type { Document } from 'mongodb';
import { type Asked, foundIn, type Rules, type Transaction, writesOf } from './asked';
import type { Findings } from './findings';

/** A grant as it was committed, or may have been. */
interface Grant {
  /** Of its channel, partner_id, farmer and account. */
  id: string;
  since: number;
  /** The `shares_version` of its revoke. */
  until: number;
  /** What lies up to there is not shared, by entity type; null where all is. */
  from: Record<string, number> | null;
  /** When that was changed last. */
  newAfter: Record<string, string>;
}

/** The transactions of a farmer: what is shared, by which version and from which position. */
export class ShareRules implements Rules {
  /** By channel and account. */
  private readonly grants = new Map<string, Grant[]>();
  private readonly versions = new Map<string, number>();

  constructor(private readonly findings: Findings) {}

  /** The `shares_version` that a channel has at the least. */
  versionOf = (slug: string): number => this.versions.get(slug) ?? 0;

  /** The channel with this version has been seen. */
  seen(slug: string, version: number): void {
    this.versions.set(slug, Math.max(version, this.versionOf(slug)));
  }

  /** Whether a record that was changed then may be shown by an account that is shared as of a version, or later. */
  mayShow(slug: string, account: string, version: number, type: string, updatedAt: string): boolean {
    return this.of(slug, account).some(
      ({ until, from, newAfter }) => until > version && (from === null || updatedAt > (newAfter[type] ?? '')),
    );
  }

  /** The newest grant of an account that holds as of a version. */
  newestOf = (slug: string, account: string, version: number): Grant | undefined =>
    this.of(slug, account)
      .filter(({ since, until }) => since <= version && until > version)
      .reduce<Grant | undefined>((one, other) => (one && one.since >= other.since ? one : other), undefined);

  told(): undefined {
    return undefined;
  }

  /** `shared = true; grant++; shares++`, or `shared = false; pending = false; shares++` */
  committing({ heard }: Transaction): () => void {
    const bumped = heard.filter(isBump).map(({ answer }) => answer['value'] as Document | null);
    const channel = bumped.find((one) => one);
    const counters = heard
      .filter(({ name, collection }) => collection === 'counters' && name === 'find')
      .flatMap(({ answer }) => foundIn(answer));
    const written = heard.filter(({ collection }) => collection === 'subscriptions');
    const isGrantOrRevoke = written.some(isOfFarmer);
    // From when it is asked for on it may be seen.
    for (const asked of written) this.grantsIn(asked, counters);
    return () => {
      if (isGrantOrRevoke) this.findings.steps++;
      if (isGrantOrRevoke && !channel)
        this.findings.refuse('SHARES', 'a grant or a revoke leaves shares_version as it is');
      if (channel) this.seen(channel['_id'], Number(channel['shares_version']));
      for (const asked of written) this.revokesIn(asked);
    };
  }

  private grantsIn(asked: Asked, counters: Document[]): void {
    for (const one of asked.command['documents'] ?? []) this.granted(one['_id'], one, counters);
    if (asked.name !== 'update') return;
    for (const { q, u } of writesOf(asked)) {
      const set = u['$set'] ?? {};
      const ids: string[] = q['_id']?.$in ?? [];
      if (set.state === 'granted') for (const id of ids) this.granted(id, set, counters);
      else if ('from' in set && set.from !== null) this.judgeFrom(ids, set.from, counters);
      else if ('from' in set) for (const id of ids) this.widened(id, set);
    }
  }

  private granted(id: string, { version, from = null }: Document, counters: Document[]): void {
    if (from) this.judgeFrom([id], from, counters);
    const newAfter = Object.fromEntries(
      counters.map(({ _id, at }): [string, string] => [_id, (at as Date).toISOString()]),
    );
    this.add(id, { id, since: Number(version), until: Infinity, from, newAfter });
  }

  /** The earlier records come to a grant that was without them. */
  private widened(id: string, { version }: Document): void {
    const before = this.currentOf(id);
    if (before?.from) this.add(id, { ...before, since: Number(version), from: null });
  }

  /** `ONLY_NEW`: `c = counter`, then `from[a] = c` */
  private judgeFrom(ids: string[], from: Record<string, number>, counters: Document[]): void {
    this.findings.steps++;
    const isRead = (type: string, position: number) =>
      counters.some((one) => one['_id'] === type && Number(one['position']) === Number(position));
    const others = Object.entries(from).filter(([type, position]) => !isRead(type, position));
    for (const [type, position] of others)
      this.findings.refuse(
        'FROM_MARKER',
        `what is new of ${ids.map(accountIn).join()} begins at ${position} of ${type}, where no grant has read the counter`,
      );
  }

  private revokesIn(asked: Asked): void {
    if (asked.name !== 'update') return;
    for (const { q, u } of writesOf(asked)) {
      if (u['$set']?.state !== 'revoked') continue;
      for (const id of (q['_id']?.$in ?? []) as string[]) {
        // A farmer who shares again in the same transaction does so by the same version.
        const version = Number(u['$set'].version);
        const before = this.of(...keyOf(id)).find(
          (one) => one.id === id && one.until === Infinity && one.since < version,
        );
        if (before) before.until = version;
      }
    }
  }

  private add(id: string, grant: Grant): void {
    const list = this.of(...keyOf(id));
    // A transaction whose commit is asked for again.
    if (list.some((one) => one.id === id && one.since === grant.since)) return;
    this.grants.set(keyOf(id).join('\n'), [...list, grant]);
  }

  private readonly currentOf = (id: string) =>
    this.of(...keyOf(id)).find((one) => one.id === id && one.until === Infinity);

  private readonly of = (slug: string, account: string): Grant[] =>
    this.grants.get([slug, account].join('\n')) ?? [];
}

export const isBump = ({ name, collection, command }: Asked): boolean =>
  name === 'findAndModify' && collection === 'channels' && command['update']?.$inc?.shares_version > 0;

const isOfFarmer = (asked: Asked): boolean =>
  asked.name === 'insert' || writesOf(asked).some(({ u }) => u['$set']?.state !== undefined);

/** The channel and the account of a subscription. */
export function keyOf(id: string): [slug: string, account: string] {
  const [slug, , , account] = JSON.parse(id) as string[];
  return [slug!, account!];
}

const accountIn = (id: string) => keyOf(id)[1];
