/**
 * How docker-compose and Kubernetes start a worker. Node's default lets V8's young generation grow to 48 MB, which a worker that
 * delivers a backlog fills and never gives back (`npm run bench -- --only F5`). By its default for the old one, a quarter of the machine,
 * V8 lets garbage grow to several times what is alive; a worker needs 100 MB (`--only T3`).
 */
export const WORKER_NODE_OPTIONS = '--max-old-space-size=512 --max-semi-space-size=4';
