import { once } from 'node:events';
import net from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Document, Long, type Timestamp, UUID } from 'mongodb';
import { askerOf, type Message, write } from './op-msg';
import { MANUAL, nameOf, WRITES } from './rules';

/** What a lagging majority shows, by name: where it is described. */
export const LAGS = {
  majorityReadsAreOld: `${MANUAL}/reference/read-concern-majority/, ${MANUAL}/reference/read-concern-snapshot/`,
  majorityWritesWait: `${MANUAL}/reference/write-concern/#mongodb-writeconcern-writeconcern.-majority-`,
  linearizableReadsWait: `${MANUAL}/reference/read-concern-linearizable/`,
  causalSessionsWait: `${MANUAL}/core/causal-consistency-read-write-concerns/`,
};

/** One snapshot: an open transaction of the server behind the wire, on a connection of its own. */
interface View {
  ask: (command: Document) => Promise<Message>;
  time: Timestamp;
  cursors: Set<string>;
  /** How many reads of it are in flight. */
  reads: number;
  close: () => void;
}

// What can be asked within a transaction. Another read of a majority sees what is new.
const READS = new Set(['find', 'aggregate', 'distinct']);
const SOME = { find: 'things', filter: {}, limit: 1, singleBatch: true, $db: 'strict' };

/**
 * The other members of a replica set that are behind by `ms`: a read of what a majority has sees the data as they were
 * when they last caught up, and whoever waits for a majority waits until they do. Within a transaction a read sees what is
 * newest, and its commit waits.
 */
export async function startLaggingMajority(
  address: [host: string, port: string],
  ms: number,
  without: readonly string[],
) {
  const isRule = (name: keyof typeof LAGS) => !without.includes(name);
  const views = new Set<View>();
  let newest = await openView();
  let isOver = false;
  const over = new AbortController();
  let caughtUp = nextTime();

  function nextTime() {
    let come = () => {};
    const coming = new Promise<void>((resolve) => (come = resolve));
    return { come: () => come(), coming };
  }

  async function openView(): Promise<View> {
    const [host, port] = address;
    const socket = net.connect(Number(port), host);
    await once(socket, 'connect');
    socket.on('error', () => socket.destroy());
    const askBytes = askerOf(socket);
    const transaction = { lsid: { id: new UUID() }, txnNumber: Long.ONE, autocommit: false };
    const ask = (command: Document) => askBytes(write({ ...command, ...transaction }));
    const { body } = await ask({ ...SOME, startTransaction: true });
    const close = () => {
      void ask({ abortTransaction: 1, $db: 'admin' }).then(
        () => socket.destroy(),
        () => undefined,
      );
    };
    const view: View = { ask, time: body['operationTime'], cursors: new Set(), reads: 0, close };
    views.add(view);
    return view;
  }

  function retire(view: View): void {
    if ((view === newest && !isOver) || view.cursors.size + view.reads > 0) return;
    views.delete(view);
    view.close();
  }

  async function catchUp(): Promise<void> {
    const before = newest;
    newest = await openView();
    retire(before);
    const { come } = caughtUp;
    caughtUp = nextTime();
    come();
  }

  const running = (async () => {
    while (!isOver) {
      await setTimeout(ms, undefined, over);
      await catchUp().catch(() => undefined); // MongoDB is away
    }
  })().catch(() => undefined); // it is over

  /** Until a view is open that was begun from now on. */
  async function untilCaughtUp(): Promise<void> {
    for (let times = 0; times < 2 && !isOver; times++) await caughtUp.coming; // the first is begun before, perhaps
  }

  /** The view that a cursor of which is asked for more. */
  function viewOf(command: Document): View | undefined {
    const [cursor] = [command['getMore'], ...(command['cursors'] ?? [])].filter((one) => one instanceof Long);
    return cursor && [...views].find(({ cursors }) => cursors.has(String(cursor)));
  }

  async function answered(view: View, command: Document): Promise<Message> {
    view.reads++;
    const read = { ...command, $readPreference: undefined, readConcern: undefined };
    const answer = await view.ask(read).finally(() => view.reads--);
    const { cursor } = answer.body;
    const asked = command['getMore'] ?? cursor?.id;
    if (asked) view.cursors.add(String(asked));
    if (asked && (!cursor || String(cursor.id) === '0')) view.cursors.delete(String(asked));
    for (const killed of command['cursors'] ?? []) view.cursors.delete(String(killed));
    retire(view);
    return { ...answer, bytes: dated(answer.bytes, view.time) };
  }

  return {
    /** @returns the answer where it comes from what a majority has */
    async read(command: Document): Promise<Message | undefined> {
      const { readConcern, autocommit } = command;
      const view = viewOf(command);
      if (view) return answered(view, command);
      if (isOver || autocommit === false || !READS.has(nameOf(command)) || !isRule('majorityReadsAreOld'))
        return undefined;
      if (!/^(majority|snapshot)$/.test(readConcern?.level)) return undefined;
      const { afterClusterTime: after } = readConcern;
      if (after && isRule('causalSessionsWait'))
        while (!isOver && newest.time.lessThan(after)) await caughtUp.coming;
      return answered(newest, command);
    },
    /** Before a command is answered that has been done. */
    async settle(command: Document): Promise<void> {
      const { readConcern } = command;
      if (isMajorityWrite(command) && isRule('majorityWritesWait')) await untilCaughtUp();
      if (readConcern?.level === 'linearizable' && isRule('linearizableReadsWait')) await untilCaughtUp();
    },
    async stop(): Promise<void> {
      isOver = true;
      over.abort();
      await running;
      caughtUp.come();
      for (const view of views) retire(view);
    },
  };
}

/** Whether a primary answers it only once a majority has what it says. */
export const needsMajority = (command: Document): boolean =>
  isMajorityWrite(command) || command['readConcern']?.level === 'linearizable';

function isMajorityWrite(command: Document): boolean {
  const { writeConcern, autocommit } = command;
  const name = nameOf(command);
  const isWrite = name === 'commitTransaction' || (WRITES.has(name) && autocommit !== false);
  return isWrite && (writeConcern?.w ?? 'majority') === 'majority';
}

/** An answer of that time: what a session that goes on from it has seen. */
function dated(answer: Buffer, time: Timestamp): Buffer {
  const copy = Buffer.from(answer);
  const at = copy.lastIndexOf('\x11operationTime\0') + '\x11operationTime\0'.length;
  copy.writeUInt32LE(time.getLowBitsUnsigned(), at);
  copy.writeUInt32LE(time.getHighBitsUnsigned(), at + 4);
  return copy;
}
