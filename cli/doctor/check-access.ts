import { listIntegrations } from '../../store/callers/integrations';
import type { Access } from '../../domain/settings/access';
import type { Channel } from '../../store/channels/channels';
import { SHARING_CODES } from '../../store/codes/code-activity';
import { listPausedCodes } from '../../store/codes/paused-codes';
import { signedChannels } from '../../store/secrets/link-keys';
import type { Store } from '../../store/store';
import { formatCell } from '../../client/print';
import { fail, type DoctorFinding, ok, warn } from './doctor-finding';
import { DAY_MS } from '../../domain/time/spans';

const SOON_MS = 14 * DAY_MS;

/** Access that ends within two weeks, or has ended. */
export async function checkAccess(store: Store, channels: Channel[], now: Date): Promise<DoctorFinding[]> {
  const holders = [
    ...(await listIntegrations(store)).map(({ _id, name, company, access }) => ({
      who: `the tokens of ${name} of ${company.name}`,
      access,
      set: `integration set ${_id}`,
    })),
    ...channels.map(({ _id, key_access: access }) => ({
      who: `the API keys of ${_id}`,
      access,
      set: `channel set-key ${_id}`,
    })),
  ];
  const findings = holders.flatMap(({ who, access, set }) => findingOf(who, access, set, now) ?? []);
  return findings.length > 0 ? findings : [ok('access', 'no token or key ends within two weeks')];
}

/** Channels that take unsigned links, which anybody can make. */
export async function checkLinks(store: Store, channels: Channel[]): Promise<DoctorFinding[]> {
  const subscribed = channels.flatMap(({ _id, scope }) => (scope === 'subscribed' ? _id : []));
  const signed = await signedChannels(store, subscribed);
  return subscribed
    .filter((slug) => !signed.has(slug))
    .map((slug) =>
      warn(
        'links',
        `those of ${slug} to farmers are unsigned: anybody can make them`,
        `\`gdx channel link-key ${slug}\` once the customer can sign`,
      ),
    );
}

/** Whose codes an operator has paused. */
export async function checkPausedCodes(store: Store): Promise<DoctorFinding[]> {
  return (await listPausedCodes(store)).map(({ _id, at, by }) => {
    const [whose, who, named] =
      _id === SHARING_CODES
        ? ['/sharing', 'farmers', '--sharing']
        : [`the links of ${_id}`, 'its farmers', _id];
    return warn(
      'codes',
      `codes of ${whose} are paused since ${formatCell(at)}, by ${by}: ${who} get in only in browsers that they have used before`,
      `\`gdx codes resume ${named}\``,
    );
  });
}

/** Channels whose farmers do not read what their records are for. */
export const checkPurposes = (channels: Channel[]): DoctorFinding[] =>
  channels
    .filter(({ scope, purpose, passes_on }) => scope === 'subscribed' && !(purpose && passes_on))
    .map(({ _id }) =>
      warn(
        'purpose',
        `farmers do not read what ${_id} gets their records for`,
        `\`gdx channel set ${_id} --purpose en=... --purpose es=... --passes-on nobody\`, as the customer says it`,
      ),
    );

function findingOf(who: string, { expires_at }: Access = {}, set: string, now: Date) {
  if (!expires_at || expires_at.getTime() > now.getTime() + SOON_MS) return undefined;
  const fix = `\`gdx ${set} --expires 90d\`, or never`;
  if (expires_at <= now) return fail('access', `${who} ended at ${formatCell(expires_at)}`, fix);
  return warn('access', `${who} end at ${formatCell(expires_at)}`, fix);
}
