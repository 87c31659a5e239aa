import { readPorts } from '../../config';
import { statusOf } from '../../outbound/send-request';

const WORKER_PORT = 9465;
const TIMEOUT_MS = 4_000;

/** The container's health check: exit 0 when the API or the worker, whichever this container is, says it is ready. */
async function main(): Promise<void> {
  const { port, metricsPort } = readPorts();
  const ports = [port, metricsPort === 'off' ? undefined : (metricsPort ?? WORKER_PORT)];
  const answers = await Promise.all(ports.map((each) => each !== undefined && isReady(each)));
  process.exitCode = answers.includes(true) ? 0 : 1;
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await statusOf(`http://127.0.0.1:${port}/readyz`, TIMEOUT_MS)) === 200;
  } catch {
    return false;
  }
}

void main();
