// Loaded before a process of a fault: appends to the file of GDX_TEST_COMMITS the request id of each push whose
// commitTransaction MongoDB answered with ok. The URI has to ask for `monitorCommands`.
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
  const receipts = new Map(); // session -> the receipt that its last transaction wrote
  const committing = new Map(); // command -> the receipt that it commits
  client.on('commandStarted', ({ commandName, command, requestId }) => {
    const session = command.lsid?.id.toString('hex');
    const { insert, txnNumber } = command;
    if (insert === 'push_receipts') receipts.set(session, { txnNumber, id: command.documents[0]._id });
    if (commandName !== 'commitTransaction') return;
    const receipt = receipts.get(session);
    if (receipt && String(receipt.txnNumber) === String(txnNumber)) committing.set(requestId, receipt.id);
  });
  client.on('commandFailed', ({ requestId }) => committing.delete(requestId));
  client.on('commandSucceeded', ({ requestId }) => {
    if (!committing.has(requestId)) return;
    appendFileSync(file, `${committing.get(requestId).split('/')[1]}\n`);
    committing.delete(requestId);
  });
}
