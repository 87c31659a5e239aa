import { Agent } from 'undici';

/** The connections to customers of one process (delivery, "Connecting"). */
export function createAgent(): Agent {
  return new Agent({
    connect: { timeout: 5_000 },
    headersTimeout: 30_000,
    bodyTimeout: 5_000,
    maxHeaderSize: 16 * 1024,
    keepAliveTimeout: 4_000,
    pipelining: 1,
  });
}
