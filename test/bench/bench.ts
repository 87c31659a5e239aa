import type { Store } from '../../store/store';
import type { BenchSizes } from './bench-sizes';
import type { Row } from './row';

/** What a measurement works with. */
export interface Bench {
  sizes: BenchSizes;
  mongodbUri: string;
  /** Base URL of a customer in another process, who answers 200 at once. */
  sinkUrl: string;
  /** Starts Temporal when first asked, so that it does not run beside the other measurements. */
  temporalAddress: () => Promise<string>;
  /** Files of processes that a measurement starts. */
  dir: string;
  /** A prepared store on a database of its own; dropped with the measurement. */
  openStore: (options?: { monitored: boolean }) => Promise<Store>;
  note: (line: string) => void;
}

export type Measurement = (bench: Bench) => Promise<Row[]>;
