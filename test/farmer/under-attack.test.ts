import { watchCodes } from '../../activities/watch';
import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { countGuess } from '../../api/limits/code-limits';
import { addressKey } from '../../api/limits/rate-limit';
import { signLink } from '../../domain/consent/link-signature';
import { listAlerts } from '../../store/alerts/alerts';
import { countAttempt } from '../../store/codes/attempt-counts';
import { SHARING_CODES } from '../../store/codes/code-activity';
import { pauseCodes, resumeCodes } from '../../store/codes/paused-codes';
import { rememberDevice } from '../../store/sessions/device-tokens';
import { newLinkKey } from '../../store/secrets/link-keys';
import { otherThan } from './guess';
import {
  accountsOf,
  addFarmersChannel,
  type Farmers,
  linkTo,
  PHONE,
  pushAccounts,
  startFarmers,
} from './start-farmers';
import { csrfOf, Visitor } from './visitor';

let farmers: Farmers;
let keyOfSigned: string;
beforeAll(async () => {
  farmers = await startFarmers({ farmer: { trustedProxies: 1 } });
  await addFarmersChannel(farmers, 'lender', { name: 'Signed Lender' });
  keyOfSigned = (await newLinkKey(farmers.store, 'lender', 0)).linkKey;
  await pushAccounts(farmers, accountsOf(PHONE, 1)); // codes to listed phones alone are always sent
});
beforeEach(async () => {
  await farmers.forgetAttempts();
  await farmers.store.db.collection('code_activity').deleteMany({});
});

const OTHERS = (index: number) => `701555${String(1_000 + index)}`;
const COMPARED = 'That code is not right';

/** A browser at an address of its own. */
const from = (address: string) => new Visitor(farmers.port, { 'x-forwarded-for': address });

function signedLink(phone = PHONE): string {
  const expires = String(Math.floor(Date.now() / 1_000) + 3_600);
  const parts = {
    ...{ callback_url: 'https://acme.example/back', display_name: 'Lender', partner_id: 'LOAN-B' },
    ...{ partner_slug: 'lender', phone, expires },
  };
  return linkTo({ ...parts, signature: signLink(keyOfSigned, parts)! });
}

/** Asks for a code to each of so many phones and enters five wrong ones. @returns how many were compared */
async function attack(
  phones: number,
  open: (phone: string) => string,
  address = (index: number) => `198.51.100.${index}`,
) {
  let compared = 0;
  for (let index = 0; index < phones; index++) {
    const visitor = from(address(index));
    await visitor.get(open(OTHERS(index)));
    await visitor.submit({ phone: OTHERS(index) });
    const code = farmers.sender.codeFor(OTHERS(index));
    for (let time = 0; time < 5; time++) {
      await visitor.submit({ code: otherThan(code) });
      if (visitor.text.includes(COMPARED)) compared += 1;
    }
  }
  return compared;
}
const byLink = (phone: string) => linkTo({ phone });

async function enters(visitor: Visitor, link: string, phone = PHONE) {
  await visitor.get(link);
  await visitor.submit({ phone });
  const code = farmers.sender.codeFor(phone);
  await visitor.submit({ code });
  return { at: visitor.at, digits: code.length };
}

