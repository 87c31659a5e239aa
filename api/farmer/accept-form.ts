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

/** Accepts a form only from a page of this session. A form posted by the language button only switches the language. */
export function acceptForm(
  { store, farmer }: FarmerDeps,
  room: FormRoom,
): Middleware<RequestState & SessionState> {
  return async (ctx, next) => {
    if (isForeign(ctx, farmer.publicUrl)) throw new FarmerPageError('stale');
    const { session } = ctx.state;
    const { csrf, verified } = session;
    const maxBytes = verified ? room.maxBytes : SMALL_FORM_BYTES;
    // Anybody can open many visits. So all visits of a proven phone share one limit, and so do all others of an
    // address.
    const owner = verified ? phoneOf(store, session) : addressKey(countedAddress(ctx));
    const form = await readForm(ctx, { ...room, maxBytes }, owner);
    // The code's form was sent again by a second tap or the back button. Its token was replaced with the session's id,
    // and the code is accepted already.
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
