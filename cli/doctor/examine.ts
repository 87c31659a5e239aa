import type { Channel } from '../../store/channels';
import type { Connections } from '../connections';
import { explainError } from '../explain-error';
import { checkFeeds, checkSecrets, checkWorkflows } from './check-channels';
import { checkMongodb } from './check-mongodb';
import { checkSettings } from './check-settings';
import { checkTemporal } from './check-temporal';
import { fail, type Finding, ok, warn } from './finding';
import { reachCustomer } from './reach-customer';

const AT_ONCE = 20;
const PATIENCE_MS = 3_000;

/** Looks at every part, and goes on where one is away: what could not be looked at is said. */
export async function examine(connections: Connections): Promise<Finding[]> {
  const settings = await connections.settings();
  const [mongodb, temporal, api] = await Promise.all([
    examineMongodb(connections),
    examineTemporal(connections),
    examineApi(settings.publicUrl),
  ]);
  const { channels } = mongodb;
  return [
    ...checkSettings(settings),
    ...mongodb.findings,
    ...temporal,
    ...(channels ? await examineWorkflows(connections, channels) : []),
    api,
    ...(channels
      ? await reachCustomers(channels, settings)
      : [warn('channels', 'not looked at', 'start MongoDB first')]),
  ];
}

async function examineMongodb(
  connections: Connections,
): Promise<{ findings: Finding[]; channels?: Channel[] }> {
  try {
    const { listChannels } = await import('../../store/channels.js');
    const store = await connections.store();
    const findings = await checkMongodb(store);
    const channels = await listChannels(store);
    const secrets = await checkSecrets(store, channels);
    const feeds = await checkFeeds(store, channels, new Date());
    return { findings: [...findings, ...secrets, ...feeds], channels };
  } catch (error) {
    const { name } = error as Error;
    const silent = 'MongoDB does not answer in time; start it, or check MONGODB_URI';
    const { line = '' } = name === 'TimeoutError' ? { line: silent } : await explainError(error);
    return { findings: [fail('mongodb', ...halves(line))] };
  }
}

// "what is wrong; what to do"
function halves(line: string): [string, string] {
  const at = line.lastIndexOf('; ');
  return [line.slice(0, at), line.slice(at + 2)];
}

async function examineTemporal(connections: Connections): Promise<Finding[]> {
  const { temporalAddress, temporalNamespace } = await connections.settings();
  try {
    const [bell, inspector] = [await connections.bell(), await connections.inspector()];
    return await checkTemporal(bell, inspector, temporalNamespace);
  } catch (error) {
    const finding = `${temporalAddress} does not answer (${(error as Error).message})`;
    return [
      fail('temporal', finding, 'start it, or check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TEMPORAL_TLS*'),
    ];
  }
}

async function examineWorkflows(connections: Connections, channels: Channel[]): Promise<Finding[]> {
  try {
    return await checkWorkflows(await connections.bell(), channels);
  } catch {
    return [warn('workflows', 'not looked at', 'start Temporal first')];
  }
}

async function examineApi(publicUrl: string): Promise<Finding> {
  try {
    const answer = await fetch(`${publicUrl}/readyz`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.ok) return ok('api', `ready at ${publicUrl}`);
    return fail('api', `${publicUrl}/readyz answers ${answer.status}`, 'its body says which part is down');
  } catch {
    return fail('api', `${publicUrl} does not answer`, 'start the API, or check GDX_PUBLIC_URL');
  }
}

async function reachCustomers(
  channels: Channel[],
  settings: Parameters<typeof reachCustomer>[1],
): Promise<Finding[]> {
  const active = channels.filter(({ state }) => state === 'active');
  const findings: Finding[] = [];
  for (let from = 0; from < active.length; from += AT_ONCE) {
    const some = active.slice(from, from + AT_ONCE);
    findings.push(...(await Promise.all(some.map((channel) => reachCustomer(channel, settings)))));
  }
  return findings;
}
