/** How much the measurements go through. */
export interface BenchSizes {
  pageSize: number;
  /** F1: pages of one round; the naive service is so slow that it gets fewer. */
  feedPages: number;
  naivePages: number;
  /** F3: records of a whole run, smallest first. */
  runs: number[];
  /** P1: records of one push, smallest first. */
  pushes: number[];
  /** S2: how many accounts share with the channel, and how many records of others there are. */
  subscribed: { accounts: number; others: number }[];
  /** The first one is dropped. */
  rounds: number;
}

const PAGE_SIZE = 1_000;

const USUAL: BenchSizes = {
  pageSize: PAGE_SIZE,
  feedPages: 200,
  naivePages: 20,
  runs: [1_000, 10_000, 20_000],
  pushes: [100, 1_000, 5_000],
  subscribed: [
    { accounts: 10, others: 10_000 },
    { accounts: 1_000, others: 10_000 },
    { accounts: 1_000, others: 200_000 },
  ],
  rounds: 6,
};

const QUICK: BenchSizes = {
  ...USUAL,
  feedPages: 5,
  naivePages: 2,
  runs: [200, 2_000],
  pushes: [100, 1_000],
  subscribed: [{ accounts: 50, others: 20_000 }],
};

/** `records` replaces the size of the feed in F1, the largest run of F3, and how many others there are in S2. */
export function benchSizes(quick: boolean, records: number | undefined): BenchSizes {
  const sizes = quick ? QUICK : USUAL;
  if (records === undefined) return sizes;
  const feedPages = Math.max(1, Math.floor(records / PAGE_SIZE));
  return {
    ...sizes,
    feedPages,
    naivePages: Math.min(sizes.naivePages, feedPages),
    subscribed: sizes.subscribed.map(({ accounts }) => ({ accounts, others: records })),
    runs: [...sizes.runs.slice(0, -1).filter((run) => run < records), records],
  };
}
