import { Counter, Gauge, Histogram, Registry } from 'prom-client';

// All our metrics, in both processes (metrics/README.md). Labels are few and bounded: slugs, entity types and our own
// words; nothing that a farmer, an ERP or a customer has written.

export const registry = new Registry();

const registers = [registry];

export const deliveriesClosed = new Counter({
  name: 'gdx_deliveries',
  help: 'Deliveries closed. status: delivered, failed, superseded or resized',
  labelNames: ['channel', 'entity_type', 'status'],
  registers,
});

export const deliveryRecords = new Counter({
  name: 'gdx_delivery_records',
  help: 'Records that customers have confirmed, counted when their delivery closes',
  labelNames: ['channel', 'entity_type'],
  registers,
});

export const deliveryDuration = new Histogram({
  name: 'gdx_delivery_duration_ms',
  help: 'Milliseconds from the start of a delivery to its end, waits for the customer included',
  labelNames: ['entity_type', 'status'],
  buckets: [100, 250, 500, 1_000, 2_500, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000],
  registers,
});

export const freshness = new Gauge({
  name: 'gdx_freshness_seconds',
  help: 'How long the oldest change that an active channel’s customer has not confirmed has waited, of those that a plan has found; where no plan has come for two cadences, how long ago the last one was; 0: none waits',
  labelNames: ['channel', 'entity_type'],
  registers,
});

export const pendingRecords = new Gauge({
  name: 'gdx_pending_records',
  help: 'Records that a channel’s customer has not confirmed, as its last plan found them, catch-ups included; of a longer backlog the first 100,000',
  labelNames: ['channel', 'entity_type'],
  registers,
});

export const channelStates = new Gauge({
  name: 'gdx_channels',
  help: 'Channels. state: active or paused',
  labelNames: ['state'],
  registers,
});

export const alertsOpen = new Gauge({
  name: 'gdx_alerts_open',
  help: 'Open alerts. class: the failure, stale, codes, crowded, silent, set_aside or test',
  labelNames: ['channel', 'class'],
  registers,
});

export const mongodbUp = new Gauge({
  name: 'gdx_mongodb_up',
  help: '1 when MongoDB answered the last time it was asked for these figures, else 0',
  registers,
});

export const pushes = new Counter({
  name: 'gdx_pushes',
  help: 'Answers to POST /api/v1/push. status: the HTTP status',
  labelNames: ['status'],
  registers,
});

export const pushedRecords = new Counter({
  name: 'gdx_push_records',
  help: 'Records of pushes that were stored. status: changed, or unchanged (nothing new to deliver)',
  labelNames: ['status'],
  registers,
});

export const signInCodes = new Counter({
  name: 'gdx_sign_in_codes',
  help: 'Codes for farmers. status: sent, failed, limited, withheld (too many to phones of no account) or impossible (no number to text); then right, wrong, over (too old, tried too often) or barred (too many of the phone)',
  labelNames: ['status'],
  registers,
});
