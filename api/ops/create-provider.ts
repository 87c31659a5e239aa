import { createHmac } from 'node:crypto';
import type { Claims, ProviderSettings } from '../../domain/settings/operators-provider';
import { HOUR_MS } from '../../domain/time/spans';
import { withoutEndSlashes } from '../../domain/text/without-end-slashes';
import { drain, sendRequest, wordFor } from '../../outbound/send-request';
import { type OperatorsProvider, ProviderAway, SignInRefused } from '../channel/operators-provider';
import { OPS } from './paths';

// The library is an ES module, which CommonJS can only import asynchronously.
const library = () => import('openid-client');
type Library = Awaited<ReturnType<typeof library>>;
type Configuration = InstanceType<Library['Configuration']>;
type Fetch = NonNullable<NonNullable<Parameters<Library['discovery']>[4]>[Library['customFetch']]>;

const TIMEOUT_MS = 5_000;
const ANSWER = { drainMs: TIMEOUT_MS, drainBytes: 256 * 1024 };
const HASH_LENGTH = 43;

/** The provider at which operators sign in. Its addresses are looked up at sign-in, at most once an hour. */
export function createProvider(settings: ProviderSettings): OperatorsProvider {
  const redirectUri = `${withoutEndSlashes(settings.opsUrl)}${OPS.fromProvider}`;
  const known = keptFor(HOUR_MS, () => discover(settings));
  return {
    name: new URL(settings.issuer).host,
    settings,
    async begin(secret, to) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
      const asked = {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state: stateOf(secret, to),
        nonce: derived(secret, 'nonce'),
        code_challenge: await calculatePKCECodeChallenge(derived(secret, 'verifier')),
        code_challenge_method: 'S256',
      };
      return buildAuthorizationUrl(await known(), asked).href;
    },
    async finish(secret, query) {
      const expectedState = new URLSearchParams(query).get('state') ?? '';
      const to = expectedState.slice(HASH_LENGTH);
      if (expectedState !== stateOf(secret, to)) throw new SignInRefused('state');
      const url = new URL(redirectUri);
      url.search = query;
      return { to, claims: await claimsOf(await known(), settings, { secret, url, expectedState }) };
    },
  };
}

/** The browser keeps one secret. State, nonce and code verifier are derived from it, so nothing is stored here. */
const derived = (secret: string, what: string) =>
  createHmac('sha256', secret).update(what).digest('base64url');

const stateOf = (secret: string, to: string) => `${derived(secret, `state ${to}`)}${to}`;

async function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Configuration> {
  const oidc = await library();
  const url = new URL(issuer);
  // Never in production, where the issuer is https.
  const insecure = url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  try {
    return await oidc.discovery(url, clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
      [oidc.customFetch]: fetchInTime,
      execute: [oidc.enableNonRepudiationChecks, ...insecure],
    });
  } catch (error) {
    throw awayOf(error) ?? new ProviderAway(codeOf(error));
  }
}

async function claimsOf(
  config: Configuration,
  { groupsClaim }: ProviderSettings,
  { secret, url, expectedState }: { secret: string; url: URL; expectedState: string },
): Promise<Claims> {
  const { authorizationCodeGrant, fetchUserInfo } = await library();
  try {
    const tokens = await authorizationCodeGrant(config, url, {
      pkceCodeVerifier: derived(secret, 'verifier'),
      expectedNonce: derived(secret, 'nonce'),
      expectedState,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    if (groupsClaim in claims || !config.serverMetadata().userinfo_endpoint) return claims;
    return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
  } catch (error) {
    throw awayOf(error) ?? new SignInRefused(codeOf(error));
  }
}

/**
 * Sends a request of the library as all others go out, with limits of time and size for the answer.
 * @throws ProviderAway
 */
const fetchInTime: Fetch = async (url, { method, headers, body }) => {
  const asked = { method: method as 'GET' | 'POST', headers, signal: AbortSignal.timeout(TIMEOUT_MS) };
  try {
    const answer = await sendRequest(url, { ...asked, ...(body != null && { body: String(body) }) });
    const bytes = await drain(answer.body, ANSWER);
    if (answer.status >= 500) throw new ProviderAway(`answered ${answer.status}`);
    return new Response(new Uint8Array(bytes), { status: answer.status, headers: answer.headers });
  } catch (error) {
    throw error instanceof ProviderAway ? error : new ProviderAway(wordFor(error));
  }
};

function awayOf(error: unknown): ProviderAway | undefined {
  if (error instanceof ProviderAway) return error;
  return error instanceof Error && error.cause ? awayOf(error.cause) : undefined;
}

/** The code of an error, for the log. Its message may quote the answer, so it is not used. */
function codeOf(error: unknown): string {
  const { code, error: said } = error as { code?: unknown; error?: unknown };
  return (
    ([said, code].find((word) => typeof word === 'string' && /^\w{1,60}$/.test(word)) as string) ?? 'unknown'
  );
}

/** Caches what `make` returns for `ms`, unless it fails. */
function keptFor<T>(ms: number, make: () => Promise<T>): () => Promise<T> {
  let kept: { made: Promise<T>; until: number } | undefined;
  return () => {
    if (kept && kept.until > performance.now()) return kept.made;
    const one = { made: make(), until: performance.now() + ms };
    one.made.catch(() => (kept = kept === one ? undefined : kept));
    kept = one;
    return one.made;
  };
}
