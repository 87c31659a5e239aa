/* global db, process, quit, sleep -- mongosh; runs once, and again without harm */
db.getSiblingDB('admin').auth('root', process.env.MONGODB_ROOT_PASSWORD);

function isInitiated() {
  try {
    return db.adminCommand({ replSetGetStatus: 1 }).ok === 1;
  } catch (error) {
    if (error.codeName === 'NotYetInitialized') return false;
    throw error;
  }
}

if (!isInitiated()) {
  db.adminCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: 'mongodb:27017' }] } });
}
for (let waited = 0; !db.hello().isWritablePrimary; waited++) {
  if (waited > 60) {
    print('the replica set has no primary after 60 s');
    quit(1);
  }
  sleep(1000);
}

const gdx = db.getSiblingDB('gdx');
const user = { pwd: process.env.MONGODB_GDX_PASSWORD, roles: [{ role: 'readWrite', db: 'gdx' }] };
if (gdx.getUser('gdx')) gdx.updateUser('gdx', user);
else gdx.createUser({ user: 'gdx', ...user });
print('replica set rs0 and user gdx are there');
