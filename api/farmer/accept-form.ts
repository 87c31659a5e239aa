import type { Middleware } from 'koa';
import { isLanguage } from '../../domain/language';
import { changeSession, phoneOf } from '../../store/sessions/farmer-sessions';
import { countedAddress } from '../http/caller-address';
import type { RequestState } from '../http/route';
import { addressKey } from '../limits/rate-limit';
import { goTo } from '../pages/answer-page';
import { isForeign, isToken } from '../pages/csrf';
import { type FormRoom, readForm, SMALL_FORM_BYTES } from '../pages/read-form';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerDeps, SessionState } from './farmer-state';
import { signInPathsAt } from './paths';

/** Accepts a form only from a page of this session. One of its buttons only switches the language. */
export function acceptForm(
  { store, farmer }: FarmerDeps,
  room: FormRoom,
): Middleware<RequestState & SessionState> {
  return async (ctx, next) => {
    if (isForeign(ctx, farmer.publicUrl)) throw new FarmerPageError('stale');
    const { session } = ctx.state;
    const { csrf, verified } = session;
    const maxBytes = verified ? room.maxBytes : SMALL_FORM_BYTES;
    // Visits can be opened at will: so all of a proven phone have one share, and all others of an address.
    const owner = verified ? phoneOf(store, session) : addressKey(countedAddress(ctx));
    const form = await readForm(ctx, { ...room, maxBytes }, owner);
    // The code's form, tapped again or gone back to: its token was exchanged with the id, and it has nothing left to do.
    const { code, next: behind } = signInPathsAt(ctx.path);
    const isDone = verified && ctx.path === code;
    if (!isDone && !isToken(csrf, form.get('csrf'))) throw new FarmerPageError('stale');
    ctx.state.form = form;
    const language = form.get('language');
    ctx.state.switched = isLanguage(language);
    if (isLanguage(language)) ctx.state.session = await changeSession(store, session, { language });
    if (isDone) return goTo(ctx, behind);
    await next();
  };
}
