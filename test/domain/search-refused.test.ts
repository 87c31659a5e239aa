import { searchRefused, type SearchEnd } from '../../domain/search-refused';

interface Found {
  end: SearchEnd;
  requests: number;
  setAside: number[];
  /** What the customer holds, in the order in which it was settled. */
  confirmed: Set<number>;
  settled: number;
  /** Whether the marker passed a record that was neither confirmed nor set aside. */
  lost: boolean;
}

/** Plays a customer that refuses what `refuses` says; the page itself was refused already. */
function play(records: number, refuses: (from: number, to: number) => boolean): Found {
  const found: Found = {
    end: 'settled',
    requests: 1,
    setAside: [],
    confirmed: new Set(),
    settled: 0,
    lost: false,
  };
  const search = searchRefused(records);
  for (let step = search.next(); ;) {
    if (step.done) return { ...found, end: step.value };
    const action = step.value;
    let confirmed = false;
    if (action.do === 'set-aside') found.setAside.push(action.at);
    if (action.do === 'settle') {
      for (let index = found.settled; index < action.to; index++) {
        if (!found.confirmed.has(index) && !found.setAside.includes(index)) found.lost = true;
      }
      found.settled = action.to;
    }
    if (action.do === 'post') {
      found.requests += 1;
      confirmed = !refuses(action.from, action.to);
      for (let index = action.from; confirmed && index < action.to; index++) found.confirmed.add(index);
    }
    step = search.next(confirmed);
  }
}

const holding = (bad: number[]) => (from: number, to: number) =>
  bad.some((index) => index >= from && index < to);

test('one refused record of 1,000, wherever it is: that one alone is set aside, in at most 12 requests', () => {
  for (let bad = 0; bad < 1_000; bad++) {
    const found = play(1_000, holding([bad]));
    if (found.confirmed.size !== 999 || found.requests > 12)
      throw new Error(JSON.stringify({ bad, ...found }));
    expect(found).toMatchObject({ end: 'settled', setAside: [bad], settled: 1_000, lost: false });
  }
});

test.each([2, 3, 4, 5, 7, 10, 33])('every two refused records of %i are found, and no other', (records) => {
  for (let one = 0; one < records; one++) {
    for (let other = one + 1; other < records; other++) {
      const found = play(records, holding([one, other]));
      // with the first and the last refused it cannot be told from an endpoint that refuses everything
      if (one === 0 && other === records - 1) expect(found).toMatchObject({ end: 'endpoint', setAside: [] });
      else
        expect(found).toMatchObject({
          end: 'settled',
          setAside: [one, other],
          settled: records,
          lost: false,
        });
    }
  }
});

test('an endpoint that refuses everything: nothing is set aside, nothing settled, in at most 12 requests', () => {
  for (const records of [1, 2, 3, 10, 999, 1_000]) {
    const found = play(records, () => true);
    expect(found).toMatchObject({ end: 'endpoint', setAside: [], settled: 0 });
    expect(found.requests).toBeLessThanOrEqual(12);
  }
});

test.each([1, 2, 3, 100])('a customer that takes %i records at once and no more loses nothing', (most) => {
  const found = play(200, (from, to) => to - from > most);
  expect(found).toMatchObject({ end: 'settled', setAside: [], settled: 200, lost: false });
  expect(found.confirmed.size).toBe(200);
});

test('a record that is refused only together with its neighbour is not set aside alone', () => {
  const found = play(2, (from, to) => to - from === 2);
  expect(found).toMatchObject({ end: 'settled', setAside: [] });
});

/** The steps of a search: `0-2` posts two records, and `+` says confirmed; `!0` sets aside, `>1` settles. */
function transcript(records: number, bad: number[], endpointWorks?: boolean): string {
  const search = searchRefused(records, endpointWorks);
  const steps: string[] = [];
  for (let step = search.next(); ;) {
    if (step.done) return [...steps, step.value].join(' ');
    const action = step.value;
    const confirmed = action.do === 'post' && !holding(bad)(action.from, action.to);
    if (action.do === 'post') steps.push(`${action.from}-${action.to}${confirmed ? '+' : ''}`);
    else steps.push(action.do === 'settle' ? `>${action.to}` : `!${action.at}`);
    step = search.next(confirmed);
  }
}

test.each<[records: number, bad: number[], steps: string]>([
  [1, [0], 'endpoint'],
  [2, [0, 1], '0-1 1-2 endpoint'],
  [4, [0], '0-2 0-1 3-4+ !0 >1 1-4+ >4 settled'],
  [4, [1], '0-2 0-1+ >1 2-4+ !1 >4 settled'],
  [4, [3], '0-2+ >2 2-3+ >3 3-4 !3 >4 settled'],
  [8, [2, 5], '0-4 0-2+ >2 2-3 !2 >3 3-8 3-5+ >5 5-6 !5 >6 6-8+ >8 settled'],
  [8, [4, 6], '0-4+ >4 4-6 4-5 !4 >5 5-8 5-6+ >6 6-7 !6 >7 7-8+ >8 settled'],
])('a page of %i of which %j are refused: %s', (records, bad, steps) =>
  expect(transcript(records, bad)).toBe(steps),
);

test('at an endpoint that has confirmed other pages, a record that is refused alone is set aside', () => {
  expect(transcript(1, [0], true)).toBe('!0 >1 settled');
  expect(transcript(2, [0, 1], true)).toBe('0-1 !0 >1 1-2 !1 >2 settled');
});
