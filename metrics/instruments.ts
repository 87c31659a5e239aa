import { Counter, Gauge, Histogram, Registry } from 'prom-client';

// All metrics of API and worker (metrics/README.md), named as Prometheus asks: base units, `_total` at the end of
// counters. Labels have few values: slugs, entity types and our own words. No text of a farmer, an ERP or a customer
// becomes a label.

export const registry = new Registry();

const registers = [registry];

export const deliveriesClosed = new Counter({
  name: 'gdx_deliveries_total',
  help: 'Deliveries closed. status: delivered, failed, superseded or resized',
  labelNames: ['channel', 'entity_type', 'status'],
  registers,
});

export const deliveryRecords = new Counter({
  name: 'gdx_delivery_records_total',
  help: 'Records that customers have confirmed, counted when their delivery closes',
  labelNames: ['channel', 'entity_type'],
  registers,
});

export const deliveryDuration = new Histogram({
  name: 'gdx_delivery_duration_seconds',
  help: 'From the start of a delivery to its end, waits for the customer included',
  labelNames: ['entity_type', 'status'],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600],
  registers,
});

export const attempts = new Counter({
  name: 'gdx_attempts_total',
  help: 'Pages that were posted. class: confirmed, or the failure that the answer counts as',
  labelNames: ['class'],
  registers,
});

export const attemptDuration = new Histogram({
  name: 'gdx_attempt_duration_seconds',
  help: 'From the beginning of a POST to the end of the customer’s answer, or to giving up on it',
  buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers,
});

export const changeConfirmed = new Histogram({
  name: 'gdx_change_confirmed_seconds',
  help: 'How long each change has waited until its customer confirmed it, less what the customer itself has kept it waiting; without resets, catch-ups, resends and pages that customers collect',
  buckets: [1, 5, 15, 60, 300, 900, 1_800, 3_900, 7_200, 14_400, 43_200, 86_700],
  registers,
});

export const changesConfirmed = new Counter({
  name: 'gdx_changes_confirmed_total',
  help: 'The same changes. on_time: yes within the channel’s cadence and five minutes, else no',
  labelNames: ['channel', 'on_time'],
  registers,
});

export const changesLate = new Gauge({
  name: 'gdx_changes_late',
  help: 'Changes that have waited for longer than the channel’s cadence and five minutes, and not for its customer',
  labelNames: ['channel', 'entity_type'],
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

export const requestDuration = new Histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Requests to the API. route: method and path of the table of routes, or unmatched; status: the HTTP status',
  labelNames: ['route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
  registers,
});

export const pushGroups = new Histogram({
  name: 'gdx_push_group_pushes',
  help: 'How many pushes were stored together in one transaction',
  buckets: [1, 2, 4, 8, 16, 32, 64],
  registers,
});

export const pushedRecords = new Counter({
  name: 'gdx_push_records_total',
  help: 'Records of pushes that were stored. status: changed, or unchanged (nothing new to deliver)',
  labelNames: ['status'],
  registers,
});

export const signInCodes = new Counter({
  name: 'gdx_sign_in_codes_total',
  help: 'Codes for farmers. status: sent, failed, limited, withheld (too many to phones of no account) or impossible (no number to text); then right, wrong, over (too old, tried too often) or barred (too many of the phone)',
  labelNames: ['status'],
  registers,
});

export const mongodbFailures = new Counter({
  name: 'gdx_mongodb_failures_total',
  help: 'Failed requests to MongoDB. kind: pool_cleared (a command met a closed connection or a primary that steps down), check_out (no connection was free in time) or heartbeat',
  labelNames: ['kind'],
  registers,
});

export const temporalFailures = new Counter({
  name: 'gdx_temporal_failures_total',
  help: 'Requests of our Temporal client that failed: no answer, refused or overloaded. Answers such as "not found" are none',
  registers,
});

export const reconciledAt = new Gauge({
  name: 'gdx_reconciled_timestamp_seconds',
  help: 'When this worker last finished a round of the reconciler, in seconds since 1970; 0: not since it started',
  registers,
});
