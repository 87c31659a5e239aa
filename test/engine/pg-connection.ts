import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { frameReader } from '../strict/op-msg';

// PostgreSQL's wire protocol, as much of it as is used here:
// https://www.postgresql.org/docs/18/protocol-message-formats.html

/** The values of a row as the engine sends them, in binary. */
export type Row = (Buffer | null)[];

/** A refusal, with its SQLSTATE. */
export class PgError extends Error {
  constructor(
    readonly state: string,
    message: string,
  ) {
    super(message);
  }
}

interface Question {
  rows: Row[];
  failure?: PgError;
  resolve: (rows: Row[]) => void;
  reject: (why: Error) => void;
}

const ENDED = new PgError('08006', 'the connection to PostgreSQL has ended');
const [TEXT, BYTEA] = [25, 17];

/** One connection, and so one transaction at a time. Questions may be asked before the earlier ones are answered. */
export class PgConnection {
  pid = 0;
  private readonly open: Question[] = [];
  /** The statements that the engine knows by a name. */
  private readonly names = new Map<string, string>();

  private constructor(private readonly socket: Socket) {
    socket.on(
      'data',
      frameReader(
        5,
        (waiting) => waiting.readInt32BE(1) + 1,
        (frame) => this.hear(String.fromCharCode(frame[0]!), frame.subarray(5)),
      ),
    );
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.open.splice(0).forEach(({ failure, reject }) => reject(failure ?? ENDED)));
  }

  static async open(port: number): Promise<PgConnection> {
    const socket = net.connect(port, '127.0.0.1').setNoDelay();
    await once(socket, 'connect');
    const connection = new PgConnection(socket);
    const body = Buffer.concat([int32(196_608), text('user'), text('postgres'), text('')]); // version 3.0
    await connection.ask(Buffer.concat([int32(body.length + 4), body]));
    return connection;
  }

  get isOpen(): boolean {
    return !this.socket.destroyed;
  }

  /** Texts are sent as such, buffers as bytea. */
  query(sql: string, values: (string | Buffer | null)[] = []): Promise<Row[]> {
    const known = this.names.get(sql);
    const name = text(known ?? String(this.names.size));
    if (known === undefined) this.names.set(sql, String(this.names.size));
    const types = values.map((value) => int32(typeof value === 'string' ? TEXT : BYTEA));
    const formats = values.map((value) => int16(typeof value === 'string' ? 0 : 1));
    const sent = values.map((value) =>
      value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
    );
    const count = int16(values.length);
    const parts = [
      ...(known === undefined ? [message('P', name, text(sql), count, ...types)] : []),
      message('B', text(''), name, count, ...formats, count, ...sent, int16(1), int16(1)),
      message('E', text(''), int32(0)),
      message('S'),
    ];
    return this.ask(Buffer.concat(parts));
  }

  end(): void {
    this.socket.destroy();
  }

  private ask(bytes: Buffer): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) return reject(ENDED);
      this.open.push({ rows: [], resolve, reject });
      this.socket.write(bytes);
    });
  }

  private hear(kind: string, body: Buffer): void {
    const [asked] = this.open;
    if (kind === 'K') this.pid = body.readInt32BE(0);
    if (kind === 'D') asked?.rows.push(rowOf(body));
    if (kind === 'E' && asked) asked.failure = errorOf(body);
    if (kind !== 'Z' || !asked) return;
    this.open.shift();
    if (!asked.failure) return asked.resolve(asked.rows);
    asked.reject(asked.failure);
  }
}

function rowOf(body: Buffer): Row {
  let at = 2;
  return Array.from({ length: body.readInt16BE(0) }, () => {
    const length = body.readInt32BE(at);
    const from = at + 4;
    at = from + Math.max(0, length);
    return length < 0 ? null : body.subarray(from, at);
  });
}

function errorOf(body: Buffer): PgError {
  const fields = body.toString().split('\0');
  const of = (kind: string) => fields.find((field) => field.startsWith(kind))?.slice(1) ?? '';
  return new PgError(of('C'), of('M'));
}

const text = (value: string) => Buffer.from(`${value}\0`);
const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
function message(kind: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}
