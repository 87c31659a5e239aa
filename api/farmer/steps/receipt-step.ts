import { timeNow } from '../../../domain/time/elapsed';
import { escaped } from '../../../domain/text/escaped';
import { dayInZone, lastDayOf } from '../../../domain/consent/grant-end';
import { listConsents, type Consent } from '../../../store/consent/consents';
import { phoneOf } from '../../../store/sessions/farmer-sessions';
import { companyZones } from '../../../store/callers/integrations';
import { carriedAccounts, nameless } from '../../../store/consent/offered-accounts';
import { answerPage, goTo } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { listAccounts, whoOf } from '../list-accounts';
import { receiptPage } from '../pages/receipt-page';
import { PATHS, SEEN_RECEIPT, sharingUrl } from '../paths';
import { endingOf } from '../phone-number';
import type { Texts } from '../texts/en';
import { TEXTS } from '../texts/texts';
import type { FarmerContext, FarmerDeps } from '../farmer-state';

/** `GET .../receipt`: the farmer's consents from the ledger, as a text file. */
export async function downloadReceipt(ctx: FarmerContext, deps: FarmerDeps): Promise<void> {
  const { session } = ctx.state;
  if (!session.verified) return goTo(ctx, PATHS.code);
  const title = `${deps.farmer.serviceName}: ${TEXTS[session.language].receipt.title}`;
  ctx.set('Content-Type', 'text/plain; charset=utf-8');
  ctx.set('Content-Disposition', 'attachment; filename="receipt.txt"');
  ctx.body = [title, '', ...(await receiptLines(ctx, deps, 'file')), ''].join('\r\n');
}

/** The receipt as a page. */
export async function showReceipt(ctx: FarmerContext, deps: FarmerDeps): Promise<void> {
  const context = { ...farmerPageContext(ctx, deps), action: SEEN_RECEIPT };
  const text = (await receiptLines(ctx, deps, 'page')).join('\n');
  answerPage(ctx, receiptPage({ context, text }));
}

/** Only the file has the checksums, and the versions of the text, by which an entry is found in the ledger. */
async function receiptLines(
  ctx: FarmerContext,
  { store, farmer }: FarmerDeps,
  of: 'page' | 'file',
): Promise<string[]> {
  const { session, channel } = ctx.state;
  const texts = TEXTS[session.language];
  const t = texts.receipt;
  const phone = phoneOf(store, session);
  const consents = await listConsents(store, await whoOf(store, session));
  const { accounts, crowded } = await listAccounts(store, session, channel);
  const shared = accounts.filter(({ granted }) => granted);
  const ids = [...new Set([...shared.map(({ id }) => id), ...consents.map(({ account }) => account)])];
  // What an account that no longer carries the phone is called now is not this farmer's to read.
  const named = [...(await carriedAccounts(store, phone, crowded, ids)), ...shared];
  const byId = new Map(named.map((account) => [account.id, account]));
  const zones = await companyZones(
    store,
    ids.map((id) => nameless(id).company.id),
  );
  const zoneOf = (id: string) => zones.get(nameless(id).company.id);
  const nameOf = (id: string) => {
    const account = byId.get(id);
    return account ? `${account.name} (${account.company.name}, ${account.remote_id})` : id;
  };
  const lines = [
    `${t.to}: ${channel.name}`,
    t.phone(endingOf(phone)),
    texts.sharing.at(timeNow(), zoneOf(ids[0] ?? '')),
    '',
    `${t.now}: ${shared.length === 0 ? t.nothing : ''}`,
    ...shared.map(({ id }) => `- ${nameOf(id)}`),
    '',
    `${t.history}:`,
    ...consents.flatMap((consent) => {
      const { account } = consent;
      const lines = entryLines(consent, { account: nameOf(account), zone: zoneOf(account) }, texts);
      return of === 'file' ? [...lines, proofOf(consent)] : lines;
    }),
    '',
    t.agreed,
    `${texts.sharing.title}: ${sharingUrl(farmer)}`,
  ];
  return lines.map(escaped);
}

function entryLines(
  consent: Consent,
  { account, zone }: { account: string; zone: string | undefined },
  texts: Texts,
): string[] {
  const { _id, at, act, channel_name } = consent;
  const { receipt, sharing } = texts;
  return [
    '',
    `${_id.replace('/', '-')}  ${sharing.at(at, zone)}  ${receipt.acts[act]}: ${account}`,
    `  ${receipt.to}: ${channel_name}`,
    ...(act === 'grant' ? termsOf(consent, texts, zone).map((term) => `  - ${term}`) : []),
    ...howOf(consent, texts).map((how) => `  ${how}`),
  ];
}

function proofOf(consent: Consent): string {
  const read = 'by' in consent ? '' : `[${consent.text_version} ${consent.language}] `;
  return `  ${read}${consent.hash}`;
}

/** The terms of a consent in the words of the version that the farmer has read, which a later version must not change. */
export function termsOf(consent: Consent, { what, entityTypes, check }: Texts, zone?: string): string[] {
  const { entity_types: types, at, channel_name: customer } = consent;
  if ('by' in consent || consent.earlier === undefined) return types.map((type) => entityTypes[type]);
  const { purpose, passes_on, earlier, text_version } = consent;
  return [
    ...types.map((type) => what[type]),
    text_version < '2026-11-29' ? what.moreBefore : what.more,
    ...(purpose === undefined ? [] : [check.says(customer, purpose)]),
    ...(passes_on ? [check.passesOn(passes_on)] : []),
    earlier ? allSoFar(text_version, check) : check.onlyNew(dayInZone(at, zone)),
  ];
}

const allSoFar = (version: string, { earlierToo, earlierTooBefore }: Texts['check']): string =>
  version < '2026-11-30' ? earlierTooBefore : earlierToo;

/** The end of a grant, or who acted instead of the farmer. */
function howOf(consent: Consent, { receipt, check }: Texts): string[] {
  if (!('by' in consent)) {
    const { ends_at, phone_ending } = consent;
    return phone_ending ? [receipt.phone(phone_ending)] : ends_at ? [check.untilDay(lastDayOf(ends_at))] : [];
  }
  if (consent.by === 'operator') return [receipt.byOperator(consent.reason)];
  return consent.by === 'end' ? [receipt.byEnd] : [];
}
