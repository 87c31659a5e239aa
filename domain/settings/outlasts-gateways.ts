import { MINUTE_MS } from '../time/spans';

/**
 * How long a connection without a request is kept that a gateway or a scraper holds. If it were closed earlier than by them, a request
 * would now and then go into a connection that is just closing, and be lost. nginx and AWS keep one for 60 s, Google for 600 s, Envoy for an hour.
 */
export const OUTLASTS_GATEWAYS_MS = 65 * MINUTE_MS;
