import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { closeAtEnd } from '../setup/close-at-end';
import { startNode } from '../setup/processes';

const LISTENS = `
  const server = require('node:http').createServer((_, answer) => answer.writeHead(204).end());
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log('port ' + server.address().port));
`;
const FULL_AFTER_MS = 300;

/** A customer on 127.0.0.1 to whom nobody can connect before `goOn`, as its queue of connections is full. */
export async function startSlowListener() {
  const listener = startNode(['-e', LISTENS], process.env);
  const port = Number((await listener.heard('port ')).split(' ')[1]);
  listener.child.kill('SIGSTOP');
  const queued: Socket[] = [];
  for (let isFull = false; !isFull;) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    queued.push(socket);
    isFull = await Promise.race([once(socket, 'connect').then(() => false), setTimeout(FULL_AFTER_MS, true)]);
  }
  closeAtEnd(() => queued.forEach((socket) => socket.destroy()));
  return { port, goOn: () => listener.child.kill('SIGCONT') };
}
