import type { Middleware } from 'koa';
import { isLanguage } from '../../domain/language';
import { changeSession } from '../../store/farmer-sessions';
import type { Deps, RequestState } from '../route';
import { isToken } from '../pages/csrf';
import { isForeign } from '../pages/is-foreign';
import { type FormRoom, readForm, SMALL_FORM_BYTES } from '../pages/read-form';
import { Trouble } from './trouble';
import type { Visit } from './visit';

/** Takes a form only from a page of this session; one of its buttons only changes the language. */
export function acceptForm({ store, farmer }: Deps, room: FormRoom): Middleware<RequestState & Visit> {
  return async (ctx, next) => {
    if (isForeign(ctx, farmer.publicUrl)) throw new Trouble('stale');
    const maxBytes = ctx.state.session.verified ? room.maxBytes : SMALL_FORM_BYTES;
    const form = await readForm(ctx.req, ctx.request.type, { ...room, maxBytes });
    if (!isToken(ctx.state.session.csrf, form.get('csrf'))) throw new Trouble('stale');
    ctx.state.form = form;
    const language = form.get('language');
    ctx.state.switched = isLanguage(language);
    if (isLanguage(language)) ctx.state.session = await changeSession(store, ctx.state.session, { language });
    await next();
  };
}
