import { createReadStream } from 'node:fs';
import { unreadable } from '../file-refused';

/** A file's bytes as they are. @throws CliError where it cannot be read */
export async function* readChunks(file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(file) as AsyncIterable<Buffer>;
  } catch (error) {
    unreadable(file)(error);
  }
}
