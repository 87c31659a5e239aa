import { type PlantedFault, testIn } from '../planted-fault';

/** What shows only with two of something, the second time, in between, or after a failure. */
export const SEVERAL_IN_WORKER: PlantedFault[] = [
  {
    name: 'look-up-of-another-name',
    file: 'customer/guarded-connector.ts',
    find: 'JSON.stringify([hostname, options])',
    replace: 'JSON.stringify([options])',
    consequence:
      'the pages of one customer are posted to the address of another that is looked up at the same time',
    test: testIn('customer/ssrf')(
      'has its own address, also where another one is looked up at the same time',
    ),
  },
  {
    name: 'silence-of-any-keeps-all',
    file: 'activities/watch-integrations.ts',
    find: 'if (ids.has(alert.integration)) await',
    replace: 'if (ids.size > 0) await',
    consequence: 'while one ERP is silent no alert of another ends, and they are told of for days',
    test: testIn('activities/watch-integrations')('an ERP that pushes again ends its own alert'),
  },
  {
    name: 'silence-ends-all-alerts',
    file: 'activities/watch-integrations.ts',
    find: 'if (alert.integration === undefined) continue;',
    replace: '',
    consequence: 'every minute the reconciler closes the alerts that channels are stale',
    test: testIn('activities/watch-integrations')('an ERP that pushes again ends its own alert'),
  },
  {
    name: 'codes-of-any-channel',
    file: 'activities/watch-codes.ts',
    find: "channel === slug && kind === 'codes'",
    replace: "kind === 'codes' && (channel === slug || true)",
    consequence:
      'the alert that the codes of one channel are guessed is closed by a channel where nothing happens',
    test: testIn('activities/watch-codes')('of two channels each has its own'),
  },
  {
    name: 'counts-of-any-channel',
    file: 'activities/watch-codes.ts',
    find: '(channel === slug ? tooManyCodes(counts) : [])',
    replace: '(channel ? tooManyCodes(counts) : [])',
    consequence: "codes guessed at one customer's links are laid to every customer",
    test: testIn('activities/watch-codes')('of two channels each has its own'),
  },
  {
    name: 'fresh-ends-alert-of-another',
    file: 'activities/watch-channels.ts',
    find: 'open.filter((alert) => alert.channel === channel._id)',
    replace: 'open.filter((alert) => alert.channel && channel._id)',
    consequence: 'a channel that is fresh closes the alert that another one has confirmed nothing for hours',
    test: testIn('activities/judge-outcome')('a channel that is fresh ends no alert of another'),
  },
  {
    name: 'budget-still-after-giving-up',
    file: 'activities/deliver/page-budget.ts',
    find: 'this.give(0); // those behind it may need less',
    replace: '',
    consequence: 'behind a large page that gave up small ones wait in vain, although there is room',
    test: testIn('activities/deliver/page-budget')('a smaller one behind it is let in at once'),
  },
  {
    name: 'read-ahead-never-given-back',
    file: 'activities/deliver/deliver-page.ts',
    find: '.finally(ahead.lease.end)',
    replace: '',
    consequence:
      'every page that was read ahead keeps its share: after a while the worker delivers nothing until a restart',
    test: testIn('activities/deliver/read-ahead')('what the pages held is given back'),
  },
  {
    name: 'failed-read-ahead-never-given-back',
    file: 'activities/deliver/read-ahead.ts',
    find: 'if (!cursor.ahead) lease.end();',
    replace: '',
    consequence:
      'every failed read ahead keeps its share: after a few failovers the worker delivers nothing until a restart',
    test: testIn('activities/deliver/read-ahead')('what the pages held is given back'),
  },
  {
    name: 'one-id-for-all-alerts',
    file: 'activities/post-notice.ts',
    find: 'messageId(`${alert._id}/${notice.key}`)',
    replace: 'messageId(notice.key)',
    consequence: 'a receiver that knows notices by their id drops the second alert and all after it as known',
    test: testIn('activities/send-alert')('every notice has an id of its own'),
  },
  {
    name: 'one-id-for-an-alert',
    file: 'activities/post-notice.ts',
    find: 'messageId(`${alert._id}/${notice.key}`)',
    replace: 'messageId(alert._id)',
    consequence: 'a receiver that knows notices by their id never learns that an alert is over',
    test: testIn('activities/send-alert')('every notice has an id of its own'),
  },
  {
    name: 'held-type-holds-all',
    file: 'activities/plan-run.ts',
    find: 'types.filter((type) => !held.some(({ entity_type }) => entity_type === type))',
    replace: 'types.filter(() => held.length === 0)',
    consequence: 'a customer that asks for an hour for tickets gets no accounts either',
    test: testIn('activities/plan-run')('holds back no other, and the alert of that type stays'),
  },
  {
    name: 'held-type-counts-as-planned',
    file: 'activities/plan-run.ts',
    find: '{ planned: open, windows }',
    replace: '{ planned: types, windows }',
    consequence:
      'the alert of a type that is held back closes although nothing was confirmed, and the channel may count as fresh',
    test: testIn('activities/plan-run')('holds back no other, and the alert of that type stays'),
  },
  {
    name: 'question-of-busy-type-answered',
    file: 'activities/plan-run.ts',
    find: 'open.includes(type) && !windows',
    replace: '!windows',
    consequence:
      'a customer who collects tickets is told that there are none, and its waiting page is taken away, as accounts are planned',
    test: testIn('activities/plan-run')('is not answered by a plan of another'),
  },
  {
    name: 'repeated-after-pause',
    file: 'activities/deliver/post-records.ts',
    find: 'now?.state === before.state &&\n    now.shares_version',
    replace: 'now?.shares_version',
    consequence: 'a page goes out once more to a customer whose channel an operator has paused meanwhile',
    test: testIn('activities/deliver')(
      'a page whose kept connection failed does not go out again after a pause',
    ),
  },
  {
    name: 'repeated-at-old-address',
    file: 'activities/deliver/post-records.ts',
    find: ' &&\n    now.base_url === before.base_url',
    replace: '',
    consequence: 'a page goes out once more to an address that was taken from the channel meanwhile',
    test: testIn('activities/deliver')(
      'a page whose kept connection failed does not go out again after a new address',
    ),
  },
  {
    name: 'pages-to-old-address',
    file: 'activities/deliver/post-records.ts',
    find: 'const outgoing = { channel, selection',
    replace: 'const outgoing = { channel: page.channel, selection',
    consequence:
      'a long delivery goes on to the address, and with the key, that the channel had when it began',
    test: testIn('activities/deliver')(
      'from its next page on a delivery goes to the address that the channel has by then',
    ),
  },
  {
    name: 'merged-signal-begins-no-second',
    file: 'temporal/coalesce.ts',
    find: '    begin(slug);\n    second.pending.send();',
    replace: '    second.pending.send();',
    consequence:
      'an impatient customer sends twice as many signals, and the history of its channel grows twice as fast',
    test: testIn('temporal/coalesce')('after a merged signal the next one waits a second too'),
  },
  {
    name: 'second-never-ends',
    file: 'temporal/coalesce.ts',
    find: '    seconds.delete(slug);\n',
    replace: '',
    consequence:
      'the second signal to a channel, a reset or a grant, is never sent: it waits for the next run',
    test: testIn('temporal/coalesce')('after a merged signal the next one waits a second too'),
  },
  {
    name: 'reconciler-forgets-erps',
    file: 'activities/reconcile.ts',
    find: '    await watchIntegrations(store, new Date());\n',
    replace: '',
    consequence: 'nobody is told that an ERP has gone silent',
    test: testIn('activities/reconcile-rules')('in each go it looks for what no delivery can report'),
  },
  {
    name: 'reconciler-forgets-channels',
    file: 'activities/reconcile.ts',
    find: '      await watchChannels(store, page, new Date());\n',
    replace: '',
    consequence: 'nobody is told of a channel that has delivered nothing for days',
    test: testIn('activities/reconcile-rules')('in each go it looks for what no delivery can report'),
  },
  {
    name: 'reconciler-forgets-ledgers',
    file: 'activities/reconcile.ts',
    find: '      await postHeads(page, new Date());\n',
    replace: '',
    consequence: 'where the ledgers end is told to nobody: an end that is cut off later shows nowhere',
    test: testIn('activities/reconcile-rules')('in each go it looks for what no delivery can report'),
  },
  {
    name: 'unsent-alerts-stay-unsent',
    file: 'workflows/reconcile-channels.ts',
    find: 'result.unsent ? sendAlert().catch(() => {}) : undefined,',
    replace: '',
    consequence: 'alerts that no delivery sends, as of a stale channel or a silent ERP, never come',
    test: testIn('workflows/reconcile-channels')('the reconciler sends the alerts that no delivery has sent'),
    bundled: true,
  },
  {
    name: 'deliver-now-cuts-every-wait',
    file: 'workflows/register-handlers.ts',
    find: "      request(lanes, { trigger: 'deliver-now', request_id });\n      for (const { open } of lanes)",
    replace:
      "      request(lanes, { trigger: 'deliver-now', request_id });\n      for (const { open } of channel.lanes)",
    consequence: 'deliver now of one type posts at once to a customer that has asked for time for another',
    test: testIn('workflows/work-lanes')('deliver now and a reset of one type cut no wait of another short'),
    bundled: true,
  },
  {
    name: 'reset-ends-every-delivery',
    file: 'workflows/register-handlers.ts',
    find: "      request(lanes, { trigger: 'reset', request_id });\n      for (const { open } of lanes)",
    replace:
      "      request(lanes, { trigger: 'reset', request_id });\n      for (const { open } of channel.lanes)",
    consequence: 'a reset of one type cancels the deliveries of all others in mid page',
    test: testIn('workflows/work-lanes')('deliver now and a reset of one type cut no wait of another short'),
    bundled: true,
  },
  {
    name: 'turn-never-passed-on',
    file: 'workflows/work-lanes.ts',
    find: '    own.begun = own.closed = true;\n',
    replace: '',
    consequence:
      'a reset of contracts while they let accounts go first leaves tickets waiting until an operator comes',
    test: testIn('workflows/work-lanes')(
      'a type that is reset before its turn keeps the one behind it from nothing',
    ),
    bundled: true,
  },
  {
    name: 'held-lane-planned-without-end',
    file: 'workflows/channel-feed.ts',
    find: '    lane.held_until = until === undefined ? undefined : Date.parse(until);\n',
    replace: '',
    consequence:
      'while a customer has asked for an hour its channel is planned again and again without a pause',
    test: testIn('workflows/work-lanes')('a type whose customer has asked for time is held back'),
    bundled: true,
  },
  {
    name: 'new-cadence-waits-for-old',
    file: 'workflows/channel-feed.ts',
    find: 'if (isNew || !Number.isFinite(channel.due))',
    replace: 'if (!Number.isFinite(channel.due))',
    consequence: 'a channel that is to run every ten minutes instead of once a day begins a day later',
    test: testIn('workflows/channel-changes')('another cadence counts at once'),
    bundled: true,
  },
];
