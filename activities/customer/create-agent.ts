import { Agent } from 'undici';
import type { OutboundRule } from '../../domain/denied-address';
import { guardedConnector, type Resolver } from './guarded-connector';

/** How much a customer gets of us (delivery, "Connecting"). */
export const LIMITS = {
  connectMs: 5_000,
  /** From the first byte of the connection to the last of the answer's headers. */
  requestMs: 30_000,
  headerBytes: 16 * 1024,
  /** What is read of an answer's body before its socket is destroyed. */
  drainMs: 1_000,
  drainBytes: 64 * 1024,
};
export type Limits = typeof LIMITS;

export interface AgentSettings {
  rule: OutboundRule;
  limits?: Partial<Limits>;
  /** Instead of the system's, for tests. */
  resolver?: Resolver;
  /** Instead of the system's certificate authorities, for tests. */
  ca?: string;
}

/** The connections to customers of one process: none of them leads where the rule forbids. */
export class CustomerAgent extends Agent {
  readonly rule: OutboundRule;
  readonly limits: Limits;

  constructor(private readonly settings: AgentSettings) {
    const limits = { ...LIMITS, ...settings.limits };
    super({
      connect: guardedConnector({ ...settings, connectMs: limits.connectMs }),
      headersTimeout: limits.requestMs,
      bodyTimeout: limits.requestMs,
      maxHeaderSize: limits.headerBytes,
      keepAliveTimeout: 4_000,
      pipelining: 1,
    });
    this.rule = settings.rule;
    this.limits = limits;
  }

  /** An agent that has no connection yet. */
  fresh(): CustomerAgent {
    return new CustomerAgent(this.settings);
  }
}

export function createAgent(settings: AgentSettings): CustomerAgent {
  return new CustomerAgent(settings);
}
