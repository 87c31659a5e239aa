import type { Document } from 'mongodb';
import { type Answered, type Asked, type Rules, type Transaction, TYPES, writesOf } from './asked';
import type { Epochs } from './epochs';
import type { Findings } from './findings';
import { isBump, keyOf, type ShareRules } from './share-rules';

/** A catch-up that has been begun. */
interface CatchUp {
  account: string;
  position: number;
  until: number;
  generation: number;
}

/** An attempt at one, and up to where it has read the account's records. */
interface Attempt {
  session: string;
  of: string;
  read: number;
}

/** How catch-ups begin, are delivered and end. */
export class CatchUpRules implements Rules {
  private readonly open = new Map<string, CatchUp>();
  /** By marker and epoch. */
  private readonly attempts = new Map<string, Attempt>();
  /** The highest epoch that any catch-up of that id had. */
  private readonly highest = new Map<string, number>();

  constructor(
    private readonly findings: Findings,
    private readonly epochs: Epochs,
    private readonly shares: ShareRules,
  ) {}

  told(asked: Asked): Answered | undefined {
    const { name, collection, command, session } = asked;
    if (name === 'find' && TYPES.has(collection))
      return this.recordsRead(collection, command['filter'], session);
    if (collection !== 'markers') return undefined;
    if (name === 'findAndModify') return this.epochTaken(command, session);
    if (name === 'delete') return this.ended(asked);
    if (name !== 'update') return undefined;
    const writes = writesOf(asked);
    const told = writes.map(({ q, u }) => this.updateTold(q, u));
    return (answer) => {
      // Whether it was done nobody knows.
      if (!answer) for (const { q } of writes) this.forget(q['_id']);
      if (answer?.['ok'] === 1 && Number(answer['n']) > 0) told.forEach((one) => one?.());
    };
  }

  /** `u[a] = until[a]; g[a] = begun[a]`, one account a step */
  private epochTaken({ query, update }: Document, session: string): Answered | undefined {
    const id = String(query?._id);
    if (!this.open.has(id) || !update?.$inc?.epoch) return undefined;
    const taken = this.epochs.sent(id, 1);
    return (answer) => {
      const epoch = answer?.['value']?.epoch;
      if (epoch === undefined || epoch === null) return;
      this.findings.steps++;
      taken(Number(epoch) - 1);
      this.highest.set(id, Math.max(Number(epoch), this.highest.get(id) ?? -1));
      this.attempts.set(`${id} ${epoch}`, { session, of: id, read: -1 });
    };
  }

  /** The loop over `page[i]`. */
  private recordsRead(type: string, filter: Document, session: string): Answered | undefined {
    const upTo = Number(filter?.['position']?.$lte);
    const accounts = filter?.['account_ids']?.$in as string[] | undefined;
    if (!accounts || Number.isNaN(upTo)) return undefined;
    return (answer) => {
      if (answer?.['ok'] !== 1) return;
      for (const attempt of this.attempts.values()) {
        const [, of, account] = attempt.of.split('/');
        if (attempt.session === session && of === type && accounts.includes(account!))
          attempt.read = Math.max(attempt.read, upTo);
      }
    };
  }

  private updateTold(q: Document, u: Document): (() => void) | undefined {
    const id = String(q['_id']);
    const catchUp = this.open.get(id);
    const position = u['$set']?.position as number | undefined;
    if (!catchUp || position === undefined) return undefined;
    const taken = this.epochs.sent(id, 0);
    return () => {
      this.findings.steps++;
      if (q['epoch'] === undefined) return this.findings.refuse('NO_GENERATION', `${id} moves in any epoch`);
      taken(Number(q['epoch']));
      if (position > catchUp.until)
        this.findings.refuse('END_BEFORE', `${id} moves to ${position}, and it ends at ${catchUp.until}`);
      catchUp.position = position;
    };
  }

