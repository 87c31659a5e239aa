import type {
  CommandStartedEvent,
  CommandSucceededEvent,
  CommandFailedEvent,
  Document,
  MongoClient,
} from 'mongodb';
import type { FakeCustomer } from '../setup/fake-customer';
import { RunChecker } from './run-checker';

/** Checks what this client asks of MongoDB, and what the customer confirms. It has to be a client that tells its commands. */
export function watchRun(
  client: MongoClient,
  customer: FakeCustomer,
): { checker: RunChecker; stop: () => void } {
  const checker = new RunChecker();
  const open = new Map<number, (answer?: Document) => void>();
  const end = (requestId: number, answer?: Document) => {
    open.get(requestId)?.(answer);
    open.delete(requestId);
  };
  const started = ({ requestId, command }: CommandStartedEvent) =>
    open.set(requestId, checker.commandSent(command));
  const succeeded = ({ requestId, reply }: CommandSucceededEvent) => end(requestId, reply as Document);
  const failed = ({ requestId }: CommandFailedEvent) => end(requestId);
  client.on('commandStarted', started).on('commandSucceeded', succeeded).on('commandFailed', failed);
  watchCustomer(checker, customer);
  return {
    checker,
    stop() {
      client.off('commandStarted', started).off('commandSucceeded', succeeded).off('commandFailed', failed);
    },
  };
}

export function watchCustomer(checker: RunChecker, customer: FakeCustomer): void {
  customer.arrives = (page) => checker.pageArrived(page);
  customer.see = (page) => {
    if (page.status >= 200 && page.status < 300) checker.pageConfirmed(page);
  };
}
