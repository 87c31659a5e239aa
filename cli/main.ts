import { endWithReader } from '../client/print';
import { runGdx } from './run-gdx';

endWithReader();
void runGdx(process.argv.slice(2));
