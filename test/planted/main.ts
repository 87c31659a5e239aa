import { readOptions } from '../../tools/local/read-options';
import { startTestParts, stopTestParts } from '../setup/test-parts';
import { FAULTS } from './all-faults';
import { changedFiles } from './changed-files';
import { faultsNamed, faultsOf } from './choose-faults';
import { CopiedCheckout } from './copied-checkout';
import type { PlantedFault } from './planted-fault';
import { type PlayedTest, playTests, resultOf } from './play-tests';

interface Verdict extends Pick<PlantedFault, 'name' | 'consequence' | 'test'> {
  caught: boolean;
  /** How the test failed, or why the fault could not be played. */
  why: string;
  seconds: number;
}

const USAGE = `npm run proof -- planted [NAME]... [--list] [--json]
npm run proof -- planted --changed [REV] [--list] [--json]
  is every planted fault, or each of those named, caught by the test that is named for it?
  --changed  those whose source or test has changed since REV, or since the branch left main
  --list     their names and what each would do
  --json     the verdicts as JSON`;

const { positionals, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: { changed: { type: 'boolean' }, json: { type: 'boolean' }, list: { type: 'boolean' } },
});

// With --json, stdout is the report alone: what the parts say goes elsewhere, too.
if (values.json) console.log = console.error;
const say = (line: string) => (values.json ? process.stderr : process.stdout).write(`${line}\n`);

async function main(): Promise<void> {
  const faults = chosen();
  if (faults.length === 0) return conclude([]);
  if (values.list) return faults.forEach(({ name, consequence }) => say(`${name}: ${consequence}`));
  await startTestParts();
  const copy = new CopiedCheckout();
  process.once('exit', () => copy.remove());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1)); // the next run ends the parts
  try {
    await requireClean(copy, faults);
    const verdicts: Verdict[] = [];
    for (const fault of faults) verdicts.push(await play(copy, fault));
    conclude(verdicts);
  } finally {
    await stopTestParts();
  }
}

function chosen(): PlantedFault[] {
  if (!values.changed) return faultsNamed(FAULTS, positionals);
  const [base, ...more] = positionals;
  if (more.length > 0) throw new Error('--changed takes one revision; leave out the names');
  return faultsOf(FAULTS, changedFiles(base));
}

/** A test that fails without a fault says nothing. */
async function requireClean({ dir }: CopiedCheckout, faults: PlantedFault[]): Promise<void> {
  say(`without a fault: the ${new Set(faults.map(({ test }) => `${test.path} ${test.name}`)).size} tests`);
  const played = await playTests(
    dir,
    faults.map(({ test }) => test),
  );
  const wrong = faults.flatMap((fault) => problemOf(fault, played) ?? []);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

function problemOf({ name, test }: PlantedFault, played: PlayedTest[]): string | undefined {
  try {
    const { failed } = resultOf(played, test);
    return failed === undefined ? undefined : `${name}: "${test.name}" fails without the fault: ${failed}`;
  } catch (error) {
    return `${name}: ${(error as Error).message}`;
  }
}

async function play(copy: CopiedCheckout, fault: PlantedFault): Promise<Verdict> {
  const { name, consequence, test } = fault;
  const began = Date.now();
  let caught = false;
  let why: string;
  try {
    const { failed } = await copy.withFault(fault, async () =>
      resultOf(await playTests(copy.dir, [test]), test),
    );
    caught = failed !== undefined;
    why = failed ?? `"${test.name}" passes all the same: ${consequence}`;
  } catch (error) {
    why = (error as Error).message;
  }
  const seconds = Math.round((Date.now() - began) / 1_000);
  say(caught ? `${name}: caught, ${seconds} s` : `${name}: NOT CAUGHT: ${why}`);
  return { name, consequence, test, caught, why, seconds };
}

function conclude(verdicts: Verdict[]): void {
  const caught = verdicts.filter((verdict) => verdict.caught).length;
  if (caught < verdicts.length) process.exitCode = 1;
  if (values.json) process.stdout.write(`${JSON.stringify(verdicts, null, 2)}\n`);
  say(`${caught} of ${verdicts.length} caught`);
}

main().catch((error: Error) => {
  say(`planted: ${error.message}`);
  process.exitCode = 1;
});
