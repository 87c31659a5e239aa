/**
 * How docker-compose and Kubernetes start a worker. Node's default lets V8's young generation grow to 48 MB, which a worker that
 * delivers a backlog fills and never gives back (`npm run bench -- --only F5`). By the size of the old one V8 sets how much garbage may
 * come to what lives: below 2 GB less than as much, so that the bytes of six pages in flight have it searched for garbage
 * (docs/decisions/0033). A worker needs 100 MB of it (`--only T3`).
 */
export const WORKER_NODE_OPTIONS = '--max-old-space-size=2048 --max-semi-space-size=4';
