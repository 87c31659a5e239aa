import { type PlantedFault, testIn } from '../planted-fault';

/** Chosen by reading the code alone, after what comes twice or of several had tests. */
export const FOURTH_LOOK_FAULTS: PlantedFault[] = [
  {
    name: 'range-page-of-any-company',
    file: 'store/feed/read-by-range.ts',
    find: '(companies.length < 2 || companies.includes(record.company_id)) && isSelected',
    replace: 'isSelected',
    consequence:
      'A channel of scope all that carries two or more companies is sent the records of every other company too',
    test: testIn('store/window')(
      'of the companies named: one by its index, most of several by range, few of several by position',
    ),
  },
  {
    name: 'resume-keeps-streak',
    file: 'store/feed/channels.ts',
    find: '$unset: { paused: 1, failing: 1 }',
    replace: '$unset: { paused: 1 }',
    consequence:
      'A channel that the service paused and an operator resumed is paused again by its very next failure, without a notice, as the notice of that streak was given already',
    test: testIn('activities/judge-outcome')(
      '401 for 24 hours pauses with a reason and a notice; resume starts the clock anew',
    ),
  },
  {
    name: 'until-the-last-end',
    file: 'store/sharing/subscriptions.ts',
    find: 'Math.min(a, b)',
    replace: 'Math.max(a, b)',
    consequence:
      'where two farmers’ grants end at different times, pages go on carrying the account whose grant has ended, until the API writes the revoke (a minute, or as long as the API is down)',
    test: testIn('sharing/ended')('of several ends the first is the one until when what was read holds'),
  },
  {
    name: 'rewrap-forgets-previous-hash-key',
    file: 'store/access/rewrap-secrets.ts',
    find: "['sealed', 'previous', 'to_worker']",
    replace: "['sealed', 'to_worker']",
    consequence:
      '`gdx secrets rewrap` says that all is resealed, but the previous hash key is not: once the old secret key is taken away no API starts, and farmers under that hash key cannot be found',
    test: testIn('store/rewrap-secrets')('with it the hash key before'),
  },
  {
    name: 'revoked-erp-watched',
    file: 'store/push/push-activity.ts',
    find: 'usual_ms === null || isStopped ? null',
    replace: 'usual_ms === null ? null',
    consequence:
      'an ERP whose tokens are revoked gets an alert of class silent that nothing ever closes, as it never pushes again',
    test: testIn('activities/watch-integrations')(
      'nor where its last push is noted after the revoke; a push with a new token is watched again',
    ),
  },
  {
    name: 'starts-behind-markers',
    file: 'store/schema/prepare-store.ts',
    find: '  await requireCountersAhead(store);\n',
    replace: '  void requireCountersAhead;\n',
    consequence:
      'after a restore from backups of different moments the processes start and take pushes at positions that markers have passed: these records are acknowledged and never delivered',
    test: testIn('store/repair-counters')(
      'counters of an older moment than the markers: no process starts, the repair raises them, nothing is ',
    ),
  },
  {
    name: 'reset-signals-first',
    file: 'control/reset.ts',
    find: '    const floor = await resetChannelMarker(parts.store, channel, entityType, timestamp);\n    const { request_id } = asker;\n    const change = { entity_types: [entityType], timestamp: at, request_id };\n    const signalled = await parts.temporal.markerReset(slug, change);\n',
    replace:
      '    const { request_id } = asker;\n    const change = { entity_types: [entityType], timestamp: at, request_id };\n    const signalled = await parts.temporal.markerReset(slug, change);\n    const floor = await resetChannelMarker(parts.store, channel, entityType, timestamp);\n',
    consequence:
      'A reset of an idle channel is answered with starts: now, but the workflow plans before the marker has moved, finds nothing, and the records go out an hour later',
    test: testIn('control/control')('is recorded, then written, then signalled'),
  },
  {
    name: 'paused-notice-once',
    file: 'control/pause.ts',
    find: '_id: `paused/${asker.action_id}`',
    replace: '_id: `paused/${slug}`',
    consequence:
      'A customer is told of its first pause and of none within the next 30 days, since the notice’s id is there already',
    test: testIn('activities/tell-customers')('an operator’s pause and resume'),
  },
  {
    name: 'no-report-no-alert',
    file: 'activities/record-outcome.ts',
    find: '  // A delivery that never reached MongoDB has no report yet.\n  await openDeliveryReport(store, { ...outcome, _id: delivery, workflow_run_id: runId }, retentionDays);\n',
    replace: '  void [openDeliveryReport, runId];\n',
    consequence:
      'A delivery that failed as infrastructure before it could open its report leaves no report, no log line and no alert: an outage of ours passes unnoticed',
    test: testIn('activities/record-outcome')(
      'an outcome whose answer was lost is recorded again, and nothing is counted, judged or told twice',
    ),
  },
  {
    name: 'codes-watch-closes-stale',
    file: 'activities/watch-codes.ts',
    find: "({ channel, class: kind }) => channel === slug && kind === 'codes'",
    replace: '({ channel }) => channel === slug',
    consequence:
      'the watch of codes closes a channel’s open stale alert every minute and the watch of freshness opens a new one: the operator gets two notices a minute, and one that says that codes are as usual',
    test: testIn('activities/watch-codes')('codes that are as usual close no alert of another kind'),
  },
  {
    name: 'notices-twentyfold',
    file: 'activities/tell-customers.ts',
    find: '(await listUntold(store, new Date())).values()',
    replace: 'await listUntold(store, new Date())',
    consequence:
      'all twenty tellers walk the whole list instead of sharing it: every notice is posted to its customer up to twenty times at once',
    test: testIn('activities/tell-customers')('a first notice says that the address works'),
  },
  {
    name: 'page-larger-than-budget',
    file: 'activities/deliver/page-budget.ts',
    find: 'Math.min(Math.max(1, Math.ceil(bytes)), this.limit)',
    replace: 'Math.max(1, Math.ceil(bytes))',
    consequence:
      'A lane whose page is expected to be larger than the whole budget never gets room again: it asks for a slice without end and sends nothing, and while it waits it holds up those behind it',
    test: testIn('activities/deliver/page-budget')(
      'a page ends where the budget is full, and nothing is lost or late',
    ),
  },
  {
    name: 'hand-back-unheard',
    file: 'workflows/feed-delivery.ts',
    find: "      if (signals.handBack) return await closeDelivery(input, state, 'handed_back');\n",
    replace: '',
    consequence:
      'A delivery that waits for its customer and is asked to hand back does not end: its waits are over at once from then on, so a failing customer is posted to without pause, and the channel’s history cannot begin anew',
    test: testIn('replay/replay')('every recorded history replays on the current bundle'),
    bundled: true,
  },
  {
    name: 'plan-forgets-other-lanes',
    file: 'workflows/channel-feed.ts',
    find: '!planned.includes(entity_type)',
    replace: 'planned.includes(entity_type)',
    consequence:
      'as soon as some lanes are planned while another is busy or stalled, that one vanishes from the status and the operator’s table, and the channel is listed as healthy although its customer does not confirm',
    test: testIn('workflows/work-lanes')('deliver now and a reset of one type cut no wait of another short'),
    bundled: true,
  },
  {
    name: 'merged-signal-sends-first',
    file: 'temporal/coalesce.ts',
    find: 'send(slug, pending.arg)',
    replace: 'send(slug, arg)',
    consequence:
      'of signals that were merged within a second only the first one’s argument is sent: a customer that resets all four markers one after the other is told starts: now, and two of them wait for the next run',
    test: testIn('temporal/channel-client')(
      'a hundred resets at once are two signals, and the second names every type',
    ),
  },
  {
    name: 'stop-sharing-without-a-proven-phone',
    file: 'api/farmer/steps/sharing-step.ts',
    find: 'if (session.verified && !switched && stopping)',
    replace: 'if (!switched && stopping)',
    consequence:
      'anybody who types a farmer’s number can end all that this farmer shares, without ever entering a code',
    test: testIn('farmer/sharing-page')('who has only typed the phone of a farmer stops nothing'),
  },
  {
    name: 'stop-ends-only-the-first-reference',
    file: 'api/farmer/stop-sharing.ts',
    find: '.flatMap(({ own }) => own);',
    replace: '.flatMap(({ own }) => own[0] ?? []);',
    consequence:
      'A farmer who shares one account with a customer under two references presses Stop, reads that it has stopped, and the customer goes on getting the account',
    test: testIn('farmer/sharing-page')(
      'one account shared twice with one customer is one row, and one button ends both',
    ),
  },
  {
    name: 'known-browser-cookie-not-secure-in-production',
    file: 'api/farmer/device-cookie.ts',
    find: "farmer.production ? '; Secure' : ''",
    replace: "farmer.production ? '' : '; Secure'",
    consequence:
      'in production browsers refuse the `__Host-` cookie without Secure, so no browser is ever known again and anybody can lock a farmer out with codes and guesses (F16)',
    test: testIn('farmer/guesses')(
      'in production the cookie is bound to host and TLS; no script reads it, and it lasts a year',
    ),
  },
  {
    name: 'everybodys-phone-shows-strangers-grants',
    file: 'api/farmer/who-sees.ts',
    find: ').filter((one) => one.farmer === farmer || !crowded);',
    replace: ');',
    consequence:
      'whoever proves a number that a company has put on the accounts of dozens of farmers sees which of these strangers share what with whom, with their references’ customers and phone endings',
    test: testIn('farmer/sharing-page')('a number that a company has put on everybody’s account'),
  },
  {
    name: 'sign-out-leaves-the-session-open',
    file: 'api/pages/channel/sign-out.ts',
    find: 'export async function signOut(ctx: SignedInContext, { store, ops }: Deps): Promise<void> {\n  const { door, session } = ctx.state;\n  await door.close(store, session);',
    replace:
      'export async function signOut(ctx: SignedInContext, { ops }: Deps): Promise<void> {\n  const { door } = ctx.state;',
    consequence:
      'signing out of /ops or /customer only clears the browser’s cookie: a copied cookie goes on acting on every channel for hours',
    test: testIn('customer-page/sign-in')('signing out ends the session, for whoever kept the cookie too'),
  },
  {
    name: 'mapped-ipv4-addresses-count-as-one',
    file: 'api/rate-limit.ts',
    find: 'ipaddr.process(ip)',
    replace: 'ipaddr.parse(ip)',
    consequence:
      'where the API listens on `::`, all IPv4 callers (::ffff:a.b.c.d) count as one address: together they get 256 connections, one sign-in limit, one budget of failed tokens and of farmers’ codes, so one attacker shuts all out',
    test: testIn('api/limits')('192.0.2.1 and ::ffff:192.0.2.1 count as one address: true'),
  },
  {
    name: 'misspelt-dry-run-is-done-for-real',
    file: 'api/dry-run.ts',
    find: "if (given !== 'true' && given !== 'false')",
    replace: "if (typeof given !== 'string')",
    consequence:
      'A customer or ERP that asks with ?dry_run=1 or TRUE is not told 422: the reset resends everything and the push is stored',
    test: testIn('api/push')('at most 100 messages, that of a wrong dry_run among them'),
  },
  {
    name: 'failed-resend-keeps-its-turn',
    file: 'api/resend/post-resend.ts',
    find: '    })\n    .finally(() => ofAccount && accountsOf.giveBack(channel._id));',
    replace: '    });\n  if (ofAccount) accountsOf.giveBack(channel._id);',
    consequence:
      'after one resend of an account that fails (too many records, or MongoDB away for a moment), this customer’s resends by account get 429 from that process until it is restarted',
    test: testIn('api/resend')(
      'one that fails gives its turn back, and another customer’s is not held up meanwhile',
    ),
  },
  {
    name: 'drop-at-once-is-not-read',
    file: 'api/customer/rotate-secret.ts',
    find: "get('at_once') === 'yes'",
    replace: "get('at_once') === 'on'",
    consequence:
      'A customer whose signing secret has leaked ticks `drop the old ones at once`, and pages go on being signed with the leaked secret for 24 hours',
    test: testIn('customer-page/actions')('is dropped at once where it has leaked'),
  },
  {
    name: 'answer-cut-before-secrets-are-masked',
    file: 'customer/excerpt.ts',
    find: "text.replaceAll(part, '***'), answer)",
    replace: "text.replaceAll(part, '***'), answer.slice(0, EXCERPT_BYTES))",
    consequence:
      'of a customer’s error page that echoes our Authorization across the 512th byte, half of the secret is stored in the report and shown on /ops and /customer',
    test: testIn('customer/excerpt')('nor is the half of a key that stands before the end'),
  },
  {
    name: 'trickled-answers-are-read-to-the-page-limit',
    file: 'customer/post-page.ts',
    find: 'body.destroy(), limits.drainMs)',
    replace: 'body.destroy(), limits.requestMs)',
    consequence:
      'A receiver that answers 200 and leaves its body open costs up to 30 s a page instead of 1 s: its backlog takes thirty times as long and it holds worker and host slots from others',
    test: testIn('customer/odd-customer.slow')('confirms and trickles its body is left soon'),
  },
  {
    name: 'kept-phones-are-stored-under-the-hash-without-them',
    file: 'domain/render-record.ts',
    find: 'phones: phonesOf(phones), hash: hashOf(head, deleted_at), head }',
    replace: 'phones: phonesOf(phones), head }',
    consequence:
      'A later push with `phones: []`, which takes a number off an account, counts as unchanged: the ERP gets 204, and whoever has that number still sees and shares the account',
    test: testIn('domain/render-record')('is rendered as if it had been pushed with those it has'),
  },
  {
    name: 'one-local-member-excuses-remote-ones',
    file: 'domain/unsafe-settings.ts',
    find: '!usesTls(mongodbUri) && !hostsOf(mongodbUri).every(isLoopback)',
    replace: '!usesTls(mongodbUri) && !hostsOf(mongodbUri).some(isLoopback)',
    consequence:
      'A production process starts with a replica set of which one member is on this machine and the others are reached without TLS: all records and the password cross the network in the clear',
    test: testIn('domain/config')('MongoDB with one member elsewhere'),
  },
  {
    name: 'push-of-many-files-hides-a-failed-one',
    file: 'cli/commands/push.ts',
    find: 'if (failed.length > 0) throw failed[0];',
    replace: 'if (failed.length > 0 && pushed.length === 0) throw failed[0];',
    consequence:
      'A nightly `gdx push` of a folder in which one file is wrong, or during which the service goes away, exits with 0: nobody learns that records are missing',
    test: testIn('cli/push')('JSON and NDJSON, with a mapping and without'),
    bundled: true,
  },
  {
    name: 'frozen-mongodb-keeps-old-figures',
    file: 'metrics/read-gauges.ts',
    find: 'if (known && Date.now() - known.at > MAX_AGE_MS) known = undefined;',
    replace: 'if (known && !reading && Date.now() - known.at > MAX_AGE_MS) known = undefined;',
    consequence:
      'while MongoDB is frozen (neither answers nor fails), the backlogs, channels and alerts of hours ago go on being shown as today’s, and gdx_mongodb_up says 1 for minutes longer (until the driver’s socket timeout of 120 s, retried)',
    test: testIn('metrics/gauges')('while MongoDB does not answer at all'),
  },
];
