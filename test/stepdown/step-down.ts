import { MongoClient, type Document } from 'mongodb';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '../setup/eventually';

const INELIGIBLE_S = 10;
const CATCH_UP_S = 5;
const ELECTED_MS = 60_000;

/** Has the primary step down, for another member, or for itself after a while where it is alone. */
export async function stepDown(uri: string): Promise<{ before: string; after: string }> {
  const { me: before, hosts } = await primaryOf(uri);
  const isAlone = hosts.length === 1;
  const times = { replSetStepDown: INELIGIBLE_S, secondaryCatchUpPeriodSecs: CATCH_UP_S };
  await inAdmin(uri, { ...times, force: isAlone });
  const { me: after } = await eventually(() => primaryOf(uri), ELECTED_MS);
  if (!isAlone && after === before) throw new Error(`${before} did not step down`);
  await setTimeout(INELIGIBLE_S * 1_000); // or the next round might find nobody to elect
  return { before, after };
}

async function primaryOf(uri: string): Promise<{ me: string; hosts: string[] }> {
  const { me, hosts, isWritablePrimary } = await inAdmin(uri, { hello: 1 });
  if (!isWritablePrimary) throw new Error(`${me} is not primary`);
  return { me, hosts };
}

// A client of its own each time: those of the service have to find the new primary by themselves.
async function inAdmin(uri: string, command: Document): Promise<Document> {
  const client = await MongoClient.connect(uri, { readPreference: 'primary' });
  try {
    return await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}
