import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Document, ObjectId } from 'mongodb';
import { needsMajority, startLaggingMajority } from './lagging-majority';
import { askerOf, type Message, messageReader, write } from './op-msg';
import { OpenTransactions, type Transaction } from './open-transactions';
import {
  CURSOR_GONE,
  interrupted,
  LIMITS,
  LOCK_TIMEOUT,
  nameOf,
  notPrimary,
  PLAN_KILLED,
  PROTOCOL_ERROR,
  type Refusal,
  RULES,
  TIME_OVER,
} from './rules';
import { closeAtEnd } from '../setup/close-at-end';

interface Options {
  /** `host:port` of the server behind the wire. */
  upstream: string;
  /** Rules that are left out, to see that a test notices. */
  without?: readonly string[];
  /** mongod's default is a minute. */
  transactionLimitMs?: number;
  /** How much longer a command takes, by its name. */
  moreMs?: Record<string, number>;
  /** Sees each command that goes to the server, and is told its answer. */
  observe?: ((command: Document) => (answer: Document) => void) | undefined;
}

interface Connection {
  client: Socket;
  ask: (bytes: Buffer) => Promise<Message>;
  appName: string;
}

interface StepDown {
  /** Until there is a primary again. */
  ms: number;
  /** Answers what is under way with 11602; else only what comes after it is refused. */
  within?: boolean;
  /** Whoever asks is told of no change for as long. */
  staleMs?: number;
}

export type StrictWire = Awaited<ReturnType<typeof startStrictWire>>;

const HANDSHAKES = new Set(['hello', 'ismaster', 'isMaster']);
/** Refusals that end the transaction: NoSuchTransaction, LockTimeout. */
const ENDING = new Set([251, 24]);
const A_DAY_MS = 86_400_000;
const MOST_REFUSED = 1_000; // to remember
const UNCHANGED = new Set(['endSessions', 'killCursors', 'ping', 'buildInfo', 'saslStart', 'saslContinue']);

/**
 * A wire between the service and a server that is kinder than mongod: refuses what mongod refuses (rules.ts), and steps
 * down, loses answers and forgets cursors when it is told to. Everything else passes as it is.
 */
