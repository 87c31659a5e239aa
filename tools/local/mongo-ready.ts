import { type Db, MongoClient, MongoServerError } from 'mongodb';

const SET = 'gdx';
const NOT_YET_INITIALIZED = 94;

/** Flags that make mongod a replica set of one, which transactions need. */
export const REPLICA_SET_FLAGS = ['--replSet', SET, '--oplogSize', '1024'];

/** The name and version of the server at `uri`. */
export function askMongoName(uri: string): Promise<string> {
  return withAdmin(uri, async (admin) => {
    const { version, secantusVersion } = await admin.command({ buildInfo: 1 });
    return secantusVersion ? `secantusd ${secantusVersion}` : `mongod ${version}`;
  });
}

/** Throws until MongoDB at the port accepts writes; initiates the replica set of a new mongod. */
export function mongoReady(port: number): Promise<void> {
  return withAdmin(`mongodb://127.0.0.1:${port}/?directConnection=true`, async (admin) => {
    const { isWritablePrimary } = await admin.command({ hello: 1 });
    if (isWritablePrimary) return;
    await makeReplicaSet(admin, `127.0.0.1:${port}`);
    throw new Error('MongoDB is not primary yet');
  });
}

// The stored replica set configuration names the previous port.
async function makeReplicaSet(admin: Db, host: string): Promise<void> {
  const members = [{ _id: 0, host }];
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    if (config.members[0].host === host) return;
    const moved = { ...config, version: config.version + 1, members: [{ ...config.members[0], host }] };
    await admin.command({ replSetReconfig: moved, force: true });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NOT_YET_INITIALIZED) throw error;
    await admin.command({ replSetInitiate: { _id: SET, members } });
  }
}

async function withAdmin<T>(uri: string, ask: (admin: Db) => Promise<T>): Promise<T> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000 });
  try {
    return await ask(client.db('admin'));
  } finally {
    await client.close();
  }
}
