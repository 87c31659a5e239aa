import { Agent } from 'undici';
import type { OutboundRule } from '../domain/settings/denied-address';
import { overInterimAnswers } from './interim-answers';
import { type Guard, guardedConnector } from './guarded-connector';

/** Limits of one request to a customer (docs/contract.md C12). */
export const CUSTOMER_LIMITS = {
  connectMs: 5_000,
  /** From before the connection is opened until the answer's headers have come. */
  requestMs: 30_000,
  headerBytes: 16 * 1024,
  /** Limits on reading a response body; beyond them its socket is destroyed. */
  drainMs: 1_000,
  drainBytes: 64 * 1024,
};
export type CustomerLimits = typeof CUSTOMER_LIMITS;

export interface AgentSettings extends Pick<Guard, 'rule' | 'ca' | 'resolver'> {
  limits?: Partial<CustomerLimits>;
  outboundProxy?: Guard['proxy'];
}

/** The connections of one process to its customers; the rule decides which addresses are allowed. */
export class CustomerAgent extends Agent {
  readonly rule: OutboundRule;
  readonly limits: CustomerLimits;

  constructor(private readonly settings: AgentSettings) {
    const limits = { ...CUSTOMER_LIMITS, ...settings.limits };
    super({
      connect: overInterimAnswers(
        guardedConnector({ ...settings, proxy: settings.outboundProxy, connectMs: limits.connectMs }),
      ),
      headersTimeout: limits.requestMs,
      bodyTimeout: limits.requestMs,
      maxHeaderSize: limits.headerBytes,
      keepAliveTimeout: 4_000,
      pipelining: 1,
    });
    this.rule = settings.rule;
    this.limits = limits;
  }

  /** An agent with the same settings and no connections. */
  fresh(): CustomerAgent {
    return new CustomerAgent(this.settings);
  }
}

export function createAgent(settings: AgentSettings): CustomerAgent {
  return new CustomerAgent(settings);
}
