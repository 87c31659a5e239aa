import type { Browser } from 'playwright-core';
import { count } from '../../domain/count';
import { startBrowser } from '../browser/start-browser';
import type { ChannelKey } from '../channel-key';
import type { Cleanup } from '../cleanup';
import { recordsOf } from '../customer-process';
import type { Erp } from '../erp';
import { FarmerVisit } from '../farmer-visit';
import { addLender, linkOfLender } from '../lender';
import type { Numbers } from '../numbers';
import { pushTicketOfEach } from '../push-ticket-of-each';
import { accountsOfOnePhone, compareWithAccount, recordsOfAccount } from '../records-of-account';
import { COMPANY, LENDER, PATIENCE_MS, type Stage } from '../stage';
import { chapter, say } from '../terminal';

/** 8: a farmer lets a lender see one of two accounts, and stops. */
export async function shareAccount(
  stage: Stage,
  told: { erp: Erp; key: ChannelKey },
  cleanup: Cleanup,
): Promise<Numbers['sharing']> {
  chapter(
    'A farmer decides who gets the records',
    'Some customers get only what farmers share with them, account by account, until they stop it.',
  );
  const { erp } = told;
  const { lender } = stage;
  const bankKey = await addLender(stage);
  const [chosen, other] = accountsOfOnePhone(erp);
  const [chosenId, phone] = [`${COMPANY.id}-${chosen.id}`, chosen.phones[0]!.phone];
  say(`   ${COMPANY.name} has the phone ${phone} for two accounts: ${chosen.name}, ${other.name}`);
  const visit = await FarmerVisit.follow(await browserFor(cleanup), linkOfLender(stage, phone));
  say(`   farmer -> follows the bank's link  GET /subscriptions?partner_slug=${LENDER.slug}&...`);
  say(
    `   farmer -> proves the phone with the code ${await visit.provePhone()}, as a test system shows it on the page`,
  );
  const offered = await visit.accounts();
  await choose(visit, chosenId, true);

  const before = recordsOfAccount(erp, chosen.id, ['accounts', 'contracts', 'tickets']);
  const earlier = recordsOf(await lender.receives(before.length, 0, PATIENCE_MS));
  await bankKey.untilConfirmed();
  say(`   what ${chosen.name} had before: ${count(earlier, 'record')}`);
  const later = await pushTicketOfEach(stage, told, [chosen.id, other.id]);
  const { differing } = compareWithAccount((await lender.report()).held, erp, chosen.id);

  await visit.changeChoices();
  await choose(visit, chosenId, false);
  const after_revoke = await pushTicketOfEach(stage, told, [chosen.id, other.id]);
  const { held, signatures } = await lender.report();
  const { strangers } = compareWithAccount(held, erp, chosen.id);
  say(`   of any other account the bank holds ${count(strangers, 'record')}`);
  return {
    page: { offered: offered.length, ticked: offered.filter(({ ticked }) => ticked).length },
    earlier: { expected: before.length, received: earlier },
    ...{ later, after_revoke, strangers, differing },
    signatures: { ...signatures, pages: lender.pages.length },
  };
}

async function browserFor(cleanup: Cleanup): Promise<Browser> {
  const browser = await startBrowser();
  cleanup.add(() => browser.close());
  say(`   a browser: Chromium ${browser.version()}, without a window`);
  return browser;
}

async function choose(visit: FarmerVisit, account: string, ticked: boolean): Promise<void> {
  say(`   farmer -> ${ticked ? 'ticks' : 'comes back and unticks'} ${await visit.tick(account, ticked)}`);
  const { button, answer } = await visit.agree();
  say(`   farmer -> presses "${button}"`);
  say(`   page   -> "${answer}"`);
}
