import type { Document } from 'mongodb';
import type { ReceivedPage } from '../setup/fake-customer';
import { type Asked, type Rules, writesOf } from './asked';
import type { Findings } from './findings';

const MOST_KEPT = 2_000;

/**
 * A record is set aside only if it was posted alone and refused twice, with another one of its type confirmed in between
 * (docs/contract.md C10). One that was released may be so at the first refusal after it.
 */
export class AsideRules implements Rules {
  private readonly pages = new Map<string, ReceivedPage[]>();
  private readonly before = new Set<string>();

  constructor(private readonly findings: Findings) {}

  pageArrived(page: ReceivedPage): void {
    const lane = `${String(page.headers['x-channel-slug'])}/${page.entityType}`;
    const pages = this.pages.get(lane) ?? [];
    this.pages.set(lane, pages);
    pages.push(page);
    if (pages.length > MOST_KEPT) pages.shift();
  }

  told(asked: Asked): undefined {
    if (asked.collection !== 'set_aside' || asked.name !== 'update') return;
    for (const { u } of writesOf(asked)) if (typeof u['record'] === 'string') this.asideTold(u);
  }

  private asideTold({ channel, entity_type, record }: Document): void {
    this.findings.steps++;
    const lane = `${channel}/${entity_type}`;
    const key = `${lane}/${record}`;
    if (!this.before.has(key) && !isJust(this.pages.get(lane) ?? [], String(record)))
      this.findings.refuse(
        'REFUSED_TWICE',
        `${key} is set aside, and was not refused alone around a confirmation`,
      );
    this.before.add(key);
  }
}

function isJust(pages: ReceivedPage[], id: string): boolean {
  const isConfirmed = ({ status }: ReceivedPage) => status >= 200 && status < 300;
  const ofIt = pages.filter(
    (page) => !isConfirmed(page) && page.records.length === 1 && page.records[0]!.id === id,
  );
  const version = ofIt.at(-1)?.records[0]!.updated_at;
  const alone = ofIt.filter(({ records }) => records[0]!.updated_at === version);
  if (alone.length < 2) return false;
  const between = pages.slice(pages.indexOf(alone[0]!) + 1, pages.indexOf(alone.at(-1)!));
  return between.some((page) => isConfirmed(page) && page.records.some((record) => record.id !== id));
}
