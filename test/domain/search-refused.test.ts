import fc from 'fast-check';
import { searchRefused } from '../../domain/deliveries/search-refused';

interface Post {
  posted: number[];
  confirmed: boolean;
}

/** How a customer answers, and what is shared with it, at the time of each post. */
interface Customer {
  refuses: (records: number[], time: number) => boolean;
  isShared?: (record: number, time: number) => boolean;
  /** Whether it takes a record of elsewhere; left out: there is none. */
  takesOther?: (time: number) => boolean;
}

interface Found {
  /** None: all is passed. */
  refusedAlone: number[];
  requests: number;
  setAside: number[];
  tooLong: number[];
  posts: Post[];
  passed: number;
  /** What the marker passed although it was neither confirmed nor set aside, and was shared at every post of it. */
  lost: number[];
  steps: string[];
}

const upTo = (records: number) => Array.from({ length: records }, (_, index) => index);

type Known = Omit<Parameters<typeof searchRefused<number>>[1], 'refused'>;

/** Plays a customer that refused the page as a whole. */
function play(
  records: number,
  { refuses, isShared = () => true, takesOther }: Customer,
  known: Known = {},
): Found {
  const refused = upTo(records).filter((record) => isShared(record, 0));
  const found: Found = { refusedAlone: [], requests: 1, setAside: [], tooLong: [], posts: [{ posted: refused, confirmed: false }], passed: 0, lost: [], steps: [] }; // prettier-ignore
  const [confirmed, gone] = [new Set<number>(), new Set<number>()];
  const search = searchRefused(upTo(records), { refused, ...known });
  for (let step = search.next(); ;) {
    if (step.done) return { ...found, refusedAlone: step.value };
    const action = step.value;
    let tried: Post = { posted: [], confirmed: true };
    if (action.do === 'post') {
      const time = found.requests++;
      const posted = action.records.filter((record) => isShared(record, time));
      for (const record of action.records) if (!posted.includes(record)) gone.add(record);
      tried = { posted, confirmed: posted.length === 0 || !refuses(posted, time) };
      if (tried.confirmed) for (const record of posted) confirmed.add(record);
      found.posts.push(tried);
      found.steps.push(textOf(action.records) + (tried.confirmed ? '+' : ''));
    } else if (action.do === 'compare') {
      if (takesOther) {
        tried = { posted: [-1], confirmed: takesOther(found.requests++) };
        found.posts.push(tried);
        found.steps.push(`other${tried.confirmed ? '+' : ''}`);
      }
    } else if (action.do === 'move') {
      if (action.isAtFault) {
        found.setAside.push(action.upTo);
        found.steps.push(`!${action.upTo}`);
      }
      const isKept = (record: number) => confirmed.has(record) || gone.has(record) || found.setAside.includes(record); // prettier-ignore
      const passed = upTo(records).slice(found.passed, action.upTo + 1);
      const wasShared = passed.filter((record) => refused.includes(record));
      found.lost.push(...wasShared.filter((record) => !isKept(record)));
      found.passed = action.upTo + 1;
      found.steps.push(`>${action.upTo}`);
    } else found.tooLong.push(action.records);
    step = search.next(tried);
  }
}

const textOf = (records: number[]) =>
  records.length > 1 ? `${records[0]}-${records.at(-1)}` : String(records[0]);

/** Whether a record was posted alone and refused, another one confirmed, and it was posted alone and refused again. */
function isJust(posts: Post[], record: number): boolean {
  const alone = posts.flatMap(({ posted, confirmed }, at) =>
    !confirmed && posted.length === 1 && posted[0] === record ? [at] : [],
  );
  const between = posts.slice(alone[0], alone.at(-1));
  return between.some(({ posted, confirmed }) => confirmed && posted.some((one) => one !== record));
}

const holding =
  (...bad: number[]) =>
  (posted: number[]) =>
    posted.some((record) => bad.includes(record));

