import type { PageSettings } from '../../api/channel/signed-in-state';
import type { OperatorsProvider } from '../../api/channel/operators-provider';
import type { ChannelClient } from '../../temporal/channel-client';
import { addOperator } from '../../store/callers/operators';
import type { Store } from '../../store/store';
import { hearingSignals, startApi } from '../api/start-api';
import { OpsBrowser } from './ops-browser';

export const TEMPORAL_UI = 'http://127.0.0.1:8233';

export type Ops = Awaited<ReturnType<typeof startOps>>;

/** The API with one operator, Maria, and a Temporal client that remembers its signals. */
export async function startOps(
  options: {
    ops?: Partial<PageSettings>;
    heard?: boolean;
    temporal?: ChannelClient;
    store?: Store;
    provider?: OperatorsProvider;
    /** Of the operator. */
    name?: string;
  } = {},
) {
  const { temporal: hearing, signals } = hearingSignals(options.heard);
  const { temporal = hearing, store, provider, name = 'Maria Lopez' } = options;
  const limits = { visitsPerMinute: 1e6 };
  const ops = { temporalUiUrl: TEMPORAL_UI, temporalNamespace: 'gdx', ...options.ops };
  const api = await startApi({ temporal, limits, ops, provider, ...(store && { store }) });
  const { token, operator } = await addOperator(api.store, name, 'operate');
  return {
    ...api,
    signals,
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
