import { Counter, Gauge, Histogram, Registry } from 'prom-client';

// All metrics of API and worker (telemetry/README.md), named as Prometheus asks: base units, `_total` at the end of
// counters. Labels have few values: slugs, entity types and our own words. No text of a farmer, an ERP or a customer
// becomes a label.

export const registry = new Registry();

const registers = [registry];

const counter = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
  new Counter({ name, help, labelNames, registers });

const gauge = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
  new Gauge({ name, help, labelNames, registers });

const histogram = <L extends string = never>(
  name: string,
  help: string,
  buckets: number[],
  labelNames: readonly L[] = [],
) => new Histogram({ name, help, buckets, labelNames, registers });

export const deliveriesClosed = counter(
  'gdx_deliveries_total',
  'Deliveries closed. status: delivered, failed, superseded or resized',
  ['channel', 'entity_type', 'status'],
);

export const deliveryRecords = counter(
  'gdx_delivery_records_total',
  'Records that customers have confirmed, counted when their delivery closes',
  ['channel', 'entity_type'],
);

export const deliveryDuration = histogram(
  'gdx_delivery_duration_seconds',
  'From the start of a delivery to its end, waits for the customer included',
  [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600],
  ['entity_type', 'status'],
);

export const attempts = counter(
  'gdx_attempts_total',
  'Pages that were posted. class: confirmed, or the failure that the answer counts as',
  ['class'],
);

export const attemptDuration = histogram(
  'gdx_attempt_duration_seconds',
  'From the beginning of a POST to the end of the customer’s answer, or to giving up on it',
  [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
);

export const changeConfirmed = histogram(
  'gdx_change_confirmed_seconds',
  'How long each change has waited until its customer confirmed it, less what the customer itself has kept it waiting; without resets, catch-ups, resends and pages that customers collect',
  [1, 5, 15, 60, 300, 900, 1_800, 3_900, 7_200, 14_400, 43_200, 86_700],
);

export const changesConfirmed = counter(
  'gdx_changes_confirmed_total',
  'Confirmed changes, counted as in gdx_change_confirmed_seconds. on_time: yes within the channel’s cadence and five minutes, else no',
  ['channel', 'on_time'],
);

export const changesLate = gauge(
  'gdx_changes_late',
  'Changes that have waited for longer than the channel’s cadence and five minutes, and not for its customer',
  ['channel', 'entity_type'],
);

export const freshness = gauge(
  'gdx_freshness_seconds',
  'How long the oldest change that an active channel’s customer has not confirmed has waited, of those that a plan has found; where no plan has come for two cadences, how long ago the last one was; 0: none waits',
  ['channel', 'entity_type'],
);

export const pendingRecords = gauge(
  'gdx_pending_records',
  'Records that a channel’s customer has not confirmed, as its last plan found them, catch-ups included; of a longer backlog the first 100,000',
  ['channel', 'entity_type'],
);

export const channelStates = gauge('gdx_channels', 'Channels. state: active or paused', ['state']);

export const alertsOpen = gauge(
  'gdx_alerts_open',
  'Open alerts. class: the failure, stale, codes, crowded, silent, set_aside or test',
  ['channel', 'class'],
);

export const mongodbUp = gauge(
  'gdx_mongodb_up',
  '1 when MongoDB answered the last time it was asked for these figures, else 0',
);

export const requestDuration = histogram(
  'http_server_request_duration_seconds',
  'Requests to the API. route: method and path of the table of routes, or unmatched; status: the HTTP status',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25],
  ['route', 'status'],
);

export const pushGroups = histogram(
  'gdx_push_group_pushes',
  'How many pushes were stored together in one transaction',
  [1, 2, 4, 8, 16, 32, 64],
);

export const pushedRecords = counter(
  'gdx_push_records_total',
  'Records of pushes that were stored. status: changed, or unchanged (nothing new to deliver)',
  ['status'],
);

export const signInCodes = counter(
  'gdx_sign_in_codes_total',
  'Codes for farmers. status: sent, failed, limited, withheld (too many to phones of no account) or impossible (no number to text); then right, wrong, over (expired, or tried too often), replaced (by the code of a later text) or barred (too many of the phone)',
  ['status'],
);

export const mongodbFailures = counter(
  'gdx_mongodb_failures_total',
  'Failed requests to MongoDB. kind: pool_cleared (a command met a closed connection or a primary that steps down), check_out (no connection was free in time) or heartbeat',
  ['kind'],
);

export const temporalFailures = counter(
  'gdx_temporal_failures_total',
  'Requests of our Temporal client that failed: no answer, refused or overloaded. Answers such as "not found" are not failures',
);

export const reconciledAt = gauge(
  'gdx_reconciled_timestamp_seconds',
  'When this worker last finished a round of the reconciler, in seconds since 1970; 0: not since it started',
);
