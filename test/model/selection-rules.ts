import type { ReceivedPage } from '../setup/fake-customer';
import { accountsNamed } from '../sharing/accounts-named';
import { type Answered, type Asked, foundIn, keep, type Rules, TYPES, writesOf } from './asked';
import type { Findings } from './findings';
import type { ShareRules } from './share-rules';

/** What a plan or a slice of a delivery has read in its session. */
interface Reader {
  /** A plan reads the counters of all types, a slice that of one. */
  isPlan: boolean;
  /** What it has taken an epoch of: the type of a channel, or catch-ups of it. */
  of: string | undefined;
  /** By channel, each `shares_version` that it has seen, the last one at the end. */
  looks: Map<string, number[]>;
  /** By marker, the epoch that it has seen or taken last. */
  epochs: Map<string, number>;
  /** It has looked at the channel since it has read the records of the page, or since the page before was posted. */
  isFresh: boolean;
  /** Pages of the attempt, or of the catch-ups of one slice, that have arrived: behind them records may be read before the look. */
  pages: number;
}

/** By what an attempt and a plan select, and what a page may show: of channels whose farmers share. */
export class SelectionRules implements Rules {
  private readonly readers = new Map<string, Reader>();
  /** Of each epoch of a marker, who has taken it; catch-ups that begin at once have the same epochs. */
  private readonly attempts = new Map<string, Reader[]>();
  private readonly scopes = new Map<string, string>();
  /** The versions of which slices have read the selection, by marker. */
  private readonly selected = new Map<string, Set<number>>();
  /** Epochs of markers behind which a plan has read the selection. */
  private readonly planned = new Map<string, true>();
  /** Of each marker, how many plans have read the selection and not yet said what they have found by it. */
  private readonly searching = new Map<string, number>();

  constructor(
    private readonly findings: Findings,
    private readonly shares: ShareRules,
  ) {}

  told(asked: Asked): Answered | undefined {
    const { name, collection } = asked;
    if (name === 'find') return this.readTold(asked);
    if (collection !== 'markers') return undefined;
    if (name === 'findAndModify') return this.epochTaken(asked);
    if (name !== 'update') return undefined;
    for (const { q, u } of writesOf(asked)) if (u['$set']?.found !== undefined) this.found(String(q['_id']));
    return (answer) => {
      if (answer?.['ok'] === 1 && Number(answer['n']) > 0) this.moved(asked);
    };
  }

  private readTold({ collection, command, session }: Asked): Answered | undefined {
    const { filter = {}, projection } = command;
    const reader = this.readerOf(session);
    if (collection === 'counters' && filter._id === undefined)
      this.readers.set(session, { ...newReader(), isPlan: true });
    if (collection === 'counters' && filter._id !== undefined) reader.isPlan = false;
    if (collection === 'channels' && typeof filter._id === 'string')
      return (answer) => {
        const [channel] = foundIn(answer);
        if (!channel || channel['shares_version'] === undefined) return;
        const version = Number(channel['shares_version']);
        this.scopes.set(filter._id, channel['scope']);
        this.shares.seen(filter._id, version);
        reader.looks.set(filter._id, [...(reader.looks.get(filter._id) ?? []), version]);
        reader.isFresh = true;
      };
    if (collection === 'markers')
      return (answer) => {
        for (const { _id, epoch } of foundIn(answer)) reader.epochs.set(_id, Number(epoch));
      };
    // Of released records the look comes behind them as well.
    if (TYPES.has(collection) && projection?.wire && reader.pages === 0) reader.isFresh = false;
    const type = filter.to_begin?.$ne as string | undefined;
    if (collection === 'subscriptions' && type) this.selecting(reader, filter.channel, type);
    return undefined;
  }

  /** `atomic { READ_SELECTED }` */
  private selecting(reader: Reader, slug: string, type: string): void {
    this.findings.steps++;
    const id = `${slug}/${type}`;
    if (reader.isPlan) {
      this.searching.set(id, (this.searching.get(id) ?? 0) + 1);
      return keep(this.planned, `${id} ${reader.epochs.get(id)}`, true);
    }
    const versions = this.selected.get(id) ?? new Set();
    this.selected.set(id, versions.add(reader.looks.get(slug)?.at(-1) ?? -1));
  }

