import { type AgentSettings, type CustomerAgent, createAgent } from '../../outbound/create-agent';

/** As outside production: customers may be on loopback. */
export const LOOPBACK = { production: false, outboundAllow: [], outboundPorts: [] };

/** The connections to customers of a test. */
export function loopbackAgent(settings: Partial<AgentSettings> = {}): CustomerAgent {
  return createAgent({ rule: LOOPBACK, ...settings });
}
