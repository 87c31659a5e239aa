import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { whyNotGenuine } from '../../docs/samples/verify-signature.cjs';
import { newSigning } from '../../store/channels/sent-secrets';
import { channelOwner } from '../../store/secrets/channel-seal';
import type { Store } from '../../store/store';
import { newSigningPair } from '../../store/callers/tokens';
import { openStore } from '../setup/open-store';
import { runTool } from '../setup/run-tool';
import { SAMPLE_LANGUAGES, V1A_LANGUAGES, verify } from './languages';
import { guidesPage, openMailbox, type Signed } from './mailbox';
import { startPoster, type Poster } from './start-poster';

// The first `go run` of a machine compiles the standard library.
jest.setTimeout(300_000);

// The other languages, and every change to a page in each, are for `npm run proof -- tools`; here the first.
const MOST = process.env.GDX_TIER === 'tools' ? undefined : 1;

const OLD = 'the signature fits, but webhook-timestamp is not of these 5 minutes';

const MEYER = { id: '1001', name: 'Meyer Farms & Søns', at: new Date('2026-11-21T08:00:00.000Z') };

let store: Store;
let mailbox: Awaited<ReturnType<typeof openMailbox>>;
let poster: Poster;
let page: Signed;

beforeAll(async () => {
  store = await openStore();
  mailbox = await openMailbox();
  poster = await startPoster(store, 'acme', mailbox.url);
});
beforeEach(async () => {
  await poster.post([MEYER]); // a page is good for five minutes
  page = mailbox.last();
});

/** The page while secret and key are being changed: the signature of the old one comes second. */
async function pageOfTwoSecrets(): Promise<{ newSecret: string; newKey: string; both: Signed }> {
  const {
    signing,
    signingSecret: newSecret,
    publicKey: newKey,
  } = await newSigning(store, channelOwner(poster.channel));
  const old = { ...poster.channel.signing_secrets[0]!, expires_at: new Date(Date.now() + 60_000) };
  const signing_secrets = [signing, old];
  await poster.post([MEYER], { signing_secrets });
  return { newSecret, newKey, both: mailbox.last() };
}

const flipped = (bytes: Buffer, at: number) =>
  Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)));
const flippedText = (text: string, at: number) => flipped(Buffer.from(text), at).toString('latin1');

/** The page with one byte changed, here and there. */
const changed = (): [string, Signed][] => [
  ['the body', { ...page, body: flipped(page.body, page.body.length >> 1) }],
  ['the id', { ...page, id: flippedText(page.id, page.id.length - 1) }],
  ['the timestamp', { ...page, timestamp: flippedText(page.timestamp, page.timestamp.length - 1) }],
  ['the signature', { ...page, signature: flippedText(page.signature, 'v1,'.length + 9) }],
];

describe.each(SAMPLE_LANGUAGES.slice(0, MOST))('$name', (language) => {
  beforeAll(() => void runTool(language.probe, { install: `${language.name} is needed to run its sample` }));

  test('takes a real page, and one of two secrets under either of them', async () => {
    expect(verify(language, poster.signingSecret, page)).toEqual({ said: 'genuine', exitCode: 0 });
    const { newSecret, both } = await pageOfTwoSecrets();
    expect(both.signature).toMatch(/^(?:v1,\S{44} ){2}v1a,\S{88} v1a,\S{88}$/);
    for (const secret of [newSecret, poster.signingSecret]) {
      expect(verify(language, secret, both).said).toBe('genuine');
    }
  });

  test('refuses it with one byte changed', () => {
    for (const [what, wrong] of changed().slice(0, MOST)) {
      const seen = { what, ...verify(language, poster.signingSecret, wrong) };
      expect(seen).toEqual({ what, said: 'no signature fits', exitCode: 1 });
    }
  });

  test('refuses an old one, another secret, none and one that is cut off', () => {
    const old = guidesPage();
    expect(verify(language, old.secret, old.page)).toEqual({ said: OLD, exitCode: 1 });
    const other = `whsec_${randomBytes(32).toString('base64')}`;
    expect(verify(language, other, page)).toEqual({ said: 'no signature fits', exitCode: 1 });
    const refused = { said: 'the signing secret is missing or cut off', exitCode: 1 };
    for (const wrong of ['', 'whsec_', poster.signingSecret.slice(0, 20), 'whsec_%%%'])
      expect(verify(language, wrong, page)).toEqual(refused);
  });

  test('says how it is called', () => {
    const [program, ...args] = language.run;
    const { stdout, status } = spawnSync(program, args, { encoding: 'utf8', input: '' });
    expect(stdout).toMatch(/^usage: .*<webhook-id>/);
    expect([1, 2]).toContain(status); // `go run` ends with 1, whatever its program ends with
  });
});

