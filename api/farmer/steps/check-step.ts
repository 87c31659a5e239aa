import { setTimeout } from 'node:timers/promises';
import { changeSession, claimCheck, endSave } from '../../../store/farmer-sessions';
import type { Deps, FarmerContext } from '../../route';
import { answerPage, goTo } from '../../pages/answer-page';
import { frameOf } from '../frame';
import { listAccounts } from '../list-accounts';
import { newCheck } from '../new-check';
import { checkPage } from '../pages/check-page';
import { PATHS } from '../paths';
import { planChoices } from '../plan-choices';
import { saveChoices } from '../save-choices';

const LONGEST_WAIT_MS = 10_000;

export async function showCheck(ctx: FarmerContext, deps: Deps): Promise<void> {
  const { session } = ctx.state;
  if (!session.verified) return goTo(ctx, PATHS.code);
  if (!session.check) return goTo(ctx, session.saved || session.saving ? PATHS.done : PATHS.accounts);
  await show(ctx, deps);
}

/** Saves once: a double tap, a page gone stale and the back button change nothing a second time. */
export async function submitCheck(ctx: FarmerContext, deps: Deps): Promise<void> {
  const { session, channel, form, switched, requestId } = ctx.state;
  const token = form.get('form') ?? '';
  if (!session.verified || switched) return showCheck(ctx, deps);
  if ([session.saving?.form, session.saved?.form].includes(token)) return goTo(ctx, PATHS.done);
  if (!session.check) return goTo(ctx, PATHS.accounts);
  if (session.check.form !== token || saysSomethingElse(ctx)) return show(ctx, deps, true);
  if (!(await claimCheck(deps.store, session, token))) return goTo(ctx, PATHS.done);
  const saving = save(ctx, deps, token);
  saving.catch(({ message: error }: Error) =>
    deps.log.error({ request_id: requestId, channel: channel._id, error }, 'choices were not saved'),
  );
  // Thousands of accounts take longer: the next page says that it goes on.
  await Promise.race([saving, setTimeout(LONGEST_WAIT_MS, undefined, { ref: false })]);
  goTo(ctx, PATHS.done);
}

async function save(ctx: FarmerContext, deps: Deps, token: string): Promise<void> {
  const { session, channel, requestId, logged } = ctx.state;
  const plan = planChoices(await listAccounts(deps.store, session, channel), session);
  const saved = await saveChoices(deps, { session, channel, requestId }, plan);
  logged['granted'] = plan.start.length;
  logged['revoked'] = plan.stop.length;
  await endSave(deps.store, session, { form: token, ...saved });
}

/** The channel was changed after the page was shown: what was read is not what would be agreed to. */
function saysSomethingElse({ state: { session, channel } }: FarmerContext): boolean {
  const { channel_name, entity_types } = session.check ?? {};
  return channel_name !== channel.name || String(entity_types) !== String(channel.entity_types);
}

async function show(ctx: FarmerContext, deps: Deps, stale = false): Promise<void> {
  const { session, channel } = ctx.state;
  const { name, entity_types, cadence_ms } = channel;
  let check = session.check!;
  // A form of its own: the page that said something else can save nothing any more.
  if (saysSomethingElse(ctx)) {
    check = newCheck(channel);
    await changeSession(deps.store, session, { check });
  }
  const page = checkPage({
    frame: frameOf(ctx, deps),
    customer: name,
    displayName: session.link.display_name,
    entityTypes: entity_types,
    cadenceMs: cadence_ms,
    plan: planChoices(await listAccounts(deps.store, session, channel), session),
    form: check.form,
    stale,
  });
  answerPage(ctx, page, stale ? 409 : 200);
}