export async function startStrictWire({
  upstream,
  without = [],
  transactionLimitMs = 60_000,
  moreMs = {},
  observe,
}: Options) {
  const [host, port] = upstream.split(':') as [string, string];
  const rules = Object.entries(RULES).flatMap(([name, rule]) => (without.includes(name) ? [] : [rule]));
  const sockets = new Set<Socket>();
  const underWay = new Set<{ command: Document; refuse: (refusal: Refusal) => void }>();
  const transactions = new OpenTransactions();
  const building = new Map<unknown, Promise<void>>();
  const refused: { command: Document; refusal: Refusal }[] = [];
  const due = { cursor: 0, plan: 0, time: 0, commit: 0 };
  let [awayUntil, staleUntil, term] = [0, 0, 1];
  let time: Document = {};
  let majority: Awaited<ReturnType<typeof startLaggingMajority>> | undefined;
  let isDeposed = false;

  const server = net.createServer((client) => {
    const behind = net.connect(Number(port), host);
    for (const socket of [client, behind]) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        behind.destroy();
      });
      socket.on('error', () => socket.destroy());
    }
    const ask = askerOf(behind);
    const connection = { client, ask, appName: '' };
    let turn = Promise.resolve();
    client.on(
      'data',
      messageReader((message) => {
        turn = turn.then(() => serve(message, connection)).catch(() => void client.destroy());
      }),
    );
  });

  async function serve(message: Message, connection: Connection): Promise<void> {
    const { client, ask } = connection;
    const { body: command } = message;
    const answer = (body: Document) => void client.write(write(body, message));
    const name = nameOf(command);
    if (HANDSHAKES.has(name)) {
      connection.appName = command['client']?.application?.name ?? connection.appName;
      const { body } = await ask(write({ ...command, $db: 'admin' }));
      return answer(handshake(body));
    }
    const transaction = transactions.of(command, connection.appName);
    const refusal = UNCHANGED.has(name) ? undefined : refusalOf(message, transaction);
    if (refusal) {
      refused.splice(0, refused.push({ command, refusal }) - MOST_REFUSED);
      if (refusal.code === PROTOCOL_ERROR) return void client.destroy();
      if (ENDING.has(refusal.code)) await end(command, ask);
      return answer({ ...refusal, ...time });
    }
    if (!transaction) await building.get(command[name]);
    if (command['pipeline']?.[0]?.$currentOp) return answer(transactions.currentOp(command));
    for (const lsid of command['killSessions'] ?? []) transactions.ended(lsid);
    if (transaction) transaction.isActive = true;
    let open = true;
    const one = {
      command,
      refuse: (why: Refusal) => {
        if (open) answer({ ...why, ...time });
        open = false;
      },
    };
    underWay.add(one);
    if (isDeposed && needsMajority(command)) return void refuseInTime(one);
    const answered = await done(message, ask).finally(() => underWay.delete(one));
    if (transaction) transaction.isActive = false;
    if (name === 'commitTransaction' && take('commit')) return void client.destroy();
    if (/^(commit|abort)Transaction$/.test(name)) transactions.ended(command['lsid']);
    if (open) client.write(as(answered, message.id));
  }

  /** What needs a majority is not done, and is answered once the primary steps down, or when the time of the command is over. */
  function refuseInTime(one: { command: Document; refuse: (why: Refusal) => void }): void {
    const ms = Number(one.command['maxTimeMS'] ?? 0);
    if (ms > 0) void setTimeout(ms, undefined, { ref: false }).then(() => one.refuse(TIME_OVER));
  }

  async function done(message: Message, ask: Connection['ask']): Promise<Buffer> {
    const { body: command, bytes } = message;
    const told = observe?.(command);
    const longer = moreMs[nameOf(command)];
    if (longer) await setTimeout(longer, undefined, { ref: false });
    const old = await majority?.read(command);
    const answered = old ?? (await ask(bytes));
    told?.(answered.body);
    if (old) return old.bytes;
    noteTime(answered.body);
    await majority?.settle(command);
    return answered.bytes;
  }

  function refusalOf(message: Message, transaction?: Transaction): Refusal | undefined {
    const { body: command, bytes, sizes } = message;
    const began = nameOf(command) === 'abortTransaction' ? undefined : transaction?.began;
    if (Date.now() < awayUntil) return notPrimary(command);
    const transactionMs = began && Date.now() - began;
    const seen = { transactionMs, transactionLimitMs, bytes: bytes.length, sizes };
    for (const rule of rules) {
      const refusal = rule.refuse(command, seen);
      if (refusal) return refusal;
    }
    if (transaction && building.has(command[nameOf(command)])) return LOCK_TIMEOUT;
    if (nameOf(command) === 'getMore' && take('cursor')) return CURSOR_GONE;
    if (nameOf(command) === 'find' && !command['autocommit'] && take('plan')) return PLAN_KILLED;
    // The server may have a limit for reads that ask for none (`defaultMaxTimeMS`).
    return nameOf(command) === 'find' && take('time') ? TIME_OVER : undefined;
  }

  /** Ends a transaction behind the wire that is over before it. */
  async function end({ lsid, txnNumber }: Document, ask: Connection['ask']): Promise<void> {
    transactions.ended(lsid);
    await ask(write({ abortTransaction: 1, lsid, txnNumber, autocommit: false, $db: 'admin' }));
  }

  async function endAll(): Promise<void> {
    const socket = net.connect(Number(port), host);
    socket.on('error', () => socket.destroy());
    await once(socket, 'connect');
    const ask = askerOf(socket);
    for (const one of transactions.takeAll()) await end(one, ask);
    socket.destroy();
  }

  const take = (what: keyof typeof due) => due[what] > 0 && due[what]-- > 0;

  function noteTime(answer: Document): void {
    const { operationTime, $clusterTime } = answer;
    if (operationTime) time = { operationTime, $clusterTime };
  }

  /** As a member whose only address is this wire. Without a topologyVersion the driver asks again instead of waiting for news. */
  function handshake({ topologyVersion: _, ...answer }: Document): Document {
    const me = address();
    const isPrimary = Date.now() >= awayUntil || Date.now() < staleUntil;
    return {
      ...answer,
      ...LIMITS,
      ...{
        me,
        hosts: [me],
        passives: [],
        setVersion: 1,
        electionId: new ObjectId(term.toString(16).padStart(24, '0')),
      },
      ...{ isWritablePrimary: isPrimary, ismaster: isPrimary, secondary: !isPrimary },
      ...(isPrimary ? { primary: me } : { primary: undefined }),
    };
  }

  const address = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    uri: `mongodb://${address()}/`,
    address: address(),
    /** What was refused, in its order. */
    refused,
    /** The next so many of a kind: a cursor is forgotten, a plan killed, a time over, the answer to a commit lost. */
    next: (what: keyof typeof due, times = 1) => void (due[what] = times),
    /** Whether some of it have not come yet. */
    isDue: (what: keyof typeof due) => due[what] > 0,
    /** @returns once there is a primary again */
    async stepDown({ ms, within = false, staleMs = 0 }: StepDown): Promise<void> {
      const now = Date.now();
      [awayUntil, staleUntil, term] = [now + ms, now + staleMs, term + 1];
      if (within) for (const { command, refuse } of underWay) refuse(interrupted(command));
      await endAll();
      await setTimeout(now + ms - Date.now());
    },
    /** From now on a majority is behind by so much; 0: not any more. */
    async lag(ms: number): Promise<void> {
      await majority?.stop();
      if (ms > 0) majority = await startLaggingMajority([host, port], ms, without);
    },
    /**
     * For so long this wire leads to a primary that was deposed, as another one was elected where this one cannot be heard:
     * what a majority has stays as it was. Then it learns of it, and the wire leads to the other one.
     */
    async deposed(ms: number): Promise<void> {
      majority = await startLaggingMajority([host, port], ms + A_DAY_MS, without);
      isDeposed = true;
      await setTimeout(ms);
      isDeposed = false;
      for (const { command, refuse } of underWay) refuse(interrupted(command));
      underWay.clear();
      const before = majority;
      majority = undefined;
      await before.stop();
    },
    /** An index build has the lock on a collection. @returns once it is given back */
    async holdLock(collection: string, ms: number): Promise<void> {
      if (without.includes('indexBuildInTheWay')) return;
      const over = setTimeout(ms);
      building.set(collection, over);
      await over;
      building.delete(collection);
    },
    /** Every connection ends, the newest first, as where the server’s process does; others may be made at once. */
    cutOff: () => sockets.forEach((socket) => socket.destroy()),
    stop: closeAtEnd(async () => {
      await majority?.stop();
      for (const socket of sockets) socket.destroy();
      server.close();
    }),
  };
}

/** An answer from behind the wire as the answer to another message. */
function as(bytes: Buffer, id: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeInt32LE(id, 8);
  return copy;
}
