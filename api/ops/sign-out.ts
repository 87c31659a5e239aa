import { closeOperatorSession } from '../../store/access/operator-sessions';
import { goTo } from '../pages/answer-page';
import type { Deps, OperatorContext } from '../route';
import { setCookie } from './cookies';
import { OPS } from './paths';

export async function signOut(ctx: OperatorContext, { store, ops }: Deps): Promise<void> {
  await closeOperatorSession(store, ctx.state.session);
  setCookie(ctx, ops, 'session', '');
  goTo(ctx, OPS.signIn);
}