describe.each(V1A_LANGUAGES.slice(0, MOST))('$name', (language) => {
  beforeAll(() => void runTool(language.probe, { install: `${language.name} is needed to run its sample` }));

  test('takes a real page by the public key, and one of two pairs under either', async () => {
    expect(verify(language, poster.publicKey, page)).toEqual({ said: 'genuine', exitCode: 0 });
    const { newKey, both } = await pageOfTwoSecrets();
    for (const key of [newKey, poster.publicKey]) expect(verify(language, key, both).said).toBe('genuine');
  });

  test('refuses it with one byte changed, under another key, old, and signed by the secret alone', () => {
    const { publicKey } = poster;
    for (const [what, wrong] of changed().slice(0, MOST)) {
      const signature = wrong.signature.replace(/(v1a,.)./, (text, start) =>
        what === 'the signature' ? `${start}${text.endsWith('A') ? 'B' : 'A'}` : text,
      );
      const seen = { what, ...verify(language, publicKey, { ...wrong, signature }) };
      expect(seen).toEqual({ what, said: 'no signature fits', exitCode: 1 });
    }
    const other = newSigningPair().publicKey;
    expect(verify(language, other, page).said).toBe('no signature fits');
    const old = guidesPage();
    expect(verify(language, old.publicKey, old.page)).toEqual({ said: OLD, exitCode: 1 });
    const alone = { ...page, signature: page.signature.split(' ')[0]! };
    expect(verify(language, publicKey, alone).said).toBe('no signature fits');
  });
});

test('a receiver that knows v1 only goes on as before', () => {
  const headers = {
    'webhook-id': page.id,
    'webhook-timestamp': page.timestamp,
    'webhook-signature': page.signature,
  };
  expect(page.signature).toContain(' v1a,');
  expect(() => new Webhook(poster.signingSecret).verify(page.body, headers)).not.toThrow();
});

describe('in detail', () => {
  const ask = ({ body, ...headers }: Signed, secret = poster.signingSecret, now?: number) =>
    whyNotGenuine(secret, headers, body, now);

  test('every byte of the signature and of the body counts', () => {
    const [v1 = ''] = page.signature.split(' ');
    for (let at = 0; at < v1.length; at++) {
      expect(ask({ ...page, signature: flippedText(v1, at) })).toBeDefined();
    }
    for (let at = 0; at < page.body.length; at++) {
      expect(ask({ ...page, body: flipped(page.body, at) })).toBeDefined();
    }
    expect(ask(page)).toBeUndefined();
  });

  test('nor does it take a body cut short, another version or no signature', () => {
    for (const wrong of [
      { ...page, body: page.body.subarray(0, -1) },
      { ...page, signature: page.signature.replace('v1,', 'v2,') },
      { ...page, signature: '' },
    ]) {
      expect(ask(wrong)).toBe('no signature fits');
    }
    expect(ask({ ...page, timestamp: 'now' })).toMatch(/no number/);
    const unsigned = { id: undefined, timestamp: undefined, signature: undefined } as never;
    expect(whyNotGenuine(poster.signingSecret, unsigned, page.body)).toMatch(/no number/);
    const { id, timestamp } = page;
    const without = { id, timestamp, signature: undefined } as never;
    expect(whyNotGenuine(poster.signingSecret, without, page.body)).toBe('no signature fits');
  });

  test('five minutes are tolerated to both sides, and no more', () => {
    const sent = Number(page.timestamp);
    expect([-300, 300].map((late) => ask(page, undefined, sent + late))).toEqual([undefined, undefined]);
    for (const late of [-301, 301]) expect(ask(page, undefined, sent + late)).toBe(OLD);
  });

  test('a packed page is signed as it is sent', async () => {
    await poster.post([MEYER], { gzip: true });
    expect(mailbox.last().body.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(ask(mailbox.last())).toBeUndefined();
  });
});
