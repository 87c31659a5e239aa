import type { OpsSettings } from '../../api/ops/visit';
import { addOperator } from '../../store/operators';
import { hearingBell, startApi } from '../api/start-api';
import { OpsBrowser } from './ops-browser';

export const TEMPORAL_UI = 'http://127.0.0.1:8233';

export type Ops = Awaited<ReturnType<typeof startOps>>;

/** The API with one operator, Maria, and a bell that remembers. */
export async function startOps(options: { ops?: Partial<OpsSettings>; heard?: boolean } = {}) {
  const { bell, rung } = hearingBell(options.heard);
  const limits = { visitsPerMinute: 1e6 };
  const ops = { temporalUiUrl: TEMPORAL_UI, temporalNamespace: 'gdx', ...options.ops };
  const api = await startApi({ bell, limits, ops });
  const { token, operator } = await addOperator(api.store, 'Maria Lopez');
  return {
    ...api,
    rung,
    token,
    operator,
    browser: () => new OpsBrowser(api.port),
    async signedIn(): Promise<OpsBrowser> {
      const browser = new OpsBrowser(api.port);
      await browser.get('/ops/sign-in');
      await browser.submit('/ops/sign-in', { token });
      return browser;
    },
  };
}
