// Loaded into a real process by `node --import`: writes which commands it sends to which collections of MongoDB.
import { appendFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';

const seen = new Set();
const emit = MongoClient.prototype.emit;
MongoClient.prototype.emit = function (name, event) {
  if (name === 'commandStarted') note(event);
  return emit.apply(this, arguments);
};

function note({ commandName, command }) {
  const target = commandName === 'getMore' ? command.collection : command[commandName];
  const { upsert, remove, update } = command;
  const upserts = Boolean(upsert || command.updates?.some((one) => one.upsert));
  const line = JSON.stringify({
    commandName,
    target,
    upserts,
    changes: Boolean(update),
    removes: Boolean(remove),
  });
  if (seen.has(line)) return;
  seen.add(line);
  appendFileSync(process.env.RECORD_COMMANDS, `${line}\n`);
}