describe('wrong codes at many phones', () => {
  test('end with 100 of six digits compared in an hour: then codes have eight, and an honest farmer gets in', async () => {
    const waiting = from('203.0.113.7'); // their code of six digits came before
    await waiting.get(linkTo());
    await waiting.submit({});
    const before = farmers.sender.codeFor(PHONE);
    const own = await farmers.verified({ phone: '7015550188' });
    expect(await attack(20, byLink)).toBe(100);
    await waiting.submit({ code: before });
    expect(waiting.text).toContain('That code no longer works');
    await farmers.store.db.collection('sign_in_codes').updateMany({}, { $set: { sent_at: new Date(0) } });
    await waiting.submit({ do: 'resend' });
    expect(waiting.text).toContain('a text with an 8-digit code');
    await waiting.submit({ code: '123456' });
    expect(waiting.text).toContain('Enter the 8 digits of the code');
    await waiting.submit({ code: before });
    expect(waiting.text).toContain('That code was replaced');
    const long = farmers.sender.codeFor(PHONE);
    const twins = [waiting.twin(), waiting.twin()];
    await Promise.all(twins.map((twin) => twin.submit({ code: Array.from(long).join(' ') })));
    expect(twins.map(({ at }) => at)).toEqual(Array(2).fill('200 /subscriptions/accounts'));
    expect(await enters(own, linkTo({ phone: '7015550188' }), '7015550188')).toMatchObject({
      at: '200 /subscriptions/accounts',
    });
    expect(await enters(from('203.0.113.9'), signedLink())).toEqual({
      at: '200 /subscriptions/accounts',
      digits: 6,
    });
    await whenAllIsDone();
    await watchCodes(farmers.store, [{ _id: 'acme', what: 'Links of Acme' }], [], new Date());
    const alerts = await listAlerts(farmers.store, { channel: 'acme' });
    expect(alerts.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Links of Acme: \d+ codes of six digits .* eight, .*; gdx codes pause acme/),
    ]);
  });

  test('of one address end with 50 of six digits in an hour: codes there have eight; elsewhere and by signed links six', async () => {
    const crowded = '198.51.100.1';
    expect(await attack(11, byLink, () => crowded)).toBe(50);
    const seen = [
      await enters(from(crowded), signedLink()),
      await enters(from(crowded), linkTo()),
      await enters(from('203.0.113.9'), linkTo()),
    ];
    expect(seen).toEqual([6, 8, 6].map((digits) => ({ at: '200 /subscriptions/accounts', digits })));
  });

  test('of eight digits at one address have a count of their own', async () => {
    const asking = {
      phone: PHONE,
      address: '198.51.100.2',
      channel: 'acme',
      device: undefined,
      signed: false,
    };
    for (let time = 0; time < 50; time++)
      expect(await countGuess(farmers.store, { ...asking, phone: OTHERS(time) }, 8)).toBe('counted');
    expect(await enters(from(asking.address), linkTo())).toMatchObject({ digits: 6 });
  });

  test('that were right in the end count for nobody else', async () => {
    for (let index = 0; index < 3; index++) await enters(from('203.0.113.9'), linkTo());
    const counts = await farmers.store.db.collection('attempt_counts').find().toArray();
    expect(counts.filter(({ points }) => points === 0)).toHaveLength(5);
  });
});

test('codes that nobody enters have an end in an hour and a day, beside which signed links and known browsers go on', async () => {
  const own = await farmers.verified();
  await countAttempt(farmers.store, 'unanswered/open', { limit: 1_000, windowMs: 3_600_000 }, 997);
  const before = farmers.sender.tried;
  for (let index = 0; index < 6; index++) {
    const visitor = from(`198.51.100.${index}`);
    await visitor.get(byLink(OTHERS(index)));
    await visitor.submit({});
    if (index === 5) expect(visitor.at).toBe('429 /subscriptions/phone');
  }
  expect(farmers.sender.tried - before).toBe(3);
  await own.get(linkTo());
  await own.submit({});
  expect(own.at).toBe('200 /subscriptions/code');
  expect(await enters(from('203.0.113.9'), signedLink())).toMatchObject({
    at: '200 /subscriptions/accounts',
  });
});

test('a code that was asked for by an unknown browser and is entered by a known one takes its place back, and no other', async () => {
  const { store } = farmers;
  const unanswered = () => store.db.collection('attempt_counts').find({ points: { $gt: 0 } });
  const counted = async () => (await unanswered().toArray()).reduce((sum, { points }) => sum + points, 0);
  const visitor = from('203.0.113.9');
  await visitor.get(linkTo());
  await visitor.submit({});
  const before = await counted();
  visitor.cookie += `; gdx-device=${rememberDevice(store, '', PHONE)}`;
  await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
  expect(visitor.at).toBe('200 /subscriptions/accounts');
  // Two of those that nobody has entered go, and three of guesses come.
  expect((await counted()) - before).toBe(1);
});

test('60 codes of one address in ten minutes take nothing from its signed links', async () => {
  const crowded = '198.51.100.3';
  const address = addressKey(crowded);
  await countAttempt(farmers.store, `code/address/open/${address}`, { limit: 60, windowMs: 600_000 }, 60);
  const visitor = from(crowded);
  await visitor.get(linkTo());
  await visitor.submit({});
  expect(visitor.at).toBe('429 /subscriptions/phone');
  expect(await enters(from(crowded), signedLink())).toMatchObject({ at: '200 /subscriptions/accounts' });
});

