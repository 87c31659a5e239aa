import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { EntityType } from '../domain/entity-types';
import type { Subject } from '../domain/subject';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

// Everything the processes and the workflows say to each other. The arguments of a signal are for the reader of
// the history; the truth is read from MongoDB (design 4).

export const markerReset =
  defineSignal<[{ entity_type: EntityType; timestamp: string; request_id: string }]>('markerReset');
export const deliverNow = defineSignal<[{ request_id: string }]>('deliverNow');
export const settingsChanged = defineSignal<[{ reason: string }]>('settingsChanged');
export const subscriptionsChanged = defineSignal<[{ request_id: string }]>('subscriptionsChanged');

/** What a waiting delivery hears from its channel when a bell rang: try at once. */
export const tryNow = defineSignal<[{ trigger: Trigger }]>('tryNow');
/** What a channel hears from a delivery whose first try failed: do not wait for me. */
export const deliveryStalled = defineSignal<[{ delivery: string; reason: string }]>('deliveryStalled');

export const status = defineQuery<ChannelStatus>('status');

/** Why a run started, strongest last: one that comes later does not hide a stronger one. */
export const TRIGGERS = ['schedule', 'subscriptions', 'settings', 'reset', 'deliver-now'] as const;
export type Trigger = (typeof TRIGGERS)[number];

export interface ChannelStatus {
  state: 'waiting' | 'running' | 'paused';
  next_due: string | null;
  open_deliveries: string[];
  last_deliveries: Partial<Record<Subject, string>>;
}

/** How a channel is, in one word, for the list of workflows. */
export type ChannelHealth = 'healthy' | 'failing' | 'paused';

/** The whole state that a channel's workflow carries from one run of itself to the next. */
export interface ChannelFeedInput {
  slug: string;
  /** When the next run is due; now when it is not given. */
  due?: string;
  /** A bell that rang and was not answered yet. */
  wake?: Trigger;
  /** What the last delivery of each subject came to, for the operator's table. */
  last?: Partial<Record<Subject, LastDelivery>>;
  health?: ChannelHealth;
  shown?: PlanShown;
}

/** What the last plan said of the channel, as far as the operator's table shows it. */
export interface PlanShown {
  state: 'active' | 'paused';
  name: string;
  /** Why it is paused, and until when its customer asked for time. */
  reason?: string;
  not_before?: string | null;
  markers: { entity_type: EntityType; confirmed_to: string | null; delivered_at: string | null }[];
}

export interface LastDelivery {
  failed: boolean;
  /** "1,000 records at 10:05:30", "Acme answered 503 …" */
  text: string;
}

export const channelWorkflowId = (slug: string) => `channel/${slug}`;
export const deliveryWorkflowId = (slug: string, type: EntityType, run: number, catchUp = false) =>
  `delivery/${slug}/${type}/${run}${catchUp ? '/catch-up' : ''}`;
/** The slug in a channel's workflow id, or undefined for the id of something else. */
export const slugOfChannelWorkflow = (workflowId: string) => /^channel\/([a-z0-9-]+)$/.exec(workflowId)?.[1];

/** Where the further parts of deliveries wait, so that the first part of another never waits for them. */
export const backlogQueue = (taskQueue: string) => `${taskQueue}-backlog`;

export const RECONCILE_ID = 'reconcile';

export const searchAttributes = {
  channel: defineSearchAttributeKey('GdxChannel', SearchAttributeType.KEYWORD),
  entityType: defineSearchAttributeKey('GdxEntityType', SearchAttributeType.KEYWORD),
  outcome: defineSearchAttributeKey('GdxOutcome', SearchAttributeType.KEYWORD),
  trigger: defineSearchAttributeKey('GdxTrigger', SearchAttributeType.KEYWORD),
  records: defineSearchAttributeKey('GdxRecords', SearchAttributeType.INT),
};
