import { forgetAttempts, phoneCounts } from '../../store/codes/attempt-counts';
import { startApi } from '../api/start-api';
import { guessAtOnce, postFrom } from './guess';
import { accountsOf, linkTo, PHONE, pushAccounts, startFarmers, TextsInHand } from './start-farmers';
import { Visitor } from './visitor';

const GUESSES_A_ROUND = 10;
const ROUNDS_AN_HOUR = 10;
const HOURS = 10;

test('1,000 guesses at one phone over two processes: 5 a code, 30 an hour, 100 a day are compared', async () => {
  const farmers = await startFarmers({ farmer: { trustedProxies: 1 } });
  const { store, settings, sender } = farmers;
  const senders = [sender, new TextsInHand()];
  const other = await startApi({ store, sender: senders[1]!, farmer: settings });
  const ports = [farmers.port, other.port];
  await pushAccounts(farmers, accountsOf(PHONE, 1));
  const own = await farmers.verified();
  await own.get(linkTo());
  const { codes, codesDay, guesses } = phoneCounts(PHONE);
  let [round, all, victimIn] = [0, 0, 0];
  const compared: number[] = [];

  /** Half of the guesses at a time, at one process and the other; what else happens meanwhile differs each round. */
  async function attack(): Promise<number> {
    round += 1;
    const texts = senders[round % 2]!;
    let fail = () => {};
    texts.outcome = () =>
      round % 3 === 0 ? new Promise((_, reject) => (fail = () => reject(new Error('down')))) : sent();
    const headers = { 'x-forwarded-for': `198.51.${round}.7` };
    const visitor = new Visitor(ports[round % 2]!, headers);
    const elsewhere = new Visitor(ports[(round + 1) % 2]!, headers);
    await forgetAttempts(store, [codes, codesDay]); // as if there were codes without end
    await visitor.get(linkTo({ partner_id: `round-${round}` }));
    const first = visitor.page;
    await visitor.submit({});
    visitor.page = first;
    [elsewhere.cookie, elsewhere.page] = [visitor.cookie, first];
    const half = Array<string>(GUESSES_A_ROUND / 2).fill('000000');
    const [some, same] = await Promise.all([
      guessAtOnce(visitor, half.slice(1)),
      guessAtOnce(elsewhere, ['000000']),
    ]);
    if (round % 4 === 0) await postFrom(visitor, 'phone', { phone: `7015556${100 + round}` });
    if (round % 4 === 0) await postFrom(visitor, 'phone', { phone: PHONE });
    if (round % 4 === 1) await store.db.collection('sign_in_codes').updateMany({}, EXPIRED);
    const ofOne = some + same + (await guessAtOnce(elsewhere, half));
    expect(ofOne).toBeLessThanOrEqual(5);
    fail();
    all += GUESSES_A_ROUND;
    return ofOne;
  }

  for (let hour = 0; hour < HOURS; hour++) {
    let inTheHour = 0;
    for (let time = 0; time < ROUNDS_AN_HOUR; time++) inTheHour += await attack();
    compared.push(inTheHour);
    sender.outcome = sent;
    await own.get(linkTo());
    await own.submit({});
    await own.submit({ code: sender.codeFor(PHONE) });
    if (own.page.path === '/subscriptions/accounts') victimIn += 1;
    // The hour ends, and the victim's ten minutes; the day does not.
    await store.db.collection('attempt_counts').deleteMany({ expire: { $lt: inAnHour() } });
    await forgetAttempts(store, [guesses]);
  }
  await other.stop();
  await farmers.stop();
  process.stdout.write(`${all} guesses, compared in each hour: ${compared.join(', ')}\n`);
  expect(all).toBe(1_000);
  expect(Math.max(...compared)).toBeLessThanOrEqual(30);
  expect(compared.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(100);
  expect(compared[0]).toBeGreaterThan(20);
  expect(victimIn).toBe(HOURS);
}, 1_800_000);

const sent = async () => {};
const EXPIRED = { $set: { expires_at: new Date(0) } };
const inAnHour = () => new Date(Date.now() + 61 * 60_000);
