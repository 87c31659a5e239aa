import { goTo } from '../pages/answer-page';
import { setCookie } from './cookies';
import type { PageDeps, SignedInContext } from './signed-in-state';

export async function signOut(ctx: SignedInContext, { store, pages }: PageDeps): Promise<void> {
  const { door, session } = ctx.state;
  await door.close(store, session);
  setCookie(ctx, pages, door, { purpose: 'session', token: '' });
  goTo(ctx, door.paths.signIn);
}
