import { Connection } from '@temporalio/client';
import path from 'node:path';
import { findTemporal } from './find-temporal';
import { freePort } from './free-port';
import { OwnPart } from './own-part';
import { givenPart, type Part } from './part';

export interface StartedTemporal {
  part: Part;
  address: string;
  uiUrl: string | undefined;
  name: string;
}

const SEARCH_ATTRIBUTES = [
  'GdxChannel=Keyword',
  'GdxEntityType=Keyword',
  'GdxOutcome=Keyword',
  'GdxTrigger=Keyword',
  'GdxRecords=Int',
];

// Backlogs take turns (docs/decisions/0012).
const FAIRNESS = 'matching.enableFairness=true';

/**
 * Temporal with its UI on the data in `<dir>/temporal.db`, or the one at `address`. Ports: the usual, or 0. What is not
 * durable is kept in memory alone.
 */
export async function startTemporal(options: {
  dir: string;
  address: string | undefined;
  ports: { server: number; ui: number };
  namespace: string;
  durable: boolean;
  /** Besides what every server here has. */
  dynamicConfig?: string[];
  log: (line: string) => void;
}): Promise<StartedTemporal> {
  const { dir, address, namespace, log } = options;
  const dynamicConfig = [FAIRNESS, ...(options.dynamicConfig ?? [])].flatMap((one) => [
    '--dynamic-config-value',
    one,
  ]);
  if (address) return { part: givenPart('temporal'), address, uiUrl: undefined, name: 'temporal' };
  const program = await findTemporal(log);
  const file = options.durable ? path.join(dir, 'temporal.db') : undefined;
  const port = await freePort(options.ports.server);
  const uiPort = await freePort(options.ports.ui);
  const part = new OwnPart({
    name: 'temporal',
    how: program.how,
    command: program.command,
    args: [...program.args, ...flags(file, port, uiPort, namespace), ...dynamicConfig],
    cwd: dir,
    output: path.join(dir, 'logs', 'temporal.log'),
    pidFile: path.join(dir, 'temporal.pid'),
    ready: () => temporalReady(`127.0.0.1:${port}`, namespace),
    graceMs: 15_000,
    log,
  });
  await part.start();
  return {
    part,
    address: `127.0.0.1:${port}`,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    name: `temporal ${program.version}`,
  };
}

function flags(file: string | undefined, port: number, uiPort: number, namespace: string): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', ...(file ? ['--db-filename', file] : [])],
    ...['--port', `${port}`, '--ui-port', `${uiPort}`, '--namespace', namespace, '--log-level', 'error'],
    ...SEARCH_ATTRIBUTES.flatMap((attribute) => ['--search-attribute', attribute]),
  ];
}

// The server listens before it has made the namespace and its search attributes.
async function temporalReady(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: 2_000 });
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = SEARCH_ATTRIBUTES.find((attribute) => !(attribute.split('=')[0]! in customAttributes));
    if (missing) throw new Error(`search attribute ${missing} is not there yet`);
  } finally {
    await connection.close();
  }
}
