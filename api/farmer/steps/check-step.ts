import { setTimeout } from 'node:timers/promises';
import { readStop } from '../../../store/consent/farmer-notices';
import { claimCheck, endSave, replaceCheck } from '../../../store/sessions/farmer-sessions';
import { answerPage, goTo } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { listAccounts, whoOf } from '../list-accounts';
import { checkDigest, newCheck, type PlannedChoices } from '../new-check';
import { checkPage } from '../pages/check-page';
import { PATHS, sharingUrl } from '../paths';
import { daysOfPlan, planChoices, whyNoEndOf } from '../plan-choices';
import { problemIn, sayProblem } from '../say-problem';
import { saveChoices } from '../save-choices';
import type { FarmerContext, FarmerDeps } from '../farmer-state';

const LONGEST_WAIT_MS = 10_000;

export async function showCheck(ctx: FarmerContext, deps: FarmerDeps): Promise<void> {
  const { session } = ctx.state;
  if (!session.verified) return goTo(ctx, PATHS.code);
  if (!session.check) return goTo(ctx, session.saved || session.saving ? PATHS.done : PATHS.accounts);
  const planned = await planNow(ctx, deps);
  const wrong = whyNoEndNow(ctx, planned);
  if (wrong) return sayProblem(ctx, deps, PATHS.accounts, wrong);
  await show(ctx, deps, planned, problemIn(ctx, ['stale']) !== undefined);
}

/** Saves once: a double tap, a stale page or the back button never repeats a change. */
export async function submitCheck(ctx: FarmerContext, deps: FarmerDeps): Promise<void> {
  const { session, channel, form, switched, requestId } = ctx.state;
  const token = form.get('form') ?? '';
  if (!session.verified || switched) return goTo(ctx, PATHS.check);
  if ([session.saving?.form, session.saved?.form].includes(token)) return goTo(ctx, PATHS.done);
  if (!session.check) return goTo(ctx, PATHS.accounts);
  const planned = await planNow(ctx, deps);
  const wrong = whyNoEndNow(ctx, planned);
  if (wrong) return sayProblem(ctx, deps, PATHS.accounts, wrong);
  // Saves only the plan that the farmer has read.
  const says = checkDigest(ctx.state, planned);
  const asRead = session.check.form === token && session.check.says === says;
  if (!asRead) return sayProblem(ctx, deps, PATHS.check, 'stale');
  if (!(await claimCheck(deps.store, session, token))) return goTo(ctx, PATHS.done);
  const saving = save(ctx, deps, planned, token);
  saving.catch(({ message: error }: Error) =>
    deps.log.error({ request_id: requestId, channel: channel._id, error }, 'choices were not saved'),
  );
  // Thousands of accounts take longer. Then the next page shows that saving continues.
  await Promise.race([saving, setTimeout(LONGEST_WAIT_MS, undefined, { ref: false })]);
  goTo(ctx, PATHS.done);
}

/** What has become wrong with the end since it was chosen: the channel requires one now, or the day has passed. */
const whyNoEndNow = ({ state: { channel } }: FarmerContext, { plan, days }: PlannedChoices) =>
  plan.start.length + plan.keep.length === 0 ? undefined : whyNoEndOf(plan, days, channel);

async function planNow(
  { state: { session, channel } }: FarmerContext,
  { store }: FarmerDeps,
): Promise<PlannedChoices> {
  const who = await whoOf(store, session);
  const stop = await readStop(store, who.farmer);
  const plan = planChoices((await listAccounts(store, session, channel)).accounts, session);
  return { plan, days: await daysOfPlan(store, plan), who, stop };
}

async function save(
  ctx: FarmerContext,
  deps: FarmerDeps,
  { plan, who, stop }: PlannedChoices,
  token: string,
): Promise<void> {
  const { session, channel, requestId, logged } = ctx.state;
  const saved = await saveChoices(deps, { session, channel, requestId, who, stop }, plan);
  logged['granted'] = plan.start.length;
  logged['revoked'] = plan.stop.length;
  await endSave(deps.store, session, { form: token, ...saved });
}

async function show(
  ctx: FarmerContext,
  deps: FarmerDeps,
  planned: PlannedChoices,
  stale = false,
): Promise<void> {
  const { session, channel } = ctx.state;
  const { name, entity_types, delivery, cadence_ms, purpose, passes_on } = channel;
  let check = session.check!;
  const { plan, days } = planned;
  const says = checkDigest(ctx.state, planned);
  // A new form id, so that the outdated page cannot be saved.
  if (check.says !== says) {
    check = newCheck(says);
    // Another tap has saved that page or was shown this one: read the current state.
    if (!(await replaceCheck(deps.store, session, check))) return goTo(ctx, PATHS.check);
  }
  const page = checkPage({
    context: farmerPageContext(ctx, deps),
    customer: name,
    displayName: session.link.display_name,
    partnerId: session.link.partner_id,
    entityTypes: entity_types,
    collects: delivery === 'pull',
    cadenceMs: cadence_ms,
    purpose: purpose?.[session.language],
    passesOn: passes_on,
    today: days.today,
    plan,
    sharingUrl: sharingUrl(deps.farmer),
    form: check.form,
    stale,
  });
  answerPage(ctx, page, stale ? 409 : 200);
}
