import { closeBooks } from './chapters/close-books';
import { deliverChanges } from './chapters/deliver-changes';
import { deliverFirstPages } from './chapters/deliver-first-pages';
import { outlastOutage } from './chapters/outlast-outage';
import { pushCompany } from './chapters/push-company';
import { resetMarker } from './chapters/reset-marker';
import { shareAccount } from './chapters/share-account';
import { startParts } from './chapters/start-parts';
import { stayQuiet } from './chapters/stay-quiet';
import type { ChannelKey } from './channel-key';
import { Cleanup } from './cleanup';
import type { Erp } from './erp';
import { interruption, Interrupted } from './interruption';
import { judge } from './judge';
import { linksIn, sayLinks } from './links';
import type { Numbers } from './numbers';
import { type Options, readOptions } from './options';
import { sayKept } from './say-kept';
import { sayVerdict } from './say-verdict';
import type { Stage } from './stage';
import { red, say } from './terminal';

interface Told {
  numbers: Numbers;
  /** The delivery that had to wait for its customer. */
  delivery: string;
  erp: Erp;
  key: ChannelKey;
}

const EXIT = { right: 0, wrong: 1, interrupted: 130 };

/** The story, chapter by chapter. The first one has started the parts. */
async function tell(stage: Stage, cleanup: Cleanup): Promise<Told> {
  const { erp, pushed } = await pushCompany(stage);
  const { key, first_delivery } = await deliverFirstPages(stage, erp);
  const quiet = await stayQuiet(stage);
  const changes = await deliverChanges(stage, erp, key);
  const { delivery, outage } = await outlastOutage(stage, erp, key);
  const reset = await resetMarker(stage, key);
  const sharing = await shareAccount(stage, { erp, key }, cleanup);
  const closing = await closeBooks(stage, erp, reset);
  const numbers = { pushed, first_delivery, quiet, changes, outage, reset, sharing, ...closing };
  return { numbers, delivery, erp, key };
}

/** @returns what is wrong with the numbers */
function conclude(stage: Stage, told: Told, { keep, json }: Options, began: number): string[] {
  const wrong = judge(told.numbers);
  sayVerdict(wrong, began);
  const links = stage.uiUrl === undefined ? undefined : linksIn(stage.uiUrl, told.delivery);
  if (links) sayLinks(links, keep);
  if (keep) sayKept(stage, told.erp.token, told.key.key);
  if (json) say(JSON.stringify({ ok: wrong.length === 0, wrong, ...told.numbers, links }));
  return wrong;
}

/** `npm run demo`: ends 0 only when every number is right. */
async function main(): Promise<void> {
  const options = readOptions();
  const began = Date.now();
  const cleanup = new Cleanup();
  const interrupted = interruption();
  let exitCode = EXIT.interrupted;
  try {
    const stage = await Promise.race([startParts(cleanup), interrupted]);
    const told = await Promise.race([tell(stage, cleanup), stage.died, interrupted]);
    const wrong = conclude(stage, told, options, began);
    exitCode = wrong.length === 0 ? EXIT.right : EXIT.wrong;
    if (options.keep) await Promise.race([stage.died, interrupted]);
  } catch (error) {
    if (!(error instanceof Interrupted)) {
      exitCode = EXIT.wrong;
      say(red(`\n   The story ends here: ${(error as Error).message}`));
    }
  }
  await cleanup.run(exitCode === EXIT.wrong);
  process.exit(exitCode);
}

void main();
