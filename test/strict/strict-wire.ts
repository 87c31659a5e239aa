import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Document, Long, ObjectId } from 'mongodb';
import { type Message, messageReader, write } from './op-msg';
import {
  CURSOR_GONE,
  interrupted,
  nameOf,
  notPrimary,
  PLAN_KILLED,
  type Refusal,
  RULES,
  TIME_OVER,
} from './rules';

interface Options {
  /** `host:port` of the server behind the wire. */
  upstream: string;
  /** Rules that are left out, to see that a test notices. */
  without?: readonly string[];
  /** mongod's default is a minute. */
  transactionLimitMs?: number;
  /** How long the answer to a command is kept back, by its name. */
  holdMs?: Record<string, number>;
}

interface Transaction {
  lsid: Document;
  txnNumber: unknown;
  began: number;
  appName: string;
  /** How often it has had a command; mongod counts the microseconds of its commands. */
  commands: number;
  isActive: boolean;
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
const UNCHANGED = new Set(['endSessions', 'killCursors', 'ping', 'buildInfo', 'saslStart', 'saslContinue']);

/**
 * A wire between the service and a server that is kinder than mongod: refuses what mongod refuses (rules.ts), and steps
 * down, loses answers and forgets cursors when it is told to. Everything else passes as it is.
 */
export async function startStrictWire({
  upstream,
  without = [],
  transactionLimitMs = 60_000,
  holdMs = {},
}: Options) {
  const [host, port] = upstream.split(':') as [string, string];
  const rules = Object.entries(RULES).flatMap(([name, rule]) => (without.includes(name) ? [] : [rule]));
  const sockets = new Set<Socket>();
  const underWay = new Set<{ command: Document; refuse: (refusal: Refusal) => void }>();
  const transactions = new Map<string, Transaction>();
  const refused: { command: Document; refusal: Refusal }[] = [];
  const due = { cursor: 0, plan: 0, time: 0, commit: 0 };
  let [awayUntil, staleUntil, term] = [0, 0, 1];
  let time: Document = {};

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
    const answers: ((message: Message) => void)[] = [];
    behind.on(
      'data',
      messageReader((message) => answers.shift()?.(message)),
    );
    const ask = (bytes: Buffer) =>
      new Promise<Message>((resolve) => {
        answers.push(resolve);
        behind.write(bytes);
      });
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
    const transaction = transactionOf(command, connection.appName);
    const refusal = UNCHANGED.has(name) ? undefined : refusalOf(command, transaction);
    if (refusal) {
      refused.push({ command, refusal });
      if (refusal.code === 251) await end(command, ask);
      return answer({ ...refusal, ...time });
    }
    if (command['pipeline']?.[0]?.$currentOp) return answer(currentOp(command));
    for (const { id } of command['killSessions'] ?? []) transactions.delete(id.toString('hex'));
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
    const answered = await ask(message.bytes).finally(() => underWay.delete(one));
    if (transaction) transaction.isActive = false;
    await setTimeout(holdMs[name] ?? 0, undefined, { ref: false });
    noteTime(answered.body);
    if (name === 'commitTransaction' && take('commit')) return void client.destroy();
    if (/^(commit|abort)Transaction$/.test(name)) transactions.delete(keyOf(command));
    if (open) client.write(as(answered, message.id));
  }

  function refusalOf(command: Document, transaction?: Transaction): Refusal | undefined {
    const began = nameOf(command) === 'abortTransaction' ? undefined : transaction?.began;
    if (Date.now() < awayUntil) return notPrimary(command);
    const seen = { transactionMs: began && Date.now() - began, transactionLimitMs };
    for (const rule of rules) {
      const refusal = rule.refuse(command, seen);
      if (refusal) return refusal;
    }
    if (nameOf(command) === 'getMore' && take('cursor')) return CURSOR_GONE;
    if (nameOf(command) === 'find' && !command['autocommit'] && take('plan')) return PLAN_KILLED;
    // The server may have a limit for reads that ask for none (`defaultMaxTimeMS`).
    return nameOf(command) === 'find' && take('time') ? TIME_OVER : undefined;
  }

  function transactionOf(command: Document, appName: string): Transaction | undefined {
    const { autocommit, startTransaction, lsid, txnNumber } = command;
    if (autocommit !== false) return undefined;
    const key = keyOf(command);
    const before = startTransaction ? undefined : transactions.get(key);
    const one = before ?? { lsid, txnNumber, began: Date.now(), appName, commands: 0, isActive: false };
    one.commands++;
    transactions.set(key, one);
    return one;
  }

  /** Of the command's stages the one that selects is played, by what it asks of a name. */
  function currentOp({ pipeline }: Document): Document {
    const { appName, type } = pipeline[1].$match;
    const idle = [...transactions.values()].filter((one) => !one.isActive);
    const batch = idle.map(({ lsid, txnNumber, commands, ...one }) => ({
      type: 'idleSession',
      appName: one.appName,
      active: false,
      lsid,
      transaction: { parameters: { txnNumber, autocommit: false }, timeActiveMicros: commands },
    }));
    const firstBatch = batch.filter(
      (one) => one.type === type && new RegExp(appName.$regex).test(one.appName),
    );
    return { ok: 1, cursor: { id: Long.ZERO, ns: 'admin.$cmd.aggregate', firstBatch } };
  }

  /** Ends a transaction behind the wire that is over before it. */
  async function end({ lsid, txnNumber }: Document, ask: Connection['ask']): Promise<void> {
    await ask(write({ abortTransaction: 1, lsid, txnNumber, autocommit: false, $db: 'admin' }));
  }

  async function endAll(): Promise<void> {
    const socket = net.connect(Number(port), host);
    await once(socket, 'connect');
    for (const { lsid, txnNumber } of transactions.values()) {
      const done = new Promise<void>((resolve) => socket.once('data', () => resolve()));
      socket.write(write({ abortTransaction: 1, lsid, txnNumber, autocommit: false, $db: 'admin' }));
      await done;
    }
    transactions.clear();
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
    /** @returns once there is a primary again */
    async stepDown({ ms, within = false, staleMs = 0 }: StepDown): Promise<void> {
      const now = Date.now();
      [awayUntil, staleUntil, term] = [now + ms, now + staleMs, term + 1];
      if (within) for (const { command, refuse } of underWay) refuse(interrupted(command));
      await endAll();
      await setTimeout(now + ms - Date.now());
    },
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const keyOf = ({ lsid }: Document): string => lsid.id.toString('hex');

/** An answer from behind the wire as the answer to another message. */
function as({ bytes }: Message, id: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeInt32LE(id, 8);
  return copy;
}
