import { EXIT } from './cli-error';
import { runGdx } from './run-gdx';

// `gdx deliveries acme | head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

void runGdx(process.argv.slice(2));
