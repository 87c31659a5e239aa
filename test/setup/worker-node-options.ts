/**
 * How docker-compose and Kubernetes start a worker. Node's default lets V8's young generation grow to 48 MB, which a worker that
 * delivers a backlog fills and never gives back (`npm run bench -- --only F5`).
 */
export const WORKER_NODE_OPTIONS = '--max-semi-space-size=4';
