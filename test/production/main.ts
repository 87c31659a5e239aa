import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { interruption } from '../../tools/demo/interruption';
import { findMongo } from '../../tools/local/find-mongo';
import { findTemporal } from '../../tools/local/find-temporal';
import { Findings } from './findings';
import { closingAfter } from '../setup/close-at-end';
import { inOwnNamespace } from '../setup/own-namespace';
import { raiseLoopback, requireOwnNetwork } from './own-network';
import { rehearse } from './rehearse';
import { setStage } from './stage';

const INSIDE = 'in-own-network';
const say = (line: string) => process.stdout.write(`${line}\n`);

/** `npm run proof -- production`: the service as docs/deploy.md has it, over TLS, in a network of its own. */
async function main(): Promise<void> {
  if (process.argv[2] === INSIDE) return inside();
  requireOwnNetwork();
  await findMongo(say); // what has to be fetched can only be fetched out here
  await findTemporal(say);
  process.exitCode = await inOwnNamespace('n', [__filename, INSIDE]);
}

async function inside(): Promise<void> {
  const [findings, began] = [new Findings(say), Date.now()];
  const dir = mkdtempSync(path.join(tmpdir(), 'gdx-production-'));
  let failed = true;
  try {
    raiseLoopback();
    const story = async () => rehearse(await setStage(dir, say), findings);
    await closingAfter(() => Promise.race([story(), interruption()]));
    failed = !findings.allHold;
  } finally {
    if (failed) say(`logs: ${dir}`);
    else rmSync(dir, { recursive: true });
  }
  say(`\n${findings.table()}`);
  say(`${failed ? 'not all of it holds' : 'all of it holds'}; ${Math.round((Date.now() - began) / 1_000)} s`);
  process.exit(failed ? 1 : 0); // an interrupted story may still be waiting for something
}

main().catch((error: Error) => {
  say(`production: ${error.message}`);
  process.exit(1);
});
