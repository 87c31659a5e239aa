import { FakeCustomer } from './fake-customer';

const post = (customer: FakeCustomer, channel: string, type: string) =>
  fetch(`${customer.baseUrl}/feed`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-channel-slug': channel, 'x-entity-type': type },
    body: JSON.stringify({ data: [], meta: {} }),
  });

/** Answers nothing until this many pages have arrived. */
function holdUntil(customer: FakeCustomer, pages: number): void {
  let release = () => {};
  const complete = new Promise<void>((resolve) => (release = resolve));
  customer.script = async () => {
    if (customer.pages.length === pages) release();
    await complete;
    return 200;
  };
}

test('two pages of one channel and type in flight at once fail the scene; of others they do not', async () => {
  const customer = await FakeCustomer.start();
  holdUntil(customer, 3);
  await Promise.all([
    post(customer, 'acme', 'tickets'),
    post(customer, 'acme', 'accounts'),
    post(customer, 'bank', 'tickets'),
  ]);
  expect(() => customer.requireOneAtATime()).not.toThrow();
  holdUntil(customer, 5);
  await Promise.all([post(customer, 'acme', 'contracts'), post(customer, 'acme', 'contracts')]);
  expect(() => customer.requireOneAtATime()).toThrow('at once in flight: 2 of acme contracts');
});
