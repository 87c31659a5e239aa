import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ephemeral ports (Linux: from 32768): an outgoing connection could take the port of a part while it
// restarts.
const FROM = 10_000;
const TO = 32_768;

/** The preferred port if it is free, else (or with 0) another free one. */
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