test('one refused record of 1,000, wherever it is: that one alone is set aside, in at most 15 requests', () => {
  for (let bad = 0; bad < 1_000; bad++) {
    const { requests, ...found } = play(1_000, { refuses: holding(bad) });
    expect(found).toMatchObject({ refusedAlone: [], setAside: [bad], passed: 1_000, lost: [] });
    if (requests > 15) throw new Error(`${requests} requests for ${bad}`);
  }
});

test.each([2, 3, 4, 5, 7, 10, 33])('every two refused records of %i are found, and no other', (records) => {
  for (let one = 0; one < records; one++) {
    for (let other = one + 1; other < records; other++) {
      const found = play(records, { refuses: holding(one, other) });
      const isAll = records === 2; // which cannot be told from an endpoint that refuses everything
      expect([found.setAside, found.lost]).toEqual([isAll ? [] : [one, other], []]);
      expect(found.refusedAlone).toEqual(isAll ? [one, other] : []);
    }
  }
});

test.each([1, 2, 3, 7])(
  'refused neighbours at the end of a page of %i, or all of it, do not stop what comes behind, where the customer takes another',
  (records) => {
    for (let first = 0; first < records; first++) {
      const bad = upTo(records).slice(first);
      const found = play(records, { refuses: holding(...bad), takesOther: () => true });
      expect(found).toMatchObject({ setAside: bad, refusedAlone: [], passed: records, lost: [] });
      for (const record of bad) expect(isJust(found.posts, record)).toBe(true);
    }
  },
);

test('an endpoint that refuses what is of elsewhere as well: nothing is set aside', () => {
  const found = play(4, { refuses: () => true, takesOther: () => false });
  expect(found).toMatchObject({ setAside: [], passed: 0 });
});

test('an endpoint that refuses everything: nothing is set aside or passed, in at most 13 requests', () => {
  for (const records of [1, 2, 3, 10, 999, 1_000]) {
    const { requests, ...found } = play(records, { refuses: () => true });
    expect(found).toMatchObject({ setAside: [], passed: 0 });
    expect(found.refusedAlone).not.toEqual([]);
    expect(requests).toBeLessThanOrEqual(13);
  }
});

test('one that may be away is asked with two single records, until it confirms one', () => {
  const away = play(1_000, { refuses: () => true }, { careful: true });
  expect([away.steps, away.setAside]).toEqual([['0', '1'], []]);
  const alone = play(1, { refuses: () => true, takesOther: () => true }, { careful: true });
  expect([alone.steps, alone.setAside]).toEqual([['other+', '0', '!0', '>0'], [0]]);
  const isShared = (record: number, time: number) => record !== 0 || time === 0;
  const revoked = play(8, { refuses: () => true, isShared }, { careful: true });
  expect([revoked.steps, revoked.setAside]).toEqual([['0+', '>0', '1', '2'], []]);
  const there = play(8, { refuses: holding(5) }, { careful: true });
  expect(there.steps).toEqual([
    '0+',
    '>0',
    '1-4+',
    '>4',
    '5-6',
    '5',
    '6+',
    '5',
    '!5',
    '>5',
    '>6',
    '7+',
    '>7',
  ]);
});

test.each([1, 2, 3, 100])('a customer that takes %i records at once and no more loses nothing', (most) => {
  const found = play(200, { refuses: ({ length }) => length > most });
  expect(found).toMatchObject({ refusedAlone: [], setAside: [], passed: 200, lost: [] });
  expect(Math.min(...found.tooLong)).toBeGreaterThan(most);
});

test('a part of which something was revoked meanwhile was not too long', () => {
  const isShared = (record: number, time: number) => record !== 0 || time === 0;
  expect(play(4, { refuses: () => false, isShared }).tooLong).toEqual([]);
});

test('a record that is refused only together with its neighbour is not set aside', () => {
  expect(play(2, { refuses: ({ length }) => length === 2 })).toMatchObject({ setAside: [], passed: 2 });
});

/** The steps of a search: `0-2` posts, `+` was confirmed; `!0` sets aside, `>1` passes. */
const transcript = (records: number, bad: number[], known?: Known) =>
  play(records, { refuses: holding(...bad) }, known).steps.join(' ');

