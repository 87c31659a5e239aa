import { closeAtEnd } from './close-at-end';
import { type AgentSettings, type CustomerAgent, createAgent } from '../../outbound/create-agent';

/** As outside production: customers may be on loopback. */
export const LOOPBACK = { production: false, outboundAllow: [], outboundPorts: [] };

/** The connections to customers of a test. */
export function loopbackAgent(settings: Partial<AgentSettings> = {}): CustomerAgent {
  const agent = createAgent({ rule: LOOPBACK, ...settings });
  closeAtEnd(() => agent.destroy());
  return agent;
}
