// Loaded before a process of a fault: appends to the file of GDX_TEST_COMMITS a line for each commitTransaction that MongoDB
// answered with ok, with the request ids of the pushes in it. The URI has to ask for `monitorCommands`.
import { appendFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';

const { GDX_TEST_COMMITS: file } = process.env;
const watched = new WeakSet();
const { connect } = MongoClient.prototype;

MongoClient.prototype.connect = function () {
  if (!watched.has(this)) watch(this);
  return connect.call(this);
};

function watch(client) {
  watched.add(client);
  const receipts = new Map(); // session -> the receipts that its last transaction wrote
  const committing = new Map(); // command -> the receipts that it commits
  client.on('commandStarted', ({ commandName, command, requestId }) => {
    const session = command.lsid?.id.toString('hex');
    const { insert, txnNumber } = command;
    if (insert === 'push_receipts') {
      const ids = command.documents.map(({ _id }) => _id.split('/')[1]);
      receipts.set(session, { txnNumber, ids });
    }
    if (commandName !== 'commitTransaction') return;
    const written = receipts.get(session);
    if (written && String(written.txnNumber) === String(txnNumber)) committing.set(requestId, written.ids);
  });
  client.on('commandFailed', ({ requestId }) => committing.delete(requestId));
  client.on('commandSucceeded', ({ requestId }) => {
    if (!committing.has(requestId)) return;
    appendFileSync(file, `${committing.get(requestId).join(' ')}\n`);
    committing.delete(requestId);
  });
}
