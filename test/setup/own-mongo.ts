// The MongoDB of this worker of jest, of those the global setup has started.
const uris = (process.env.GDX_TEST_MONGODB_URIS ?? '').split(' ');
const mine = uris[(Number(process.env.JEST_WORKER_ID) - 1) % uris.length];
if (mine) process.env.MONGODB_URI = mine;
