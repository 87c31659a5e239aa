import { timeNow } from '../../domain/time/elapsed';
import { release } from 'node:os';
import { withoutEndSlashes } from '../../domain/text/without-end-slashes';
import type { OutboundRule } from '../../domain/settings/denied-address';
import { type Channel, listChannels } from '../../store/channels/channels';
import type { Connections, Settings } from '../connections';
import { explainError } from '../../client/explain-error';
import { explainStoreError } from '../explain-store-error';
import { checkAccess, checkLinks, checkPausedCodes, checkPurposes } from './check-access';
import { checkFeeds, checkSecrets, checkWorkflows } from './check-channels';
import { checkKernel } from './check-kernel';
import { checkMongodb } from './check-mongodb';
import { checkSettings } from './check-settings';
import { checkTemporal } from './check-temporal';
import { checkZones } from './check-zones';
import { fail, type DoctorFinding, ok, warn } from './doctor-finding';
import { reachCustomer } from './reach-customer';

const AT_ONCE = 20;
const TIMEOUT_MS = 3_000;

/** Checks every part. A part that is unavailable does not stop the others; skipped checks are listed. */
export async function examine(connections: Connections): Promise<DoctorFinding[]> {
  const settings = await connections.settings();
  const [mongodb, temporal, api] = await Promise.all([
    examineMongodb(connections),
    examineTemporal(connections),
    examinePublic(settings),
  ]);
  const { channels } = mongodb;
  return [
    ...checkSettings(settings),
    ...checkKernel(process.platform, release()),
    ...mongodb.findings,
    ...temporal,
    ...(channels ? await examineWorkflows(connections, channels) : []),
    ...api,
    ...(channels
      ? await reachCustomers(channels, settings)
      : [warn('channels', 'not looked at', 'start MongoDB first')]),
  ];
}

async function examineMongodb(
  connections: Connections,
): Promise<{ findings: DoctorFinding[]; channels?: Channel[] }> {
  try {
    const store = await connections.store();
    const findings = await checkMongodb(store);
    const channels = await listChannels(store);
    const secrets = await checkSecrets(store, channels);
    const feeds = await checkFeeds(store, channels, timeNow());
    const access = await checkAccess(store, channels, timeNow());
    const paused = await checkPausedCodes(store);
    const zones = await checkZones(store);
    const { production } = await connections.settings();
    const links = production ? [...(await checkLinks(store, channels)), ...checkPurposes(channels)] : [];
    return {
      findings: [...findings, ...secrets, ...access, ...paused, ...zones, ...links, ...feeds],
      channels,
    };
  } catch (error) {
    const { name } = error as Error;
    const silent = 'MongoDB does not answer in time; start it, or check MONGODB_URI';
    const { line = '' } =
      name === 'TimeoutError'
        ? { line: silent }
        : await explainError(error, async (thrown) => explainStoreError(thrown));
    return { findings: [fail('mongodb', ...halves(line))] };
  }
}

// "problem; advice"
function halves(line: string): [string, string] {
  const at = line.lastIndexOf('; ');
  return [line.slice(0, at), line.slice(at + 2)];
}

async function examineTemporal(connections: Connections): Promise<DoctorFinding[]> {
  const { temporalAddress, temporalNamespace } = await connections.settings();
  try {
    const [temporal, inspector] = [await connections.temporal(), await connections.inspector()];
    return await checkTemporal(temporal, inspector, temporalNamespace);
  } catch (error) {
    const finding = `${temporalAddress} does not answer (${(error as Error).message})`;
    return [
      fail('temporal', finding, 'start it, or check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and TEMPORAL_TLS*'),
    ];
  }
}

async function examineWorkflows(connections: Connections, channels: Channel[]): Promise<DoctorFinding[]> {
  try {
    return await checkWorkflows(await connections.temporal(), channels);
  } catch {
    return [warn('workflows', 'not looked at', 'start Temporal first')];
  }
}

type Public = Pick<Settings, 'publicUrl' | 'production' | 'trustedProxies'>;

/** The API, and the gateway before it where there is to be one. */
async function examinePublic({ publicUrl, production, trustedProxies }: Public): Promise<DoctorFinding[]> {
  const api = await examineApi(publicUrl);
  if (api.status !== 'ok' || !(production || trustedProxies > 0)) return [api];
  const { checkGateway } = await import('./check-gateway.js');
  return [api, await checkGateway(withoutEndSlashes(publicUrl))];
}

async function examineApi(publicUrl: string): Promise<DoctorFinding> {
  try {
    const base = withoutEndSlashes(publicUrl);
    const { statusOf } = await import('../../outbound/send-request.js');
    const ask = (path: string) => statusOf(base + path, TIMEOUT_MS);
    const status = await ask('/readyz');
    if (status === 200) return ok('api', `ready at ${publicUrl}`);
    // The public address may not serve /readyz (docs/deploy.md). Then /livez shows whether the API is there.
    if (status === 404 && (await ask('/livez')) === 200) return ok('api', `serves ${publicUrl}`);
    if (status >= 300 && status < 400)
      return fail(
        'api',
        `${base} redirects (${status})`,
        'set GDX_PUBLIC_URL to where it leads: no push goes there',
      );
    return fail('api', `${base}/readyz answers ${status}`, 'its body says which part is down');
  } catch {
    return fail('api', `${publicUrl} does not answer`, 'start the API, or check GDX_PUBLIC_URL');
  }
}

async function reachCustomers(
  channels: Channel[],
  settings: OutboundRule & { outboundProxy: URL | undefined },
): Promise<DoctorFinding[]> {
  const guard = { rule: settings, proxy: settings.outboundProxy };
  const active = channels.filter(({ state }) => state === 'active');
  const findings: DoctorFinding[] = [];
  for (let from = 0; from < active.length; from += AT_ONCE) {
    const some = active.slice(from, from + AT_ONCE);
    findings.push(...(await Promise.all(some.map((channel) => reachCustomer(channel, guard)))));
  }
  return findings;
}
