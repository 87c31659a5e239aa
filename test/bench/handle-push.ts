import { randomUUID } from 'node:crypto';
import { HttpError } from '../../api/http/http-error';
import { postPush } from '../../api/erp/post-push';
import type { Deps, IntegrationContext } from '../../api/http/route';
import type { Store } from '../../store/store';
import { BENCH_COMPANY } from './push-body';

/**
 * Gives a body to the handler of the push route, in this process, as the server does when it has read it.
 * @returns the validation messages; none of a push that was stored
 */
export async function handlePush(store: Store, body: Buffer): Promise<string[]> {
  const integration = { _id: 'bench', company: BENCH_COMPANY };
  const state = { body, integration, requestId: randomUUID(), logged: {} };
  const ctx = { state, query: {}, headerSent: false } as unknown as IntegrationContext;
  try {
    await postPush(ctx, { store } as Deps);
    return [];
  } catch (error) {
    if (!(error instanceof HttpError && error.validation_messages)) throw error;
    return Object.values(error.validation_messages).flat();
  }
}
