import { formatTable } from '../../client/print';
import { readOptions } from '../../tools/local/read-options';
import { play } from '../faults/play';
import { judge, row } from '../faults/report';
import { SOAK, spared } from './soak';
import { Standstill } from './standstill';
import { Watch } from './watch';

const say = (line: string) => process.stdout.write(`${line}\n`);

const USAGE = `npm run proof -- soak [--strict] [--minutes N]
  does it hold, and stay small, for an hour (or N minutes) of pushes and faults? Linux only.
  --strict  in front of a MongoDB as strict as mongod`;

async function main(): Promise<void> {
  const minutes = { type: 'string', default: String(SOAK.minutes) } as const;
  const { values } = readOptions(USAGE, { options: { strict: { type: 'boolean' }, minutes } });
  const cast = { ...SOAK.cast, isStrict: values.strict };
  const fault = { ...SOAK, cast, minutes: Number(values.minutes) };
  say(`soak: ${fault.title}, ${fault.minutes} minutes`);
  const watch = new Watch();
  const standstill = new Standstill(say);
  const verdict = await play(fault, say, (scene) => {
    watch.look(spared(scene));
    standstill.look(scene);
  });
  const broken = judge(verdict, fault, [...standstill.broken(), ...watch.broken()]);
  say(`\n${formatTable([{ minutes: fault.minutes, ...row(verdict) }])}\n${formatTable(watch.rows())}`);
  broken.forEach((line) => say(`FAILED: ${line}`));
  if (broken.length > 0) process.exitCode = 1;
  else say('every push was answered, nothing acknowledged is lost, memory and handles are flat');
}

main().catch((error: Error) => {
  say(`soak: ${error.message}`);
  process.exitCode = 1;
});
