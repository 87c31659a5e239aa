/**
 * How docker-compose and Kubernetes start a worker. Node's default lets V8's young generation grow to 48 MB, which a worker that
 * delivers a backlog fills and never gives back (`npm run bench -- --only F5`). The smaller the old
 * one may become, the less garbage V8 lets come to what lives: with 512 MB the bytes of six pages are enough for a search of the whole heap
 * (docs/decisions/0033). A worker needs 100 MB of it (`--only T3`).
 */
export const WORKER_NODE_OPTIONS = '--max-old-space-size=2048 --max-semi-space-size=4';