  /** `taken[a] && pending[a] && begun[a] == g[a] -> pending[a] = false` */
  private ended(asked: Asked): Answered | undefined {
    const deletes = (asked.command['deletes'] as { q: Document }[]).map(({ q }) => q);
    const through = deletes.filter(
      ({ _id, generation }) => typeof _id === 'string' && generation === undefined,
    );
    const taken = through.map(({ _id }) => this.epochs.sent(_id, 0));
    const known = through.map(({ _id }) => this.open.get(_id));
    const kept = deletes.map((filter) => this.isOfAnother(filter));
    return (answer) => {
      const removed = Number(answer?.['n'] ?? deletes.length);
      if (removed === 0) return;
      this.findings.steps++;
      through.forEach(({ _id, epoch }, index) => {
        const catchUp = known[index];
        if (!catchUp || this.open.get(_id) !== catchUp) return;
        if (answer && epoch === undefined)
          this.findings.refuse('NO_GENERATION', `${_id} is ended, whatever grant has begun it`);
        // Which of them were there nobody knows but where all of them were.
        else if (answer && removed === deletes.length) {
          taken[index]!(Number(epoch));
          this.expectRead(_id, Number(epoch), catchUp);
        }
      });
      deletes.forEach(({ _id }, index) => kept[index] || this.forget(_id));
    };
  }

  /** It was begun anew before it could be removed. */
  private isOfAnother({ _id, epoch, generation }: Document): boolean {
    const catchUp = this.open.get(_id);
    if (!catchUp) return false;
    if (generation !== undefined) return Number(generation) !== catchUp.generation;
    return epoch !== undefined && Number(epoch) < this.epochs.least(_id);
  }

  private expectRead(id: string, epoch: number, { position, until }: CatchUp): void {
    const attempt = this.attempts.get(`${id} ${epoch}`);
    if (!attempt || position >= until || attempt.read >= until) return;
    const read = Math.max(position, attempt.read);
    this.findings.refuse('LEAST_END', `${id} is ended at ${until}, and was read up to ${read}`);
  }

  private forget(id: string | { $gt?: string; $in?: string[] }): void {
    const ids =
      typeof id === 'string'
        ? [id]
        : (id.$in ?? [...this.open.keys()].filter((one) => this.isNothing(one, id)));
    for (const one of ids) this.open.delete(one);
    for (const [key, { of }] of this.attempts) if (!this.open.has(of)) this.attempts.delete(key);
  }

  /** A reset to the beginning removes what it has cut to nothing. */
  private readonly isNothing = (id: string, { $gt = '' }: { $gt?: string }) =>
    id.startsWith($gt) && this.open.get(id)!.until === 0;

  committing(transaction: Transaction): () => void {
    const { heard } = transaction;
    const subscriptions = heard.filter(({ collection }) => collection === 'subscriptions').flatMap(writesOf);
    const begun = subscriptions.filter(({ u }) => u['$pull']?.to_begin !== undefined);
    const revoked = subscriptions.filter(({ u }) => u['$set']?.state === 'revoked');
    const removed = new Set(
      heard
        .filter(({ name, collection }) => collection === 'markers' && name === 'delete')
        .flatMap(({ command }) => command['deletes'] as { q: Document }[])
        .flatMap(({ q }) => (q['_id'].$in ?? []) as string[]),
    );
    const replaced = [...removed].flatMap((id): [string, CatchUp][] => {
      const before = this.open.get(id);
      return before && begun.length > 0 ? [[id, before]] : [];
    });
    return () => {
      for (const [id, before] of replaced) this.replacing(id, before, transaction);
      for (const { q, u } of begun) this.beginning(transaction, q['_id'].$in, u['$pull'].to_begin);
      for (const { q, u } of revoked) this.revoking(q['_id'].$in, u['$set'].version, removed);
    };
  }

