import { storePush } from '../../store/push/store-push';
import { openStore } from '../setup/open-store';
import { notedPush } from './noted-push';

const AT_ONCE = 12;

// A process to be killed: the first of its pushes goes alone and the others together, over and over. It says which were
// answered.
async function main([uri]: string[]): Promise<void> {
  const store = await openStore(uri);
  for (let group = 1; ; group++) {
    const notes = Array.from({ length: AT_ONCE }, (_, index) => `${group}x${index}`);
    await Promise.all(
      notes.map(async (note) => {
        await storePush(store, notedPush(note));
        process.stdout.write(`answered ${note}\n`);
      }),
    );
  }
}

void main(process.argv.slice(2));
