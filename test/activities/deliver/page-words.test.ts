import { releaseForResend } from '../../../store/deliveries/set-aside';
import { readWaitingState, askForPage, openWaitingPage } from '../../../store/markers/waiting-pages';
import { rewire } from '../../commit-order/rewire';
import { validatorAt } from '../../openapi/read-document';
import type { ReceivedPage } from '../../setup/fake-customer';
import { COMPANY, pushRecords } from '../../setup/push-records';
import { SLUG, stand } from '../../setup/stand';
import { openSharedScene } from '../../sharing/open-shared-scene';

const DAY = '2026-11-30';
const OTHER = { id: '7', name: 'Valley Grain' };
type Channel = Parameters<typeof stand>[0]['channel'];

const scene = async (channel: Channel = {}) => {
  const standing = await stand({
    customer: 'confirms',
    channel: { page_size: 2, entity_types: ['tickets'], ...channel },
  });
  const said = ({ body }: Pick<ReceivedPage, 'body'>) => {
    const page = JSON.parse(body.toString()) as { erp_complete_through?: Record<string, string> };
    return page.erp_complete_through;
  };
  let version = 0;
  const push = (ids: string[], day?: string, company = COMPANY) => {
    const note = `v${++version}`;
    const tickets = ids.map((id) => ({ id, account_id: '1001', note }));
    return pushRecords(standing.store, { tickets }, company, undefined, day ? { tickets: day } : {});
  };
  return { ...standing, push, said, told: () => standing.customer.pages.map(said) };
};

test('a word is on the last page of what was pushed with it, as the contract of a page has it', async () => {
  const { push, run, told, customer } = await scene();
  await push(['T1', 'T2', 'T3'], DAY);
  await push(['X1'], '2026-11-29', OTHER);
  await run();
  expect(told()).toEqual([undefined, { '42': DAY, '7': '2026-11-29' }]);
  const page = JSON.parse(customer.pages[1]!.body.toString()) as object;
  const validate = validatorAt('components', 'schemas', 'TicketsPage');
  validate(page);
  expect([Object.keys(page), validate.errors ?? []]).toEqual([['data', 'meta', 'erp_complete_through'], []]);
  await push(['T4']);
  await run();
  expect(told()[2]).toBeUndefined();
});

test('a page that is collected has it as well', async () => {
  const { store, push, run, said } = await scene({ delivery: 'pull' });
  await push(['T1'], DAY);
  await askForPage(store, SLUG, 'tickets');
  await run();
  const laid = await openWaitingPage(store, (await readWaitingState(store, SLUG, 'tickets'))!);
  expect(said(laid!)).toEqual({ '42': DAY });
});

test('a delivery asks once for words, whatever its pages', async () => {
  const { store, push, run, customer } = await scene();
  const calls: string[] = [];
  const counting = rewire(store, ({ collection, method, run: call }) => {
    calls.push(`${collection}.${method}`);
    return call();
  });
  await push(['T1', 'T2', 'T3', 'T4', 'T5', 'T6']);
  await run(counting);
  expect([customer.pages.length, calls.filter((one) => one === 'erp_words.find').length]).toEqual([3, 1]);
});

test('no page of a search has it, and none after it beside what was set aside', async () => {
  const { push, run, told, customer } = await scene({ page_size: 3 });
  customer.script = ({ records }) => (records.some(({ remote_id }) => remote_id === 'T2') ? 422 : 200);
  await push(['T1', 'T2', 'T3'], DAY);
  await run();
  expect(told()[0]).toEqual({ '42': DAY }); // refused, so it confirms nothing
  expect(customer.pages.slice(1).map(({ status }) => status)).toContain(200);
  expect(told().slice(1).filter(Boolean)).toEqual([]);
  const before = customer.pages.length;
  await push(['T4'], '2026-12-01');
  await run();
  expect(told().slice(before)).toEqual([undefined]);
});

test('a word waits for the list where a record was asked for again, and where one waits above the page', async () => {
  const { store, push, run, told, customer } = await scene({ page_size: 1 });
  await push(['T1']);
  await run();
  await releaseForResend(store, { channel: SLUG, entity_type: 'tickets' }, [{ id: '42-T1', position: 1 }]);
  await push(['T2'], DAY);
  await run();
  expect(told().filter(Boolean)).toEqual([]);
  await push(['T3', 'T4'], '2026-12-01');
  customer.script = async ({ records }) => {
    if (records[0]?.remote_id === 'T3') await push(['T2']);
    return 200;
  };
  await run();
  expect(told().filter(Boolean)).toEqual([]);
});

test('a company that the channel does not carry is named by no page', async () => {
  const { push, run, told } = await scene({ companies: ['42'] });
  await push(['X1'], '2026-11-29', OTHER);
  await push(['T1'], DAY);
  await push(['X2'], '2026-11-30', OTHER);
  await run();
  expect(told()).toEqual([{ '42': DAY }]);
});

test('where farmers share single accounts, only companies of which somebody shares, once no earlier records wait', async () => {
  const { store, grant, run, customer } = await openSharedScene(10);
  const say = (id: string, account: string, day: string, company = COMPANY) =>
    pushRecords(store, { tickets: [{ id, account_id: account }] }, company, undefined, { tickets: day });
  const told = () =>
    customer.pages
      .filter(({ entityType }) => entityType === 'tickets')
      .map(({ headers, body }) => {
        const { erp_complete_through } = JSON.parse(body.toString()) as Record<string, unknown>;
        return [String(headers['x-delivery-id']).endsWith('catch-up'), erp_complete_through];
      });
  await grant('1001');
  await run();
  await say('X1', '9', '2026-11-28', OTHER);
  await say('T1', '1001', '2026-11-28');
  await run();
  expect(told()).toEqual([[false, { '42': '2026-11-28' }]]);
  await say('T2', '1002', '2026-11-29');
  await run(); // of that nothing is shared: no page
  await grant('1002');
  await say('T3', '1001', DAY);
  await run();
  expect(told().slice(1)).toEqual([
    [false, undefined],
    [true, undefined],
  ]);
  await say('T4', '1001', '2026-12-01');
  await run();
  expect(told().slice(3)).toEqual([[false, { '42': '2026-12-01' }]]);
});
