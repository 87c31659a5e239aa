import { whenAllIsDone } from '../../api/farmer/after-the-answer';
import { accountsOf, linkTo, pushAccounts, startFarmers } from './start-farmers';
import { consoleSender } from '../../api/farmer/sms/console';
import pino from 'pino';

const PLANTED = '7015557391';
const SPELLINGS = [PLANTED, '701-555-7391', '(701) 555', '+17015557391'];

test('a phone is in no log line, no later address and no error page', async () => {
  const farmers = await startFarmers();
  const printed: string[] = [];
  const printing = consoleSender(pino({ level: 'trace' }, { write: (line) => printed.push(line) }));
  await pushAccounts(farmers, accountsOf(PLANTED, 2));
  farmers.sender.outcome = async () => {
    await printing.send({ to: `+1${PLANTED}`, body: '123456 is your code' });
  };
  const visitor = farmers.visitor();
  const errorPages: string[] = [];
  const keep = async (page: Promise<{ html: string }>) => void errorPages.push((await page).html);

  await keep(visitor.get(linkTo({ phone: PLANTED, callback_url: 'https://evil.example' })));
  await keep(visitor.get(`/subscriptions/nothing?phone=${PLANTED}`));
  await keep(visitor.get(`/subscriptions/code?phone=${PLANTED}`));
  for (const encoded of ['%3Fphone=', '&phone=', '/%2B1'])
    await farmers.visitor().get(`/subscriptions${encoded}${PLANTED}`);
  await visitor.get(linkTo({ phone: PLANTED }));
  await visitor.get(`/subscriptions/phone?phone=${PLANTED}`);
  await visitor.submit({ phone: '(701) 555-7391' });
  await visitor.submit({ code: '000000' });
  await visitor.submit({ code: farmers.sender.codeFor(PLANTED) });
  await visitor.submit({ account: ['42-1', PLANTED] });
  await keep(visitor.twin().submit({ csrf: PLANTED }));
  const collection = farmers.store.db.collection.bind(farmers.store.db);
  farmers.store.db.collection = ((name: string) => {
    if (name === 'consents') throw Object.assign(new Error('away'), { phone: PLANTED });
    return collection(name);
  }) as typeof collection;
  await keep(visitor.twin().submit({ do: 'save' }));
  farmers.store.db.collection = collection;
  await visitor.submit({ do: 'save' });
  await visitor.get('/subscriptions/receipt');
  farmers.sender.outcome = async () => {
    throw new Error('provider says no');
  };
  await visitor.get(linkTo({ phone: PLANTED }));
  await visitor.submit({});
  await whenAllIsDone();
  await keep(visitor.get('/subscriptions/code'));
  await farmers.stop();

  const logged = JSON.stringify(farmers.lines) + printed.join('');
  expect(farmers.lines.length).toBeGreaterThan(15);
  expect(errorPages).toHaveLength(6);
  expect(
    errorPages.every((html) => /does not work|NOT_FOUND|has ended|out of date|cannot do|not send/.test(html)),
  ).toBe(true);
  for (const spelling of SPELLINGS) {
    expect(logged).not.toContain(spelling);
    expect(errorPages.join('')).not.toContain(spelling);
    expect(visitor.paths.filter((path) => path.includes(spelling)).every((path) => path.includes('?'))).toBe(
      true,
    );
  }
  expect(logged).not.toContain('Meyer');
});
