import { formatTable } from '../../client/print';
import { readOptions } from '../../tools/local/read-options';
import { databaseUri } from '../bench/open-bench-store';
import { inOwnNamespace, requireNamespace } from '../setup/own-namespace';
import { FAULTS } from './faults';
import { play } from './play';
import { judge, forgottenBy, row } from './report';

const INSIDE = 'GDX_TEST_OWN_MOUNTS';
const say = (line: string) => process.stdout.write(`${line}\n`);

const STRICT = Object.keys(FAULTS).filter((name) => FAULTS[name]!.cast.isStrict);
const given = process.env.MONGODB_URI;
/** They break MongoDB itself, and one that was given is not theirs to break. */
const OF_MONGO = ['kill-mongo', 'freeze-mongo', 'disk-full'];

const USAGE = `npm run proof -- faults [FAULT]... [--strict] [--minutes N] [--rounds N]
  plays every fault, or those named, and says what each came to: ${Object.keys(FAULTS).join(', ')}
  MONGODB_URI names another MongoDB than one of its own: without ${OF_MONGO.join(', ')}
  --strict   in front of a MongoDB as strict as mongod, which ${STRICT.join(', ')} need
  --minutes  for those that are played for a time
  --rounds   how often each is played`;

async function main(): Promise<void> {
  const { positionals, values } = readOptions(USAGE, {
    allowPositionals: true,
    options: { strict: { type: 'boolean' }, minutes: { type: 'string' }, rounds: { type: 'string' } },
  });
  const unknown = positionals.filter((name) => !(name in FAULTS));
  if (unknown.length > 0)
    throw new Error(`no fault ${unknown.join(', ')}; there are ${Object.keys(FAULTS).join(', ')}`);
  const kind = STRICT.filter((name) => positionals.includes(name) && !values.strict);
  if (kind.length > 0) throw new Error(`${kind.join(', ')} cannot be played without --strict`);
  const notOurs = OF_MONGO.filter((name) => positionals.includes(name) && given);
  if (notOurs.length > 0)
    throw new Error(`${notOurs.join(', ')} cannot be played on a MongoDB that is given`);
  const playable = Object.keys(FAULTS).filter(
    (name) => (values.strict || !STRICT.includes(name)) && !(given && OF_MONGO.includes(name)),
  );
  const names = positionals.length > 0 ? positionals : playable;
  if (names.some((name) => FAULTS[name]!.cast.diskMB) && !process.env[INSIDE]) {
    requireNamespace('m'); // for the mount of a small disk
    process.env[INSIDE] = 'yes';
    process.exitCode = await inOwnNamespace('m', process.argv.slice(1));
    return;
  }
  const rows = [];
  for (const name of names) {
    const mongoUri = given && databaseUri(given, `gdx_faults_${process.pid}_${name}`);
    const fault = { ...FAULTS[name]!, cast: { ...FAULTS[name]!.cast, mongoUri, isStrict: values.strict } };
    if (fault.minutes && values.minutes) fault.minutes = Number(values.minutes);
    if (values.rounds) fault.times = Number(values.rounds);
    say(`${name}: ${fault.title}`);
    const began = Date.now();
    const verdict = await play(fault, say);
    rows.push({ fault: name, ...row(verdict), seconds: Math.round((Date.now() - began) / 1_000) });
    if (verdict.forgotten.length > 0) say(`  ${forgottenBy(verdict)}`);
    const broken = judge(verdict, fault);
    if (broken.length > 0) process.exitCode = 1;
    broken.forEach((line) => say(`  FAILED: ${line}`));
  }
  say(`\n${formatTable(rows)}`);
  say(
    process.exitCode ? 'not all of it holds' : 'every push was answered, nothing that MongoDB kept is lost',
  );
}

main().catch((error: Error) => {
  say(`faults: ${error.message}`);
  process.exitCode = 1;
});
