import type { Document } from 'mongodb';
import type { ReceivedPage } from '../setup/fake-customer';
import { type Answered, type Asked, keep, type Rules, type Transaction, TYPES } from './asked';
import { AsideRules } from './aside-rules';
import { CatchUpRules } from './catch-up-rules';
import { CounterRules } from './counter-rules';
import { Epochs } from './epochs';
import { Findings } from './findings';
import { MarkerRules } from './marker-rules';
import { SelectionRules } from './selection-rules';
import { ShareRules } from './share-rules';
import { WaitingRules } from './waiting-rules';

const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);

/**
 * Says of a real run whether commit-order.pml and sharing.pml allow it, from the rules of the models alone: it is told of each command
 * to MongoDB before it is sent and when it is answered, and of each page when it reaches the customer and when that answers. What is in
 * flight at once may have happened in any order, and counts as the one that is allowed.
 */
export class RunChecker {
  private readonly findings = new Findings();
  private readonly transactions = new Map<string, Transaction>();
  private readonly markers: MarkerRules;
  private readonly waiting: WaitingRules;
  private readonly selections: SelectionRules;
  private readonly asides: AsideRules;
  private readonly rules: Rules[];
  /** The retryable writes that were answered, by session and number. */
  private readonly written = new Map<string, true>();

  constructor() {
    const { findings } = this;
    const epochs = new Epochs(findings);
    const counters = new CounterRules(findings);
    const shares = new ShareRules(findings);
    this.markers = new MarkerRules(findings, epochs, counters.boundOf);
    this.waiting = new WaitingRules(findings, epochs, shares.versionOf);
    this.selections = new SelectionRules(findings, shares);
    this.asides = new AsideRules(findings);
    const catchUps = new CatchUpRules(findings, epochs, shares);
    this.rules = [counters, shares, this.markers, this.waiting, catchUps, this.selections, this.asides];
  }

  /** What the models do not allow, the first of it first; each begins with the rule that was left out. */
  get broken(): readonly string[] {
    return this.findings.broken;
  }

  /** How many steps of the models were seen. */
  get steps(): number {
    return this.findings.steps;
  }

  pageArrived(page: ReceivedPage): void {
    this.asides.pageArrived(page);
    this.selections.pageArrived(page, this.waiting.pageArrived(String(page.headers['webhook-id'])));
  }

  pageConfirmed({ headers, meta }: Pick<ReceivedPage, 'headers' | 'meta'>): void {
    this.markers.pageConfirmed(String(headers['x-delivery-id']), meta.current_page);
    this.waiting.pageConfirmed(String(headers['webhook-id']));
  }

  /** @returns to be called with the answer */
  commandSent(command: Document): Answered {
    const [name = '', collection] = Object.entries(command)[0] ?? [];
    const session = String(command['lsid']?.id?.toString('hex'));
    const key = command['autocommit'] === false ? `${session} ${command['txnNumber']}` : undefined;
    if (key !== undefined && command['startTransaction'])
      this.transactions.set(key, { hasWritten: false, taken: new Map(), heard: [], done: [] });
    const transaction = key === undefined ? undefined : this.transactions.get(key);
    if (name === 'commitTransaction' && transaction) return this.committing(transaction, key!);
    if (name === 'abortTransaction') this.transactions.delete(key!);
    const write = key === undefined && command['txnNumber'] !== undefined;
    const number = write ? `${session} ${command['txnNumber']}` : undefined;
    // MongoDB answers it as before and does nothing.
    if (number !== undefined && this.written.has(number)) return () => {};
    const asked = { name, collection: String(collection), command, session, transaction };
    const told = this.rules.flatMap((rules) => rules.told(asked) ?? []);
    if (transaction && WRITES.has(name)) transaction.hasWritten = true;
    return (answer) => {
      if (number !== undefined && answer?.['ok'] === 1) keep(this.written, number, true);
      if (transaction && answer && !TYPES.has(asked.collection)) transaction.heard.push({ ...asked, answer });
      for (const one of told) later(asked, () => one(answer));
    };
  }

  private committing(transaction: Transaction, key: string): Answered {
    const committed = this.rules.flatMap((rules) => rules.committing?.(transaction) ?? []);
    return (answer) => {
      if (answer?.['ok'] !== 1 || !this.transactions.delete(key)) return; // or it was asked for twice
      transaction.done.splice(0).forEach((one) => one());
      committed.forEach((one) => one());
    };
  }
}

/** What a transaction does to markers counts when it is committed. */
function later({ collection, transaction }: Asked, done: () => void): void {
  if (transaction && collection === 'markers') transaction.done.push(done);
  else done();
}
