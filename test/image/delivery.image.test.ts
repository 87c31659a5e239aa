import { freePort } from '../../tools/local/free-port';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type Reply } from '../setup/fake-customer';
import { runContainer, startContainer } from './containers';
import { developmentSettings } from './image-settings';

let settings: Awaited<ReturnType<typeof developmentSettings>>;
let worker: ReturnType<typeof startContainer>;
let workerUrl: string;
let customer: FakeCustomer;
let token: string;

async function gdx<T>(...args: string[]): Promise<T> {
  const { out, err } = await runContainer({ command: ['gdx', ...args, '--json'], settings });
  if (!out) throw new Error(err);
  return JSON.parse(out) as T;
}

async function startWorker() {
  const port = await freePort();
  worker = startContainer({ command: ['worker'], settings: { ...settings, GDX_METRICS_PORT: String(port) } });
  workerUrl = `http://127.0.0.1:${port}`;
  await worker.heard('"msg":"worker ready"');
}

async function push(...ids: string[]) {
  const accounts = ids.map((id) => ({ id, name: `Farm ${id}` }));
  const { status } = await fetch(`${settings.GDX_PUBLIC_URL}/api/v1/push`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ data: [{ 'update-accounts': { accounts } }] }),
  });
  expect(status).toBe(204);
}

const idsOf = (pages: FakeCustomer['pages']) =>
  pages.map(({ records }) => records.map(({ remote_id }) => remote_id));

beforeAll(async () => {
  settings = await developmentSettings();
  customer = await FakeCustomer.start();
  await startContainer({ command: ['api'], settings }).heard('"msg":"ready"');
  await startWorker();
  ({ token } = await gdx<{ token: string }>(
    'integration',
    'add',
    '--company-id',
    '42',
    '--company',
    'Co-op',
  ));
  const channel = ['--name', 'Acme', '--base-url', customer.baseUrl, '--all-companies'];
  await gdx('channel', 'add', 'acme', ...channel, '--cadence', '1s', '--page-size', '2');
});

test('a push becomes one page at the customer, and the doctor finds nothing to mend', async () => {
  await push('1', '2');
  await eventually(() => expect(idsOf(customer.confirmed())).toEqual([['1', '2']]));
  // It waits 3 s for the API, which a busy machine may need longer for.
  await eventually(async () => {
    const { data } = await gdx<{ data: { part: string; status: string }[] }>('doctor');
    const troubles = data.filter(({ status }) => status !== 'ok').map(({ part }) => part);
    expect(troubles).toEqual(['settings', 'texts to farmers']); // fit for a test alone
  });
});

test('SIGTERM while a page is on its way: it is finished, the worker ends with 0, and the next one sends the rest', async () => {
  let answer: (reply: Reply) => void;
  customer.script = () => new Promise((resolve) => (answer = resolve));
  await push('3', '4', '5');
  await eventually(() => expect(idsOf(customer.pages).slice(1)).toEqual([['3', '4']]));
  const stopped = worker.stop();
  await eventually(async () =>
    expect(await (await fetch(`${workerUrl}/readyz`)).json()).toMatchObject({ draining: true }),
  );
  customer.script = () => 200;
  answer!(200);
  expect(await stopped).toBe(0);
  expect(idsOf(customer.confirmed())).toEqual([
    ['1', '2'],
    ['3', '4'],
  ]);
  await startWorker();
  await eventually(() => expect(customer.holds('accounts').size).toBe(5));
});