describe('a signed link', () => {
  test('offers no other phone, as it is for one', async () => {
    const OTHER = 'Use a different phone number';
    const visitor = from('203.0.113.9');
    await visitor.get(signedLink(OTHERS(3)));
    await visitor.submit({});
    expect(visitor.at).toBe('200 /subscriptions/code');
    expect(visitor.text).not.toContain(OTHER);
    await visitor.submit({ code: farmers.sender.codeFor(OTHERS(3)) });
    expect(visitor.text).toContain('We found no account');
    expect(visitor.text).not.toContain(OTHER);
    const unsigned = from('203.0.113.9');
    await unsigned.get(linkTo());
    await unsigned.submit({});
    expect(unsigned.text).toContain(OTHER);
  });

  test('has ten codes to made-up numbers a day of its own at an address', async () => {
    const crowded = addressKey('198.51.100.4');
    await countAttempt(
      farmers.store,
      `code/unlisted/open/${crowded}`,
      { limit: 10, windowMs: 86_400_000 },
      10,
    );
    const before = farmers.sender.tried;
    for (const open of [linkTo({ phone: OTHERS(4) }), signedLink(OTHERS(4))]) {
      const visitor = from('198.51.100.4');
      await visitor.get(open);
      await visitor.submit({});
    }
    expect(farmers.sender.tried - before).toBe(1);
  });

  test('has codes and guesses of its own, whatever is asked for at /sharing with the farmer’s number', async () => {
    for (let time = 0; time < 11; time++) {
      const stranger = from(`198.51.100.${time}`);
      await stranger.get('/sharing');
      await stranger.submit({ phone: PHONE });
      if (time > 3) expect(stranger.page.status).toBe(429);
    }
    expect(await enters(from('203.0.113.9'), signedLink())).toMatchObject({
      at: '200 /subscriptions/accounts',
    });
  });

  test('is for its phone alone: another one is refused, before and after a code was entered', async () => {
    const visitor = from('203.0.113.9');
    await visitor.get(signedLink());
    const before = farmers.sender.tried;
    await visitor.submit({ phone: OTHERS(1) });
    expect([visitor.page.status, visitor.text]).toEqual([
      422,
      expect.stringContaining(
        'This link is for the number ending in 42. Ask Signed Lender for a link with your other number',
      ),
    ]);
    expect(farmers.sender.tried).toBe(before);
    await visitor.submit({ phone: PHONE });
    await visitor.submit({ code: farmers.sender.codeFor(PHONE) });
    const csrf = csrfOf(visitor);
    await visitor.post('/subscriptions/phone', new URLSearchParams({ csrf, phone: OTHERS(1) }));
    expect([visitor.page.status, farmers.sender.tried]).toEqual([422, before + 1]);
    await visitor.get('/subscriptions/accounts');
    expect(visitor.text).toContain('Meyer Farms 1');
  });
});

test('an operator pauses the codes of one link, or of /sharing: no code is sent or compared there but in known browsers', async () => {
  const asked = from('203.0.113.9');
  await asked.get(linkTo());
  await asked.submit({});
  const code = farmers.sender.codeFor(PHONE);
  const own = await farmers.verified({ phone: '7015550188' });
  await pauseCodes(farmers.store, 'acme', { by: 'maria', reason: 'guesses', at: new Date() });
  const before = farmers.sender.tried;
  await asked.submit({ code });
  expect([asked.page.status, asked.text]).toEqual([503, expect.stringContaining('Codes are paused')]);
  const visitor = from('203.0.113.10');
  await visitor.get(linkTo({ phone: OTHERS(1) }));
  await visitor.submit({});
  expect([visitor.page.status, farmers.sender.tried]).toEqual([503, before]);
  expect(await enters(own, linkTo({ phone: '7015550188' }), '7015550188')).toMatchObject({
    at: '200 /subscriptions/accounts',
  });
  expect(await enters(from('203.0.113.11'), signedLink())).toMatchObject({
    at: '200 /subscriptions/accounts',
  });
  await resumeCodes(farmers.store, 'acme');
  expect(await enters(from('203.0.113.9'), linkTo())).toMatchObject({ at: '200 /subscriptions/accounts' });
  await pauseCodes(farmers.store, SHARING_CODES, { by: 'maria', reason: 'guesses', at: new Date() });
  const sharer = from('203.0.113.12');
  await sharer.get('/sharing');
  await sharer.submit({ phone: OTHERS(2) });
  expect(sharer.page.status).toBe(503);
  await resumeCodes(farmers.store, SHARING_CODES);
});
