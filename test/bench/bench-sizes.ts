/** How much the measurements go through. */
export interface BenchSizes {
  pageSize: number;
  /** F1: pages of one round; the naive service is so slow that it gets fewer. */
  feedPages: number;
  naivePages: number;
  /** F2: pages to a customer who takes his time. */
  slowPages: number;
  /** F3: records of a whole run, smallest first. */
  runs: number[];
  /** F5: records that the API stores and the worker delivers. */
  stored: number;
  /** F6: channels that deliver at once, fewest first, and the pages of each. */
  channels: number[];
  channelPages: number;
  /** F7: how often. */
  trips: number;
  /** P1: records of one push, smallest first. */
  pushes: number[];
  /** P3: MB of a body, smallest first. */
  bodies: number[];
  /** P7: how many APIs, in front of a server whose commits take so much longer; the connections to each, for how long, in how many parts. */
  apis: {
    rounds: { commitMs: number; counts: number[] }[];
    connections: number;
    seconds: number;
    laps: number;
  };
  /** R1: records sent again, fewest first. */
  resets: number[];
  /** S1: accounts shared with the channel, fewest first. */
  shared: number[];
  /** S2: how many accounts share with the channel, and how many records of others there are. */
  subscribed: { accounts: number; others: number }[];
  /** S3: channels that have something to send, fewest first. */
  backlogs: number[];
  /** T3: channels that have nothing to send, fewest first. */
  idle: number[];
  /** The first one is dropped. */
  rounds: number;
}

export type BenchSize = 'quick' | 'usual' | 'full';

const PAGE_SIZE = 1_000;
const MILLION = 1_000_000;

const USUAL: BenchSizes = {
  pageSize: PAGE_SIZE,
  feedPages: 200,
  naivePages: 20,
  slowPages: 20,
  runs: [1_000, 10_000, 100_000],
  stored: 200_000,
  channels: [1, 4, 8, 16],
  channelPages: 40,
  trips: 40,
  pushes: [100, 1_000, 5_000],
  bodies: [1, 5, 16],
  apis: {
    rounds: [
      { commitMs: 0, counts: [2, 4, 8] },
      { commitMs: 5, counts: [2, 4] },
    ],
    connections: 16,
    seconds: 30,
    laps: 3,
  },
  resets: [1_000, 100_000],
  shared: [10, 1_000, 10_000],
  subscribed: [
    { accounts: 10, others: 10_000 },
    { accounts: 1_000, others: 10_000 },
    { accounts: 1_000, others: 200_000 },
  ],
  backlogs: [10, 1_000],
  idle: [1, 200, 1_000],
  rounds: 6,
};

const SIZES: Record<BenchSize, BenchSizes> = {
  usual: USUAL,
  quick: {
    ...USUAL,
    rounds: 3,
    feedPages: 5,
    naivePages: 2,
    slowPages: 3,
    runs: [200, 2_000],
    stored: 5_000,
    channels: [1, 2, 8],
    channelPages: 4,
    trips: 8,
    pushes: [100, 1_000],
    bodies: [0.1, 0.5],
    apis: {
      rounds: [
        { commitMs: 0, counts: [2] },
        { commitMs: 5, counts: [2] },
      ],
      connections: 4,
      seconds: 3,
      laps: 1,
    },
    resets: [200, 2_000],
    shared: [10, 1_000],
    subscribed: [{ accounts: 50, others: 20_000 }],
    backlogs: [2, 10],
    idle: [1, 5, 10],
  },
  full: {
    ...USUAL,
    stored: MILLION,
    apis: { ...USUAL.apis, rounds: [{ commitMs: 0, counts: [4] }], seconds: 600, laps: 1 },
    resets: [1_000, MILLION],
    subscribed: [...USUAL.subscribed, { accounts: 10_000, others: MILLION }],
  },
};

/** `records` replaces the size of the feed in F1, the largest of F3, F5 and R1, and how many others there are in S2. */
export function benchSizes(size: BenchSize, records: number | undefined): BenchSizes {
  const sizes = SIZES[size];
  if (records === undefined) return sizes;
  const feedPages = Math.max(1, Math.floor(records / PAGE_SIZE));
  const upTo = (list: number[]) => [...list.slice(0, -1).filter((one) => one < records), records];
  return {
    ...sizes,
    feedPages,
    naivePages: Math.min(sizes.naivePages, feedPages),
    subscribed: sizes.subscribed.map(({ accounts }) => ({ accounts, others: records })),
    runs: upTo(sizes.runs),
    resets: upTo(sizes.resets),
    stored: records,
  };
}
