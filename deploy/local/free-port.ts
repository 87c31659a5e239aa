import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections (Linux: from 32768): one of those may take a port from a
// part that is away for a moment, and it cannot start again.
const FROM = 10_000;
const TO = 32_768;

/** The preferred port when nobody listens there, else (or with 0) another that nobody listens at. */
export async function freePort(preferred = 0, host = '127.0.0.1'): Promise<number> {
  for (let port = preferred || anyPort(); ; port = anyPort()) {
    if (await isFree(port, host)) return port;
  }
}

const anyPort = () => randomInt(FROM, TO);

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      if (taken) resolve(false);
      else reject(error);
    });
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
