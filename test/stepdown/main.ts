import { MongoClient } from 'mongodb';
import { formatTable } from '../../client/print';
import type { Fault } from '../faults/faults';
import { play } from '../faults/play';
import { judge, row } from '../faults/report';
import { stepDown } from './step-down';

const say = (line: string) => process.stdout.write(`${line}\n`);

/**
 * `npm run proof -- stepdown`: the primary steps down again and again while ERPs push and customers are fed. Every push has
 * to be answered, and everything acknowledged has to arrive, in order. On the replica set that `MONGODB_URI` names
 * (replica-set.sh starts one of three), else on a MongoDB of its own, which is alone and becomes primary again.
 */
async function main(): Promise<void> {
  const given = process.env.MONGODB_URI;
  const mongoUri = given && withDatabase(given, `gdx_stepdown_${process.pid}`);
  const fault = stepDowns(mongoUri);
  say(fault.title);
  try {
    const verdict = await play(fault, say);
    say(`\n${formatTable([row(verdict)])}`);
    const broken = judge(verdict, fault);
    broken.forEach((line) => say(`FAILED: ${line}`));
    if (broken.length > 0) process.exitCode = 1;
  } finally {
    if (mongoUri) await dropDatabase(mongoUri);
  }
}

const stepDowns = (mongoUri: string | undefined): Fault => ({
  title: 'the primary steps down during pushes and deliveries',
  cast: {
    mongoUri,
    apis: 2,
    workers: 2,
    channels: [
      { slug: 'acme', page_size: 50, cadence_ms: 1_000 },
      { slug: 'bison', page_size: 7, cadence_ms: 1_000 },
    ],
  },
  times: 5,
  // For each channel and type, one page may be confirmed when the move of its marker is cut off.
  repeatedPages: 8,
  async act({ parts }) {
    const { before, after } = await stepDown(parts.mongodbUri);
    say(`  ${before} stepped down, ${after} is primary`);
  },
});

function withDatabase(uri: string, database: string): string {
  const [, servers, options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*(\?.*)?$/.exec(uri) ?? [];
  if (!servers) throw new Error('MONGODB_URI must begin with mongodb://');
  return `${servers}/${database}${options}`;
}

async function dropDatabase(uri: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  await client.db().dropDatabase();
  await client.close();
}

main().catch((error: Error) => {
  say(`stepdown: ${error.message}`);
  process.exitCode = 1;
});
