import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects at once whatever this process no longer holds. */
export const collectGarbage = runInNewContext('gc') as () => void;
