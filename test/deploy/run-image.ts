import path from 'node:path';
import { type NodeProcess, startNode } from '../setup/processes';

/** What a container would run: the entry point with a command, in the image's /app, with this environment and no other. */
export function runImage(
  app: string,
  command: string[],
  env: Record<string, string>,
  entry = 'dist/deploy/image/main.js',
): NodeProcess {
  return startNode([path.join(app, entry), ...command], { PATH: process.env.PATH, ...env }, app);
}
