import { closeBooks } from './chapters/close-books';
import { deliverChanges } from './chapters/deliver-changes';
import { deliverFirstPages } from './chapters/deliver-first-pages';
import { outlastOutage } from './chapters/outlast-outage';
import { pushCompany } from './chapters/push-company';
import { resetOneMarker } from './chapters/reset-one-marker';
import { shareAccount } from './chapters/share-account';
import { startDemoParts } from './chapters/start-demo-parts';
import { stayQuiet } from './chapters/stay-quiet';
import { judgeHistory } from '../judge/record-history';
import { Cleanup } from './cleanup';
import { interruption, Interrupted } from './interruption';
import { linksIn, sayLinks } from './links';
import { readOptions } from '../local/read-options';
import { printRunningDemo } from './print-running-demo';
import type { DemoStage } from './demo-stage';
import { red, say } from './terminal';
import { check, checks, sayVerdict } from './verdict';

type Told = Awaited<ReturnType<typeof tell>>;

interface Options {
  /** Everything keeps running after the demo, until Ctrl-C. */
  keep: boolean;
  /** The closing numbers as one line of JSON at the end. */
  json: boolean;
}

const USAGE = `npm run demo -- [--keep] [--json]
  tells the service's story in a database and a namespace of its own; ends 0 only when every number is right.
  --keep  everything keeps running after it, until Ctrl-C
  --json  the closing numbers as one line of JSON at the end`;
const FLAG = { type: 'boolean', default: false } as const;

const EXIT = { right: 0, wrong: 1, interrupted: 130 };

/** The story, chapter by chapter. The first one has started the parts. */
async function tell(stage: DemoStage, cleanup: Cleanup) {
  const erp = await pushCompany(stage);
  const key = await deliverFirstPages(stage, erp);
  await stayQuiet(stage);
  await deliverChanges(stage, erp, key);
  const delivery = await outlastOutage(stage, erp, key);
  const repeated = await resetOneMarker(stage, key);
  await shareAccount(stage, { erp, key }, cleanup);
  const entity_types = await closeBooks(stage, erp, { tickets: repeated });
  judge();
  return { entity_types, delivery, erp, key };
}

/** All that ERP, customers and farmer saw, judged by a program that knows the contract alone; without python3 it is not. */
function judge(): void {
  const said = judgeHistory();
  if (!said) return say('   python3 is not there, so nothing is judged by docs/contract.md');
  said.lines.forEach((line) => say(`   judge: ${line}`));
  check('verdict by docs/contract.md', said.accepted, true);
}

/** @returns whether every number is right */
function conclude(stage: DemoStage, told: Told, { keep, json }: Options, began: number): boolean {
  const wrong = sayVerdict(began);
  const ok = wrong.length === 0;
  const links = stage.uiUrl === undefined ? undefined : linksIn(stage.uiUrl, told.delivery);
  if (links) sayLinks(links, keep);
  if (keep) printRunningDemo(stage, told.erp.token, told.key.key);
  if (json) say(JSON.stringify({ ok, wrong, checks, entity_types: told.entity_types, links }));
  return ok;
}

/** `npm run demo`: ends 0 only when every number is right. */
async function main(): Promise<void> {
  const options: Options = readOptions(USAGE, { options: { keep: FLAG, json: FLAG } }).values;
  const began = Date.now();
  const cleanup = new Cleanup();
  const interrupted = interruption();
  let exitCode = EXIT.interrupted;
  try {
    const stage = await Promise.race([startDemoParts(cleanup), interrupted]);
    const told = await Promise.race([tell(stage, cleanup), stage.died, interrupted]);
    exitCode = conclude(stage, told, options, began) ? EXIT.right : EXIT.wrong;
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
