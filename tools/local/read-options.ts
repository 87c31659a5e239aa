import { parseArgs, type ParseArgsConfig } from 'node:util';

const HELP = { type: 'boolean', short: 'h' } as const;

/**
 * The options of an npm script. `--help` prints the usage and exits with 0. An unknown option prints the error and the usage
 * to stderr and exits with 2, as with gdx.
 */
export function readOptions<T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    const read = parseArgs({ ...config, options: { ...config.options, help: HELP } });
    if (!('help' in read.values)) return parseArgs(config);
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
  console.log(usage);
  process.exit(0);
}