  /** `epoch++; e = epoch; at = marker` */
  private epochTaken({ command, session, transaction }: Asked): Answered | undefined {
    const id = command['query']?._id;
    if (typeof id !== 'string' || transaction) return undefined;
    return (answer) => {
      const epoch = answer?.['value']?.epoch;
      if (epoch === undefined || epoch === null) return;
      const [slug, type, account] = id.split('/');
      const of = `${slug}/${type}${account === undefined ? '' : '/'}`;
      // Catch-ups follow each other in one slice, and may share a page. Behind a first page that was confirmed, records
      // may be read ahead before the next page has arrived.
      const before = this.readerOf(session);
      const reader = account !== undefined && before.of === of ? before : newReader();
      this.readers.set(session, Object.assign(reader, { of, isFresh: false }));
      const key = `${slug}/${type} ${epoch}`;
      keep(this.attempts, key, [...new Set([...(this.attempts.get(key) ?? []), reader])]);
    };
  }

  /** A plan says what it has found, and passes over the window where that is nothing. */
  private found(id: string): void {
    if (this.scopes.get(id.split('/')[0]!) !== 'subscribed') return;
    const left = (this.searching.get(id) ?? 0) - 1;
    this.searching.set(id, Math.max(0, left));
    if (left < 0)
      this.findings.refuse('SELECTION_FIRST', `a plan of ${id} has searched by no selection of its own`);
  }

  /** An attempt moves the marker, or a plan passes over a window in which nothing is shared. */
  private moved(asked: Asked): void {
    for (const { q, u } of writesOf(asked)) {
      const id = String(q['_id']);
      const [slug, , account] = id.split('/');
      const isMove = u['$set']?.position !== undefined && q['epoch'] !== undefined && account === undefined;
      if (!isMove || this.scopes.get(slug!) !== 'subscribed') continue;
      const key = `${id} ${q['epoch']}`;
      if (Number(u['$inc']?.epoch ?? 0) > 0) {
        if (!this.planned.has(key))
          this.findings.refuse(
            'SELECTION_FIRST',
            `a plan passes over a window of ${id} by no selection of epoch ${q['epoch']}`,
          );
        continue;
      }
      const versions = (this.attempts.get(key) ?? []).map(({ looks }) => looks.get(slug!) ?? []);
      const isSelected = versions.flat().some((version) => this.selected.get(id)?.has(version));
      if (versions.length > 0 && !isSelected)
        this.findings.refuse(
          'STALE_SELECTION',
          `${id} moves in epoch ${q['epoch']} by a selection from before it`,
        );
    }
  }

  /**
   * `got[bi] = ...`: a page reaches the customer.
   * @param givenOut the version by which it was given out, where it was collected
   */
  pageArrived({ headers, records, entityType }: ReceivedPage, givenOut: number | undefined): void {
    const slug = String(headers['x-channel-slug']);
    if (this.scopes.get(slug) !== 'subscribed') return;
    this.findings.steps++;
    const version = givenOut ?? this.versionOf(slug, `${slug}/${entityType} ${headers['x-feed-epoch']}`);
    for (const record of records) {
      const hidden = accountsNamed(entityType, record).filter(
        (account) => !this.shares.mayShow(slug, account, version, entityType, record.updated_at),
      );
      for (const account of hidden) this.refuseShown(slug, account, version, `${entityType} ${record.id}`);
    }
  }

  private refuseShown(slug: string, account: string, version: number, record: string): void {
    const isEarlier = this.shares.newestOf(slug, account, this.shares.versionOf(slug))?.from;
    if (isEarlier) this.findings.refuse('FROM_EVERYWHERE', `${record} is of before the grant of ${account}`);
    else
      this.findings.refuse(
        'REVOKED',
        `${record} names ${account}, which was not shared by version ${version}`,
      );
  }

  /** The version by which a posted page was made; none of a released record, which no attempt at a marker sends. */
  private versionOf(slug: string, attempt: string): number {
    const readers = this.attempts.get(attempt) ?? [];
    const fresh = readers.filter(({ isFresh }) => isFresh);
    if (readers.length > 0 && fresh.length === 0)
      this.findings.refuse(
        'REVOKED',
        `a page of ${attempt} goes by no look at the channel behind its records`,
      );
    // Whose of several it is nobody knows.
    if (readers.length === 1) Object.assign(readers[0]!, { isFresh: false, pages: readers[0]!.pages + 1 });
    const versions = readers.map(({ looks }) => looks.get(slug)?.at(-1) ?? -1);
    return versions.length === 0 ? -1 : Math.min(...versions);
  }

  private readerOf(session: string): Reader {
    const reader = this.readers.get(session) ?? newReader();
    this.readers.set(session, reader);
    return reader;
  }
}

const newReader = (): Reader => ({
  ...{ isPlan: false, of: undefined, isFresh: false, pages: 0 },
  ...{ looks: new Map<string, number[]>(), epochs: new Map<string, number>() },
});
