import { OpsBrowser } from '../ops/ops-browser';
import type { Ops } from '../ops/start-ops';

/** A browser that has tried this key on the customers' page. */
export async function tryKey(ops: Ops, key: string): Promise<OpsBrowser> {
  const browser = ops.browser();
  await browser.get('/customer/sign-in');
  await browser.submit('/customer/sign-in', { token: key });
  return browser;
}
