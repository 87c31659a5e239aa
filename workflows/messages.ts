import { defineQuery, defineSignal } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { MarkerSummary, Trigger } from '../domain/deliveries/delivery';
import type { EntityType } from '../domain/records/entity-types';
import type { LaneView } from '../domain/deliveries/lane';
import type { Subject } from '../domain/deliveries/subject';

// All messages between the processes and the workflows. A signal's arguments name the entity types to look at and
// help the reader of a history; the truth is read from MongoDB.

export const markerResetSignal =
  defineSignal<[{ entity_types: EntityType[]; timestamp: string; request_id: string }]>('markerReset');
/** For the named entity types, or for all. */
export const deliverNowSignal =
  defineSignal<[{ request_id: string; entity_types?: EntityType[] }]>('deliverNow');
export const pageAskedForSignal =
  defineSignal<[{ request_id: string; entity_types: EntityType[] }]>('pageAskedFor');
export const settingsChangedSignal =
  defineSignal<[{ reason: string; request_id?: string }]>('settingsChanged');
export const subscriptionsChangedSignal = defineSignal<[{ request_id: string }]>('subscriptionsChanged');

/** Channel to delivery: an operator, or a customer that collects its pages, asks for an attempt now. */
export const tryNowSignal = defineSignal<[]>('tryNow');
/** Channel to delivery: a reset has moved the marker, so the rest is obsolete. */
export const overtakenSignal = defineSignal<[]>('overtaken');
/** Channel to delivery: end after the current slice; the rest is planned again. */
export const handBackSignal = defineSignal<[]>('handBack');
/** Delivery to channel: why the customer does not confirm, and when it is tried next; null when it confirms again. */
export const deliveryStalledSignal =
  defineSignal<[{ delivery: string; reason: string | null; until?: string }]>('deliveryStalled');

export const statusQuery = defineQuery<ChannelStatus>('status');

export interface ChannelStatus {
  state: 'waiting' | 'running' | 'paused';
  next_due: string | null;
  lanes: LaneView[];
  open_deliveries: string[];
  last_deliveries: Partial<Record<Subject, string>>;
}

/** A channel's health, for the list of workflows. */
export type FeedHealth = 'healthy' | 'failing' | 'paused';

/** A run that was requested for an entity type and is not planned yet. */
export interface RunRequest {
  trigger: Trigger;
  /** The X-Request-ID of the caller, repeated on the pages. */
  request_id?: string;
}

/** The state of one entity type that continue-as-new carries over. */
export interface CarriedLane {
  entity_type: EntityType;
  wake?: RunRequest;
  /** The customer asked to wait until then (Retry-After). */
  held_until?: string;
  /** The results of its last delivery and its last catch-up, for the operator's table. */
  last?: LastDelivery;
  last_catch_up?: LastDelivery;
}

/** What a channel's workflow is started with, and the whole state that continue-as-new carries over. */
export interface ChannelFeedInput {
  slug: string;
  /** When the next run is due; now when left out. */
  due?: string;
  lanes?: CarriedLane[];
  health?: FeedHealth;
  shown?: PlanShown;
}

/** What the operator's table shows of the last plans. */
export interface PlanShown {
  state: 'active' | 'paused';
  name: string;
  cadence_ms: number;
  /** Why it is paused. */
  reason?: string;
  collects?: boolean | undefined; // then a page that waits for the customer is not a failure
  markers: MarkerSummary[];
}

export interface LastDelivery {
  failed: boolean;
  /** "1,000 records by 10:05:30", "Acme answered 503 … (10:05:30)" */
  text: string;
}

export const channelWorkflowId = (slug: string) => `channel/${slug}`;
export const deliveryWorkflowId = (slug: string, type: EntityType, run: number, catchUp = false) =>
  `delivery/${slug}/${type}/${run}${catchUp ? '/catch-up' : ''}`;
/** The slug in a channel's workflow id, or undefined for the id of something else. */
export const slugOfChannelWorkflow = (workflowId: string) => /^channel\/([a-z0-9-]+)$/.exec(workflowId)?.[1];

/** The queue of later slices, so that no delivery's first slice waits for them. */
export const backlogQueue = (taskQueue: string) => `${taskQueue}-backlog`;
/** The queue of attempts after an unanswered one, so that hanging customers delay only each other. */
export const unansweredQueue = (taskQueue: string) => `${taskQueue}-unanswered`;

export const RECONCILE_ID = 'reconcile';

export const searchAttributes = {
  channel: defineSearchAttributeKey('GdxChannel', SearchAttributeType.KEYWORD),
  entityType: defineSearchAttributeKey('GdxEntityType', SearchAttributeType.KEYWORD),
  outcome: defineSearchAttributeKey('GdxOutcome', SearchAttributeType.KEYWORD),
  trigger: defineSearchAttributeKey('GdxTrigger', SearchAttributeType.KEYWORD),
  records: defineSearchAttributeKey('GdxRecords', SearchAttributeType.INT),
};
