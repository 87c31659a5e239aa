import { goTo } from '../pages/answer-page';
import { setDoorCookie } from './cookies';
import type { PageDeps, SignedInContext } from './signed-in-state';

export async function signOut(ctx: SignedInContext, { store, pages }: PageDeps): Promise<void> {
  const { door, session } = ctx.state;
  await door.close(store, session);
  setDoorCookie(ctx, pages, door, { purpose: 'session', token: '' });
  goTo(ctx, door.paths.signIn);
}
