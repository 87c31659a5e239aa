import { escaped } from '../../domain/text/escaped';
import { formatCount, noteWait, stamped } from '../print';

const EVERY_MS = { terminal: 200, lines: 10_000 };
const BAR = 24;

/** The output for progress. It is stderr, as stdout has the answer only. */
type Screen = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };

export type PushProgress = ReturnType<typeof createProgress>;

/** Shows progress: on a terminal as a bar that is redrawn in its place, elsewhere as a line every ten seconds. */
export function createProgress(screen: Screen = process.stderr, now = () => performance.now()) {
  const every = screen.isTTY ? EVERY_MS.terminal : EVERY_MS.lines;
  let last = now();
  let began: { at: number; done: number } | undefined;
  let isDrawn = false;

  function show(line: () => string): void {
    if (now() - last < every) return;
    last = now();
    isDrawn = screen.isTTY === true;
    screen.write(
      isDrawn ? `\r\u001b[K${escaped(line()).slice(0, (screen.columns ?? 80) - 1)}` : stamped(line()),
    );
  }

  /** Ends the bar's line, so that later text begins on a new line. */
  function end(): void {
    if (isDrawn) screen.write('\r\u001b[K');
    isDrawn = false;
    began = undefined;
  }

  return {
    checking: (file: string, records: number) =>
      show(() => `${file}: checking, ${formatCount(records)} records`),
    pushing(file: string, done: number, total: number) {
      began ??= { at: now(), done };
      const { at, done: first } = began;
      show(() => {
        const rate = (done - first) / Math.max(1, now() - at);
        const left = rate > 0 ? `, ${sayTime((total - done) / rate)} left` : '';
        const share = total > 0 ? done / total : 1;
        const bar = screen.isTTY ? `${drawBar(share)} ` : '';
        return `${file}: ${bar}${Math.floor(share * 100)} %, ${formatCount(done)} of ${formatCount(total)} records${left}`;
      });
    },
    waiting(why: string, waitMs: number) {
      end();
      noteWait(why, waitMs);
    },
    end,
  };
}

const drawBar = (share: number) => `[${'#'.repeat(Math.floor(share * BAR)).padEnd(BAR, '.')}]`;

function sayTime(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
