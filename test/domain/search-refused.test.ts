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

/** Plays a customer that refuses every request which `refuses`; the page itself was refused already. */
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
    const deed = step.value;
    let confirmed = false;
    if (deed.do === 'set-aside') found.setAside.push(deed.at);
    if (deed.do === 'settle') {
      for (let index = found.settled; index < deed.to; index++) {
        if (!found.confirmed.has(index) && !found.setAside.includes(index)) found.lost = true;
      }
      found.settled = deed.to;
    }
    if (deed.do === 'post') {
      found.requests += 1;
      confirmed = !refuses(deed.from, deed.to);
      for (let index = deed.from; confirmed && index < deed.to; index++) found.confirmed.add(index);
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