  /** `epoch == e0 ... until = marker` */
  private beginning(transaction: Transaction, ids: string[], type: string): void {
    if (ids.length === 0) return;
    const { heard } = transaction;
    this.findings.steps++;
    const [slug] = keyOf(ids[0]!);
    const own = `${slug}/${type}`;
    const marker = markerTaken(heard, own);
    if (!(marker?.command['update']?.$inc?.epoch > 0))
      this.findings.refuse('NO_EPOCH', `catch-ups of ${own} are begun without a new epoch`);
    const bumped = heard.find(isBump)?.answer['value']?.shares_version;
    if (bumped === undefined)
      this.findings.refuse('SHARES', `catch-ups of ${own} are begun by no new version`);
    const version = Number(bumped ?? Number.MAX_SAFE_INTEGER);
    const position = Number(marker?.answer['value']?.position);
    const inserted = insertedIn(transaction);
    for (const account of new Set(ids.map((id) => keyOf(id)[1]))) {
      const from = Number(this.shares.newestOf(slug, account, version)?.from?.[type] ?? 0);
      const one = inserted.find((document) => document['account'] === account);
      const isKept = this.open.has(`${own}/${account}`);
      if (!one && !isKept && from < position)
        this.findings.refuse('NO_CATCH_UP', `${own}/${account} is not begun, from ${from} to ${position}`);
    }
    for (const one of inserted) {
      const from = this.shares.newestOf(slug, one['account'], version)?.from?.[type];
      this.begun(one, { from: Number(from ?? 0), to: position });
    }
  }

  /** Of what was pending all is pending still, or lies above the channel's own marker, which a reset has moved back. */
  private replacing(id: string, { position, until }: CatchUp, transaction: Transaction): void {
    const one = insertedIn(transaction).find(({ _id }) => _id === id);
    const marker = markerTaken(transaction.heard, id.split('/').slice(0, 2).join('/'));
    const isAbove = Number(marker?.answer['value']?.position) <= position;
    if (position < until && !isAbove && !(Number(one?.['position']) <= position))
      this.findings.refuse('NO_CATCH_UP', `${id} is begun anew, and had come to ${position} of ${until}`);
  }

  private begun(one: Document, due: { from: number; to: number }): void {
    const id = String(one['_id']);
    const [until, account, epoch] = [Number(one['until']), String(one['account']), Number(one['epoch'])];
    if (until !== due.to)
      this.findings.refuse('END_BEFORE', `${id} ends at ${until}, and the marker was at ${due.to}`);
    if (Number(one['position']) > due.from)
      this.findings.refuse('NO_CATCH_UP', `${id} begins at ${one['position']}, and its grant at ${due.from}`);
    if (epoch <= (this.highest.get(id) ?? -1))
      this.findings.refuse('NO_GENERATION', `${id} begins in epoch ${epoch}, which an older one has had`);
    this.highest.set(id, epoch);
    this.epochs.begin(id, epoch);
    this.open.set(id, {
      ...{ account, until, position: Number(one['position']) },
      generation: Number(one['generation']),
    });
  }

  /** `shared = false; pending = false` */
  private revoking(ids: string[], version: number, removed: Set<string>): void {
    for (const [slug, account] of ids.map(keyOf)) {
      if (this.shares.newestOf(slug, account, version)) continue;
      for (const type of TYPES) {
        const id = `${slug}/${type}/${account}`;
        if (this.open.has(id) && !removed.has(id))
          this.findings.refuse('REVOKED', `${id} goes on after its revoke`);
        this.forget(id);
      }
    }
  }
}

const insertedIn = ({ heard }: Transaction): Document[] =>
  heard
    .filter(({ name, collection }) => collection === 'markers' && name === 'insert')
    .flatMap(({ command }) => command['documents'] as Document[]);

/** Where a plan that begins catch-ups takes the epoch of the channel's own marker. */
const markerTaken = (heard: Transaction['heard'], own: string) =>
  heard.find(({ name, command }) => name === 'findAndModify' && command['query']?._id === own);
