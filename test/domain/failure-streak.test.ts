import {
  judgeStreak,
  pauseReason,
  type EndedDelivery,
  type PauseCause,
} from '../../domain/deliveries/alert-class';

const START = Date.parse('2026-11-01T00:00:00Z');
const after = (hours: number) => new Date(START + hours * 3_600_000);

type Step = [
  hours: number,
  end: 'ok' | EndedDelivery['failure'] | `${'unauthorized' | 'unavailable'} after a page`,
];

/** The hours at which the channel would pause, with the cause. */
function pauses(steps: Step[]): [number, PauseCause][] {
  let streak: Parameters<typeof judgeStreak>[0];
  return steps.flatMap(([hours, end]) => {
    const failure = end === 'ok' ? null : (end?.split(' ')[0] as EndedDelivery['failure']);
    const confirmed = end === 'ok' || end!.includes('page');
    const judged = judgeStreak(streak, { failure, confirmed }, after(hours));
    streak = judged.streak ?? undefined;
    return judged.pause ? [[hours, judged.pause] as [number, PauseCause]] : [];
  });
}

test.each<[what: string, steps: Step[], paused: [number, PauseCause][]]>([
  ['gone pauses at once', [[0, 'gone']], [[0, 'gone']]],
  [
    'also in the middle of a streak',
    [
      [0, 'unavailable'],
      [1, 'gone'],
    ],
    [[1, 'gone']],
  ],
  [
    'unauthorized pauses after 24 hours',
    [
      [0, 'unauthorized'],
      [23.9, 'unauthorized'],
      [24, 'unauthorized'],
    ],
    [[24, 'unauthorized']],
  ],
  [
    'not when something was confirmed',
    [
      [0, 'unauthorized'],
      [12, 'ok'],
      [24, 'unauthorized'],
      [35, 'unauthorized'],
    ],
    [],
  ],
  [
    'not when a page was, before it failed again',
    [
      [0, 'unauthorized'],
      [12, 'unauthorized after a page'],
      [24, 'unauthorized'],
    ],
    [],
  ],
  [
    'nor when another failure came between',
    [
      [0, 'unauthorized'],
      [12, 'unavailable'],
      [24, 'unauthorized'],
      [35, 'unauthorized'],
    ],
    [],
  ],
  [
    'but 24 hours later then',
    [
      [0, 'unauthorized'],
      [12, 'unavailable'],
      [13, 'unauthorized'],
      [37, 'unauthorized'],
    ],
    [[37, 'unauthorized']],
  ],
  [
    'five days of nothing but failures',
    [
      [0, 'unavailable'],
      [60, 'misconfigured'],
      [119, 'throttled'],
      [120, 'refused'],
    ],
    [[120, 'nothing_confirmed']],
  ],
  [
    'one page in five days is not nothing',
    [
      [0, 'unavailable'],
      [60, 'unavailable after a page'],
      [120, 'unavailable'],
      [179, 'unavailable'],
    ],
    [],
  ],
  [
    'misconfigured for a day goes on',
    [
      [0, 'misconfigured'],
      [24, 'misconfigured'],
      [48, 'misconfigured'],
    ],
    [],
  ],
  [
    'success ends all',
    [
      [0, 'unavailable'],
      [119, 'ok'],
      [121, 'unavailable'],
    ],
    [],
  ],
])('%s', (_, steps, expected) => {
  expect(pauses(steps)).toEqual(expected);
});

test('a streak has a beginning, which recovery resets', () => {
  const failed = { failure: 'unavailable', confirmed: false } as const;
  const first = judgeStreak(undefined, failed, after(0)).streak!;
  expect(first).toEqual({ since: after(0), failure: 'unavailable', failure_since: after(0) });
  const other = judgeStreak(first, { ...failed, failure: 'refused' }, after(2)).streak!;
  expect(other).toEqual({ since: after(0), failure: 'refused', failure_since: after(2) });
  expect(judgeStreak(other, { failure: null, confirmed: true }, after(3)).streak).toBeNull();
});

test.each<[PauseCause, string, string]>([
  [
    'unauthorized',
    'Acme answered 401 and confirmed none of the last 3 attempts: check the channel’s authorization',
    'Acme answered 401 for 24 hours: check the channel’s authorization, then gdx channel resume acme',
  ],
  [
    'gone',
    'Acme answered 410: ask',
    'Acme answered 410: ask whether the feed is still wanted, then gdx channel resume acme',
  ],
  [
    'unauthorized',
    'Acme: no status',
    'Acme did not authorize us for 24 hours: check the channel’s authorization, then gdx channel resume acme',
  ],
  [
    'gone',
    'Acme: no status',
    'Acme says that the feed is gone: ask whether the feed is still wanted, then gdx channel resume acme',
  ],
  [
    'nothing_confirmed',
    'Acme did not answer within 30 s: the next run',
    'Acme confirmed nothing for five days (last: Acme did not answer within 30 s): call them, then gdx channel resume acme',
  ],
  [
    'nothing_confirmed',
    'Acme has a base URL that points to fd00::1, a private address: check the channel’s base URL',
    'Acme confirmed nothing for five days (last: Acme has a base URL that points to fd00::1, a private address): call them, then gdx channel resume acme',
  ],
])('the reason of %s is one that a person understands', (cause, message, reason) => {
  expect(pauseReason(cause, { _id: 'acme', name: 'Acme' }, message)).toBe(reason);
});
