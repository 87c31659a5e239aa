import { endWithReader } from './print';
import { runGdx } from './run-gdx';

endWithReader();
void runGdx(process.argv.slice(2));
