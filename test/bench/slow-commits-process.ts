import { startStrictWire } from '../strict/strict-wire';

// A wire in a process of its own, in front of a server whose commits take longer.
const [upstream, commitMs] = process.argv.slice(2) as [string, string];
void startStrictWire({ upstream, moreMs: { commitTransaction: Number(commitMs) } }).then(({ address }) =>
  process.send?.(address),
);
process.on('disconnect', () => process.exit()); // whoever started it is gone
