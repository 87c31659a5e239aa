import { setTimeout } from 'node:timers/promises';
import type { EntityType } from '../../domain/records/entity-types';
import { retryDelay } from '../../domain/deliveries/retry-delay';
import { flawOfPage } from '../../domain/deliveries/verify-page';
import type { CollectedPage, FeedClient } from './feed-client';

interface ListenOrders {
  feed: FeedClient;
  /** Stores the page elsewhere. @returns whether it is stored, and what is to be said of that */
  take: (page: CollectedPage) => Promise<{ isConfirmed: boolean; said: string }>;
  /** Checks every page; empty: no page is checked. */
  signingSecret: string;
  /** Undefined: ends when nothing is left to send. */
  everyMs: number | undefined;
  /** Called whenever nothing is left. */
  onEnd?: () => Promise<void>;
  onPage: (seen: SeenPage) => void;
  onRefused: (seen: SeenPage, waitMs: number) => void;
}

/** One try to hand a page on. */
export interface SeenPage {
  entity_type: EntityType;
  page: string;
  records: number;
  signature: 'genuine' | 'not checked' | 'forged';
  /** What the receiver answered. */
  receiver: string;
  /** `again`: the page had changed concurrently, and is rebuilt. */
  result: 'confirmed' | 'again' | 'refused';
}

/**
 * Collects the pages of every entity type, hands each on and confirms it when it is stored elsewhere. Keeps nothing itself: where it is killed, the page that was not confirmed comes again.
 */
export async function listen(orders: ListenOrders): Promise<void> {
  for (;;) {
    for (const type of await orders.feed.entityTypes()) await collectAll(orders, type);
    await orders.onEnd?.();
    if (orders.everyMs === undefined) return;
    await setTimeout(orders.everyMs);
  }
}

async function collectAll(orders: ListenOrders, type: EntityType): Promise<void> {
  for (let refused = 0; ;) {
    const page = await orders.feed.next(type);
    if (!page) return;
    const seen = await handOn(orders, page);
    if (seen.result !== 'refused') {
      refused = 0;
      orders.onPage(seen);
      continue;
    }
    refused += 1;
    const waitMs = retryDelay(refused, Math.random());
    orders.onRefused(seen, waitMs);
    await setTimeout(waitMs);
  }
}

async function handOn({ feed, take, signingSecret }: ListenOrders, page: CollectedPage): Promise<SeenPage> {
  const { data, meta } = JSON.parse(page.body.toString()) as {
    data: unknown[];
    meta: { current_page: number; total_pages: number };
  };
  const seen = {
    entity_type: page.entityType,
    page: `${meta.current_page} of ${meta.total_pages}`,
    records: data.length,
    signature: check(page, signingSecret),
  } as const;
  if (seen.signature === 'forged') return { ...seen, receiver: 'not asked', result: 'refused' };
  const { isConfirmed, said } = await take(page);
  if (!isConfirmed) return { ...seen, receiver: said, result: 'refused' };
  return { ...seen, receiver: said, result: (await feed.confirm(page)) ? 'confirmed' : 'again' };
}

function check({ headers, body }: CollectedPage, secret: string): SeenPage['signature'] {
  if (!secret) return 'not checked';
  const given = {
    id: headers['webhook-id'] ?? '',
    timestamp: headers['webhook-timestamp'] ?? '',
    signatures: headers['webhook-signature'] ?? '',
  };
  return flawOfPage(given, body, { secret, now: new Date() }) === undefined ? 'genuine' : 'forged';
}
