import {
  learnGap,
  type PushGap,
  sayInterval,
  silentFrom,
  usualInterval,
} from '../../domain/records/push-rhythm';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (text: string) => new Date(`2026-${text}:00Z`);

/** What is learnt of pushes every `step` between these hours of working days, over two weeks until `end`. */
function learn(
  end: Date,
  step: number,
  works: (hour: number, weekday: number) => boolean,
): { gaps: PushGap[]; last: Date } {
  let gaps: PushGap[] = [];
  let last: Date | undefined;
  for (let now = end.getTime() - 14 * DAY; now <= end.getTime(); now += step) {
    const push = new Date(now);
    if (!works(push.getUTCHours(), push.getUTCDay())) continue;
    if (last) gaps = learnGap(gaps, last, push);
    last = push;
  }
  return { gaps, last: last! };
}

const always = () => true;
const office = (hour: number, weekday: number) => hour >= 8 && hour < 18 && weekday >= 1 && weekday <= 5;
const usual = ({ gaps, last }: ReturnType<typeof learn>) => usualInterval(gaps, last)! / MINUTE;

test.each([
  ['every 15 minutes round the clock', at('11-18T12:00'), 15 * MINUTE, always, 15],
  ['every minute: at least five minutes', at('11-18T12:00'), MINUTE, always, 5],
  ['once a day', at('11-18T02:00'), DAY, always, 24 * 60],
  ['every 15 minutes in the office, on a Wednesday at noon', at('11-18T12:00'), 15 * MINUTE, office, 15],
  ['... in the evening: the night is no silence', at('11-18T17:45'), 15 * MINUTE, office, 14 * 60 + 15],
  ['... on a Friday evening: nor is the weekend', at('11-20T17:45'), 15 * MINUTE, office, 62 * 60 + 15],
])('%s', (_, end, step, works, minutes) => {
  const learnt = learn(end, step, works);
  expect(usual(learnt)).toBe(minutes);
  expect(silentFrom(learnt.last, minutes * MINUTE).getTime()).toBe(
    learnt.last.getTime() + 2 * minutes * MINUTE,
  );
  expect(learnt.gaps.length).toBeLessThanOrEqual(8 * 24 + 1);
});

test('an export of many requests each night is one push a day', () => {
  const nightly = learn(at('11-18T02:09'), MINUTE, (hour) => hour === 2);
  expect(usual(nightly)).toBeGreaterThan(20 * 60);
});

test('it is not known before it was watched for a day', () => {
  const start = at('11-18T08:00');
  let gaps: PushGap[] = [];
  for (let minutes = 0; minutes < 22 * 60; minutes += 10) {
    const from = new Date(start.getTime() + minutes * MINUTE);
    gaps = learnGap(gaps, from, new Date(from.getTime() + 10 * MINUTE));
  }
  expect(usualInterval(gaps, new Date(start.getTime() + 22 * HOUR))).toBeUndefined();
  expect(usualInterval(gaps, new Date(start.getTime() + 25 * HOUR))).toBe(10 * MINUTE);
});

test('of the gaps that begin in the same hour the longest is kept', () => {
  const gap = (text: string, minutes: number) => ({ from: at(text), ms: minutes * MINUTE });
  const learnt = (...added: PushGap[]) =>
    added.reduce<PushGap[]>((gaps, { from, ms }) => learnGap(gaps, from, new Date(from.getTime() + ms)), []);
  const [short, long, later] = [gap('11-18T08:00', 10), gap('11-18T08:10', 20), gap('11-18T09:00', 5)];
  expect(learnt(short, long, later)).toEqual([long, later]);
  expect(learnt(long, short)).toEqual([long]);
  expect(learnt(long, { ...long, from: at('11-18T08:30') })).toEqual([long]);
});

test('in words', () => {
  expect([5 * MINUTE, 119 * MINUTE, 14.25 * HOUR, 62 * HOUR, 4 * DAY].map(sayInterval)).toEqual([
    '5m',
    '119m',
    '14h',
    '62h',
    '4d',
  ]);
});
