import type { Middleware, ParameterizedContext } from 'koa';
import { isLanguage } from '../../domain/language';
import { changeSession } from '../../store/farmer-sessions';
import type { ByteBudget } from '../byte-budget';
import type { Deps, RequestState } from '../route';
import { isToken } from './csrf';
import { readForm } from './read-form';
import { Trouble } from './trouble';
import type { Visit } from './visit';

/** Takes a form only from a page of this session; one of its buttons only changes the language. */
export function acceptForm({ store, farmer }: Deps, budget: ByteBudget): Middleware<RequestState & Visit> {
  return async (ctx, next) => {
    if (isForeign(ctx, farmer.publicUrl)) throw new Trouble('stale');
    const form = await readForm(ctx.req, ctx.request.type, budget);
    if (!isToken(ctx.state.session.csrf, form.get('csrf'))) throw new Trouble('stale');
    ctx.state.form = form;
    const language = form.get('language');
    ctx.state.switched = isLanguage(language);
    if (isLanguage(language)) ctx.state.session = await changeSession(store, ctx.state.session, { language });
    await next();
  };
}

/** `no-referrer` makes browsers send `Origin: null`: that passes, with a good token, unless it came across sites. */
export function isForeign(ctx: ParameterizedContext, publicUrl: string): boolean {
  if (ctx.get('Sec-Fetch-Site') === 'cross-site') return true;
  const origin = ctx.get('Origin');
  if (origin === '' || origin === 'null') return false;
  if (!URL.canParse(origin)) return true;
  return ![ctx.get('Host'), new URL(publicUrl).host].includes(new URL(origin).host);
}
