import type { Browser } from 'playwright-core';
import { count } from '../../../domain/records/count';
import { recordChoice } from '../../judge/record-history';
import { startBrowser } from '../browser/start-browser';
import type { ChannelKey } from '../channel-key';
import type { Cleanup } from '../cleanup';
import { recordsOf } from '../demo-customer';
import type { DemoErp } from '../demo-erp';
import { FarmerBrowser } from '../farmer-browser';
import { addLender, linkOfLender } from '../lender';
import { pushTicketOfEach } from '../push-ticket-of-each';
import { accountsOfOnePhone, compareWithAccount, recordsOfAccount } from '../records-of-account';
import { DEMO_COMPANY, LENDER, STEP_TIMEOUT_MS, type DemoStage } from '../demo-stage';
import { chapter, say } from '../terminal';
import { check } from '../verdict';

/** 8: a farmer shares one of two accounts with a lender, then stops. */
export async function shareAccount(
  stage: DemoStage,
  told: { erp: DemoErp; key: ChannelKey },
  cleanup: Cleanup,
): Promise<void> {
  chapter(
    'A farmer decides who gets the records',
    'Some customers get only what farmers share with them, account by account, until they stop it.',
  );
  const { erp } = told;
  const { lender } = stage;
  const bankKey = await addLender(stage);
  const [chosen, other] = accountsOfOnePhone(erp);
  const [chosenId, phone] = [`${DEMO_COMPANY.id}-${chosen.id}`, chosen.phones[0]!.phone];
  say(`   ${DEMO_COMPANY.name} has the phone ${phone} for two accounts: ${chosen.name}, ${other.name}`);
  const farmer = await FarmerBrowser.follow(await browserFor(cleanup), linkOfLender(stage, phone));
  say(`   farmer -> follows the bank's link  GET /subscriptions?partner_slug=${LENDER.slug}&...`);
  say(
    `   farmer -> proves the phone with the code ${await farmer.provePhone()}, as a test system shows it on the page`,
  );
  const offered = await farmer.accounts();
  check('accounts that the page offers', offered.length, 2);
  check('accounts that it ticks by itself', offered.filter(({ ticked }) => ticked).length, 0);
  await choose(farmer, chosenId, true);

  const before = recordsOfAccount(erp, chosen.id, ['accounts', 'contracts', 'tickets']);
  const earlier = recordsOf(await lender.receives(before.length, 0, STEP_TIMEOUT_MS));
  await bankKey.untilConfirmed();
  say(`   what ${chosen.name} had before: ${count(earlier, 'record')}`);
  check('earlier records of the shared account', earlier, before.length);
  const later = await pushTicketOfEach(stage, told, [chosen.id, other.id]);
  check('of one ticket of each account', later, 1);
  const { differing } = compareWithAccount(lender.records.report().held, erp, chosen.id);
  check('records of the lender that are not as they were pushed', differing, 0);

  await farmer.changeChoices();
  await choose(farmer, chosenId, false);
  const afterRevoke = await pushTicketOfEach(stage, told, [chosen.id, other.id]);
  check('of one ticket of each, when nothing is shared', afterRevoke, 0);
  const { strangers } = compareWithAccount(lender.records.report().held, erp, chosen.id);
  say(`   of any other account the bank holds ${count(strangers, 'record')}`);
  check('records of the lender that nobody shared with it', strangers, 0);
  check('signatures of the lender', lender.signatures, { verified: lender.pages.length, wrong: 0 });
}

async function browserFor(cleanup: Cleanup): Promise<Browser> {
  const browser = await startBrowser();
  cleanup.add(() => browser.close());
  say(`   a browser: Chromium ${browser.version()}, without a window`);
  return browser;
}

async function choose(farmer: FarmerBrowser, account: string, ticked: boolean): Promise<void> {
  say(`   farmer -> ${ticked ? 'ticks' : 'comes back and unticks'} ${await farmer.tick(account, ticked)}`);
  const began = Date.now();
  const { button, answer } = await farmer.agree();
  recordChoice(ticked ? 'grant' : 'revoke', LENDER.slug, account, began);
  say(`   farmer -> presses "${button}"`);
  say(`   page   -> "${answer}"`);
}
