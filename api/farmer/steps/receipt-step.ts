import { escaped } from '../../../domain/escaped';
import { lastDayOf } from '../../../domain/grant-end';
import { formatInstant } from '../../../domain/instants';
import { listConsents, type Consent } from '../../../store/consent/consents';
import { phoneOf } from '../../../store/sessions/farmer-sessions';
import { accountsById } from '../../../store/consent/offered-accounts';
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
  ctx.body = [title, '', ...(await receiptLines(ctx, deps)), ''].join('\r\n');
}

/** The receipt as a page. */
export async function showReceipt(ctx: FarmerContext, deps: FarmerDeps): Promise<void> {
  const context = { ...farmerPageContext(ctx, deps), action: SEEN_RECEIPT };
  const text = (await receiptLines(ctx, deps)).join('\n');
  answerPage(ctx, receiptPage({ context, text }));
}

async function receiptLines(ctx: FarmerContext, { store, farmer }: FarmerDeps): Promise<string[]> {
  const { session, channel } = ctx.state;
  const texts = TEXTS[session.language];
  const t = texts.receipt;
  const consents = await listConsents(store, await whoOf(store, session));
  const { accounts } = await listAccounts(store, session, channel);
  const shared = accounts.filter(({ granted }) => granted);
  const names = await namesOf(consents.map(({ account }) => account));
  const nameOf = (id: string) => names.get(id) ?? id;
  const lines = [
    `${t.to}: ${channel.name}`,
    t.phone(endingOf(phoneOf(store, session))),
    formatInstant(new Date()),
    '',
    `${t.now}: ${shared.length === 0 ? t.nothing : ''}`,
    ...shared.map(({ id }) => `- ${nameOf(id)}`),
    '',
    `${t.history}:`,
    ...consents.flatMap((consent) => entryLines(consent, nameOf(consent.account), texts)),
    '',
    t.agreed,
    `${texts.sharing.title}: ${sharingUrl(farmer)}`,
  ];
  return lines.map(escaped);

  async function namesOf(ids: string[]): Promise<Map<string, string>> {
    const accounts = await accountsById(store, [...new Set(ids)]);
    return new Map(
      accounts.map(({ id, name, company, remote_id }) => [id, `${name} (${company.name}, ${remote_id})`]),
    );
  }
}

function entryLines(consent: Consent, account: string, { receipt, entityTypes }: Texts): string[] {
  const { _id, at, act, channel_name } = consent;
  const read = 'by' in consent ? '' : `[${consent.text_version} ${consent.language}] `;
  return [
    '',
    `${_id.replace('/', '-')}  ${formatInstant(at)}  ${receipt.acts[act]}: ${account}`,
    `  ${receipt.to}: ${channel_name}`,
    ...(act === 'grant' ? consent.entity_types.map((type) => `  - ${entityTypes[type]}`) : []),
    ...howOf(consent, receipt).map((how) => `  ${how}`),
    `  ${read}${consent.hash}`,
  ];
}

/** When the grant ends, or who acted instead of the farmer. */
function howOf(consent: Consent, receipt: Texts['receipt']): string[] {
  if (!('by' in consent)) return consent.ends_at ? [receipt.until(lastDayOf(consent.ends_at))] : [];
  return [consent.by === 'operator' ? receipt.byOperator(consent.reason) : receipt.byEnd];
}
