import type { Deps, SignedInContext } from '../../route';
import { goTo } from '../answer-page';
import { setCookie } from './cookies';

export async function signOut(ctx: SignedInContext, { store, ops }: Deps): Promise<void> {
  const { door, session } = ctx.state;
  await door.close(store, session);
  setCookie(ctx, ops, door, { purpose: 'session', token: '' });
  goTo(ctx, door.paths.signIn);
}