test.each<[records: number, bad: number[], steps: string]>([
  [1, [0], ''],
  [2, [0, 1], '0 1'],
  [4, [0], '0-1 0 1+ 0 !0 >0 >1 2-3+ >3'],
  [4, [1], '0-1 0+ >0 1 2+ 1 !1 >1 >2 3+ >3'],
  [4, [0, 1], '0-1 0 1 3+ 0 !0 >0 1-3 1-2 1 !1 >1 2-3+ >3'],
  [4, [3], '0-1+ >1 2+ >2 3 2+ 3 !3 >3'],
])('a page of %i of which %j are refused: %s', (records, bad, steps) =>
  expect(transcript(records, bad)).toBe(steps),
);

test('where no other of the page is confirmed, one of elsewhere is', () => {
  const steps = (records: number, ...bad: number[]) =>
    play(records, { refuses: holding(...bad), takesOther: () => true }).steps.join(' ');
  expect(steps(1, 0)).toBe('other+ 0 !0 >0');
  expect(steps(2, 0, 1)).toBe('0 1 other+ 0 !0 >0 1 !1 >1');
  expect(steps(2, 0)).toBe('0 1+ 0 !0 >0 >1');
});

test('a record that was refused alone before, and another was confirmed since, is set aside at its first refusal', () => {
  expect(transcript(1, [0], { before: [0] })).toBe('!0 >0');
  expect(transcript(2, [0, 1], { before: [0, 1] })).toBe('0 !0 >0 1 !1 >1');
  expect(transcript(2, [1], { before: [0] })).toBe('0+ >0 1 0+ 1 !1 >1');
});

/** A customer whose answers change with time and by chance, and farmers who revoke and grant again during the search. */
const stretch = fc.record({
  requests: fc.integer({ min: 1, max: 6 }),
  mood: fc.oneof(
    fc.constant<Customer['refuses']>(() => false),
    fc.constant<Customer['refuses']>(() => true),
    fc.uniqueArray(fc.nat(12), { maxLength: 4 }).map((bad): Customer['refuses'] => holding(...bad)),
    fc.integer({ min: 1, max: 6 }).map(
      (most): Customer['refuses'] =>
        ({ length }) =>
          length > most,
    ),
    fc.infiniteStream(fc.boolean()).map(
      (chance): Customer['refuses'] =>
        () =>
          chance.next().value!,
    ),
  ),
});
const history = fc.record({
  records: fc.integer({ min: 1, max: 12 }),
  moods: fc.array(stretch, { minLength: 1, maxLength: 12 }),
  revokes: fc.array(
    fc.record({ record: fc.nat(12), from: fc.nat(20), for: fc.integer({ min: 1, max: 20 }) }),
    { maxLength: 6 },
  ),
  careful: fc.boolean(),
  other: fc.option(fc.infiniteStream(fc.boolean()), { nil: undefined }),
});

test('over 1,000 histories of answers and revokes: set aside is only what was refused alone, twice, around a confirmation; nothing is lost', () => {
  const property = fc.property(history, ({ records, moods, revokes, careful, other }) => {
    const byTime = moods.flatMap(({ requests, mood }) => Array<Customer['refuses']>(requests).fill(mood));
    const refuses = (posted: number[], time: number) => byTime[time % byTime.length]!(posted, time);
    const isShared = (record: number, time: number) =>
      !revokes.some((one) => one.record === record && time >= one.from && time < one.from + one.for);
    fc.pre(upTo(records).some((record) => isShared(record, 0)));
    const takesOther = other && { takesOther: () => other.next().value! };
    const found = play(records, { refuses, isShared, ...takesOther }, { careful });
    expect(found.setAside.filter((record) => !isJust(found.posts, record))).toEqual([]);
    expect(found.lost).toEqual([]);
    if (found.refusedAlone.length === 0) expect(found.passed).toBeGreaterThanOrEqual(records);
    expect(found.requests).toBeLessThan(12 * records + 20);
  });
  fc.assert(property, { numRuns: 1_000 });
});
