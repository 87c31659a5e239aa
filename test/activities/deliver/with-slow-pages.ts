import type { FakeCustomer } from '../../setup/fake-customer';

/** With each page so much time passes for the service. */
export async function withSlowPages<T>(
  { customer }: { customer: FakeCustomer },
  ms: number,
  use: () => Promise<T>,
): Promise<T> {
  const reply = customer.script;
  let now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  customer.script = (page) => {
    now += ms;
    return reply(page);
  };
  return use().finally(() => {
    clock.mockRestore();
    customer.script = reply;
  });
}
