import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { request } from 'undici';
import type { ProviderSettings } from '../../domain/settings/operators-provider';
import { serveHere } from '../setup/serve-here';

const OPS_URL = 'http://ops.example';

export type SignInProvider = Awaited<ReturnType<typeof startProvider>>;

/** A real OpenID Connect provider on this machine, at which whoever comes is the person that it was last told. */
export async function startProvider() {
  // It warns of Node 20, and that it forgets all at its end.
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { Provider } = await import('oidc-provider');
  let answer: RequestListener = () => undefined;
  const server = createServer((asked, response) => answer(asked, response));
  const { port, url: issuer, stop } = await serveHere(server);
  const [client_id, client_secret] = ['gdx', randomUUID()];
  const people = new Map<string, Record<string, unknown>>();
  const one = { person: '', slowMs: 0, refuses: false };

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id, client_secret, redirect_uris: [`${OPS_URL}/ops/sign-in/from-provider`] },
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [privateKey.export({ format: 'jwk' })] },
    cookies: { keys: [randomUUID()] },
    claims: { openid: ['sub'], email: ['email'], groups: ['groups'] },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    features: { devInteractions: { enabled: false } },
    findAccount: async (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...people.get(sub) }),
    }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  });
  warn.mockRestore();
  provider.use(async (ctx, next) => {
    if (ctx.path === '/token') return withSlowClock(one.slowMs, next);
    if (!ctx.path.startsWith('/interaction/')) return next();
    const { params } = await provider.interactionDetails(ctx.req, ctx.res);
    const grant = new provider.Grant({ accountId: one.person, clientId: client_id });
    grant.addOIDCScope(String(params['scope']));
    const result = one.refuses
      ? { error: 'access_denied' }
      : { login: { accountId: one.person }, consent: { grantId: await grant.save() } };
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result));
  });
  answer = provider.callback();

  const settings: ProviderSettings = {
    ...{ issuer, clientId: client_id, clientSecret: client_secret, opsUrl: OPS_URL },
    ...{ scopes: 'openid email groups', groupsClaim: 'groups' },
    ...{ operateGroups: ['grain-operators'], readGroups: ['grain-readers'] },
  };

  return {
    settings,
    /** Who comes next, and what the provider does. */
    be(person: string, claims: Record<string, unknown>, how: { slowMs?: number; refuses?: boolean } = {}) {
      people.set(person, claims);
      Object.assign(one, { person, slowMs: 0, refuses: false }, how);
    },
    /** A browser goes where the API has sent it. @returns where it is led back to, without the host */
    async visit(address: string): Promise<string> {
      const cookies = new Map<string, string>();
      for (let at = address; ;) {
        const { headers, body } = await request(at, {
          headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
          reset: true,
        });
        await body.dump();
        for (const set of [headers['set-cookie'] ?? []].flat()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
          cookies.set(name!, value!);
        }
        at = new URL(String(headers['location']), at).href;
        if (at.startsWith(OPS_URL)) return at.slice(OPS_URL.length);
      }
    },
    stop,
    /** What follows in its file finds it again. */
    startAgain: () => serveHere(server, '127.0.0.1', 'file', port),
  };
}

/** Nobody else looks at the time meanwhile: the API waits for the answer. */
async function withSlowClock(slowMs: number, next: () => Promise<unknown>): Promise<void> {
  const { now } = Date;
  Date.now = () => now() - slowMs;
  try {
    await next();
  } finally {
    Date.now = now;
  }
}
