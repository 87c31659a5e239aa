/* global db, process, quit, require, sleep -- mongosh; runs once, and again without harm */
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

// API and worker may do what deploy/mongodb-roles.json says; gdx migrates, so it may do everything in this database.
for (const [role, rights] of Object.entries(require('/scripts/mongodb-roles.json'))) {
  const privileges = Object.entries(rights).map(([collection, actions]) => ({
    resource: { db: 'gdx', collection: collection === '*' ? '' : collection },
    actions,
  }));
  if (gdx.getRole(role)) gdx.updateRole(role, { privileges, roles: [] });
  else gdx.createRole({ role, privileges, roles: [] });
}

function ensureUser(user, pwd, roles) {
  if (gdx.getUser(user)) gdx.updateUser(user, { pwd, roles });
  else gdx.createUser({ user, pwd, roles });
}
ensureUser('gdx-api', process.env.MONGODB_API_PASSWORD, ['gdx-api']);
ensureUser('gdx-worker', process.env.MONGODB_WORKER_PASSWORD, ['gdx-worker']);
ensureUser('gdx', process.env.MONGODB_GDX_PASSWORD, [{ role: 'readWrite', db: 'gdx' }]);
print('replica set rs0 and users gdx-api, gdx-worker and gdx are there');
