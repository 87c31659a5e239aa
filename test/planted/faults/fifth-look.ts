import { type PlantedFault, testIn } from '../planted-fault';

/** Chosen by reading the code alone, after guards were sought part by part. */
export const FIFTH_LOOK_FAULTS: PlantedFault[] = [
  {
    name: 'record-at-the-byte-limit-passed-over',
    file: 'store/feed/page-builder.ts',
    find: '          this.bytes += record.wire.length;\n',
    replace: '          this.end = record.position;\n          this.bytes += record.wire.length;\n',
    consequence:
      'The record that no longer fits on a page (16 MiB, or no room in the budget of bytes) is not on it, yet the marker passes it: the customer never gets it.',
    test: testIn('activities/deliver/page-budget')(
      'a page ends where the budget is full, and nothing is lost or late',
    ),
  },
  {
    name: 'corrections-are-not-sought',
    file: 'store/feed/seek-positions.ts',
    find: '    { account_ids: { $in: accounts }, ...companies },\n    { left_account_ids: { $in: accounts }, ...companies },\n',
    replace: '    { account_ids: { $in: accounts }, ...companies },\n',
    consequence:
      'A record that is corrected away from a shared account is not found by the plan of a channel of scope subscribed: its customer keeps the wrong record for good.',
    test: testIn('store/window')(
      'of the accounts shared, and of those that a record was corrected away from',
    ),
  },
  {
    name: 'first-type-begins-for-all',
    file: 'store/feed/catch-ups.ts',
    find: '{ $pull: { to_begin: type } },',
    replace: '{ $set: { to_begin: [] } },',
    consequence:
      "The first entity type that is planned after a farmer's grant ends the beginning of all: earlier contracts, tickets and settlements of the account are never sent.",
    test: testIn('sharing/ended')(
      'one that ends in the middle of its catch-up: nothing of it is sent any more',
    ),
  },
  {
    name: 'receipts-kept-for-minutes',
    file: 'store/push/push-receipts.ts',
    find: 'RETENTION_HOURS * 3600',
    replace: 'RETENTION_HOURS * 60',
    consequence:
      'Receipts of pushes go after 72 minutes and not 72 hours: an ERP that repeats a request later stores old data over newer, and is not told of a reused request id.',
    test: testIn('store/migrations')(
      'an index that keeps for longer than this release is changed by migrate',
    ),
  },
  {
    name: 'types-removed-instead-of-added',
    file: 'store/sharing/grant-and-revoke.ts',
    find: 'now.entity_types.some((type) => !channel.entity_types.includes(type))',
    replace: 'channel.entity_types.some((type) => !now.entity_types.includes(type))',
    consequence:
      'A farmer who was shown a channel of tickets grants settlements too when the operator adds them while the page is open: data is shared without consent (and a type that was taken away blocks the save).',
    test: testIn('sharing/types-added')(
      'grants nothing, and writes nothing down, where a type was added since the farmer was shown the channel',
    ),
  },
  {
    name: 'text-to-another-farmer',
    file: 'store/sharing/phone-of-farmer.ts',
    find: 'if ((await findFarmerId(store, phone)) === farmer) return phone;',
    replace: 'if (farmer && (await findFarmerId(store, phone))) return phone;',
    consequence:
      'Where an account carries two phones, the text about what one farmer shares goes to the other farmer, and the first is never told.',
    test: testIn('store/farmers')(
      'of the phones of an account the farmer’s own is found, not that of another farmer',
    ),
  },
  {
    name: 'new-bounds-forget-the-others',
    file: 'store/access/set-access.ts',
    find: '  Object.fromEntries(Object.entries(access).map(([name, value]) => [`${field}.${name}`, value]));',
    replace: '  ({ [field]: access });',
    consequence:
      'Binding tokens or keys to addresses drops their expiry, and setting an expiry drops the addresses: a token opens from anywhere, or for ever, though an operator had bound it.',
    test: testIn('api/token-access')(
      'addresses that are set leave the end as it is, and an end the addresses',
    ),
  },
  {
    name: 'first-notice-to-the-old-address',
    file: 'control/set-notify-url.ts',
    find: 'await noteBegunTelling(store, { _id: slug, notify_url: url });',
    replace: 'await noteBegunTelling(store, { _id: slug, notify_url });',
    consequence:
      'A customer who sets its notification address for the first time never gets the first notice that proves it works, although the answer says that it is on its way.',
    test: testIn('activities/tell-customers')('a first notice says that the address works'),
  },
  {
    name: 'second-tap-done-again',
    file: 'control/record-action.ts',
    find: "  if (!(await openAction(store, { _id, about: '', ...action, ...asker }))) return undefined;\n",
    replace: "  await openAction(store, { _id, about: '', ...action, ...asker });\n",
    consequence:
      'A form tapped twice (or an action repeated with its id) is done twice: a secret rotated again so that the one shown is replaced at once, a marker reset again, a resend sent twice.',
    test: testIn('customer-page/actions')(
      'reset: says what it would do, does it once, and is recorded as the customer’s',
    ),
  },
  {
    name: 'too-large-probe-skips-the-rest',
    file: 'activities/deliver/search-page.ts',
    find: '      if (batch.length === 1 && from > search.settled) return true;\n',
    replace: '',
    consequence:
      'When the search for refused records posts the last record alone and gets a 413, that record is set aside and the marker moves past it: all records before it that were not settled are never sent.',
    test: testIn('commit-order/set-aside')('a 413 to one probe of a search passes over no record'),
  },
  {
    name: 'day-counted-from-the-last-failure',
    file: 'activities/remind-after-a-day.ts',
    find: '{ _id, opened_at, message }: Alert,',
    replace: '{ _id, last_failed_at: opened_at, message }: Alert,',
    consequence:
      'An alert whose cause is seen again every hour never gets its notice of 24 hours: nobody is reminded (and the customer is not told again).',
    test: testIn('activities/watch-integrations')(
      'an alert within twice the usual interval of the last push',
    ),
  },
  {
    name: 'resent-again-under-the-same-id',
    file: 'activities/deliver/deliver-released.ts',
    find: '    const fence = { id: list[0]!._id, generation, epoch: 0 };\n',
    replace: '    const fence = { id: list[0]!._id, generation: 0, epoch: 0 };\n',
    consequence:
      'A second resend of the same records has the same webhook-id as the first (and as the page they first came with may have): a customer that drops repeats never gets what it asked for again.',
    test: testIn('activities/deliver')(
      'what is sent again comes in pages of the channel’s size, each under an id of i',
    ),
  },
  {
    name: 'long-retry-after-waited-in-silence',
    file: 'workflows/wait-for-customer.ts',
    find: '  if (asked !== null && asked > left) return fail(input, state, answer, now + asked);\n',
    replace: '',
    consequence:
      'A customer that answers Retry-After longer than the retry budget keeps its delivery open for that long: no failure, no alert, no report until it is over.',
    test: testIn('workflows/feed-delivery')('a Retry-After beyond the window holds its entity type'),
    bundled: true,
  },
  {
    name: 'question-wakes-no-open-delivery',
    file: 'workflows/register-handlers.ts',
    find: "      request(lanes, { trigger: 'pull' });\n      for (const { open } of lanes) open?.pendingSignals.add('tryNow');\n",
    replace: "      request(lanes, { trigger: 'pull' });\n",
    consequence:
      'A customer who collects its pages, has been away and asks again gets nothing until a cadence is over, as the delivery that waits for it is not woken.',
    test: testIn('workflows/pull')('what nobody has asked for waits in the queue of the unanswered'),
    bundled: true,
  },
  {
    name: 'longer-retention-shortened',
    file: 'temporal/ensure-temporal.ts',
    find: 'if (found.retentionDays >= RETENTION_DAYS) return undefined;',
    replace: 'if (found.retentionDays === RETENTION_DAYS) return undefined;',
    consequence:
      'A namespace that an operator keeps for a year is cut to 90 days by the next worker that starts: histories of closed workflows are deleted for good (or it asks for a needless command).',
    test: testIn('temporal/ensure-temporal')(
      'one that keeps them longer, on an operator’s word, is left alone',
    ),
  },
  {
    name: 'last-range-never-compared',
    file: 'api/digest/post-digest.ts',
    find: '\n  yield compared.finish();',
    replace: '',
    consequence:
      'A customer who lacks records in its last (or only) range is told that both sides agree, so the gap is never repaired.',
    test: testIn('api/digest')('of one that holds nothing'),
  },
  {
    name: 'channel-key-from-anywhere',
    file: 'api/authenticate.ts',
    find: 'integration?.access ?? channel?.key_access',
    replace: 'integration?.access',
    consequence:
      "A channel key that has expired or is bound to addresses still opens the customer's API from anywhere, so a leaked key reads everything.",
    test: testIn('api/token-access')('a customer’s key is bound in the same way'),
  },
  {
    name: 'old-nothing-answers-new-question',
    file: 'api/feed/next-page.ts',
    find: "if ((waiting.nothing ?? 0) >= asks) return 'nothing';",
    replace: "if (waiting.nothing !== undefined) return 'nothing';",
    consequence:
      'A customer who collects its pages and was once told that there is nothing may be told so again from the old answer while new records wait: it never gets them.',
    test: testIn('api/feed')('that there was nothing for an earlier question answers no later one'),
  },
  {
    name: 'moved-end-not-saved',
    file: 'api/farmer/save-choices.ts',
    find: '    moves: grantsOf(plan.moved),\n',
    replace: '',
    consequence:
      'A farmer who brings the last day of a running grant forward and confirms it goes on sharing until the old day.',
    test: testIn('farmer/grant-end')('an end is optional: checked, kept in the ledger'),
  },
  {
    name: 'latest-end-offered-for-all',
    file: 'api/farmer/plan-choices.ts',
    find: ".sort()[0] ?? ''",
    replace: ".sort().at(-1) ?? ''",
    consequence:
      'A farmer whose grants end on different days and who only presses on prolongs the earlier ones to the latest day.',
    test: testIn('farmer/grant-end')('of two ends the page proposes the first'),
  },
  {
    name: 'customer-sees-operators-actions',
    file: 'api/pages/channel/channel-view.ts',
    find: 'isOperators ? undefined : CUSTOMERS_VIAS',
    replace: 'isOperators ? CUSTOMERS_VIAS : undefined',
    consequence:
      'A customer reads on its page what operators did to its channel, with their names and internal reasons, and operators no longer see their own actions.',
    test: testIn('ops/actions')('pause: with the reason, told, kept, logged and shown'),
  },
  {
    name: 'phones-in-excerpts',
    file: 'customer/excerpt.ts',
    find: 'Buffer.from(masked(clean))',
    replace: 'Buffer.from(clean)',
    consequence:
      "A customer's error answer that quotes a record puts farmers' full phone numbers, foreign tokens and control characters into reports, logs and terminals.",
    test: testIn('customer/excerpt')('nor does it keep a phone, or a token of ours'),
  },
  {
    name: 'later-command-replaces-earlier',
    file: 'domain/validate-push.ts',
    find: 'byType.get(command.recordType) ?? new Map<string, PushedRecord>()',
    replace: 'new Map<string, PushedRecord>()',
    consequence:
      "Of a push with two commands of one type only the last command's records are stored, though the ERP gets 204: records are lost.",
    test: testIn('domain/validate-push')(
      'the last of equal ids wins and stands where it stood, across commands too',
    ),
  },
  {
    name: 'corrected-away-record-not-deleted',
    file: 'domain/shown-record.ts',
    find: "record['deleted_at'] ?? updated_at",
    replace: "record['deleted_at'] ?? null",
    consequence:
      'A record that was corrected to an account which is not shared arrives without a deletion time, so the customer keeps a wrong, emptied ticket of its farmer.',
    test: testIn('domain/shown-record')(
      'a record of which no account is shared any more is told to be deleted',
    ),
  },
  {
    name: 'retry-after-in-milliseconds',
    file: 'domain/retry-delay.ts',
    find: 'Number(text) * 1_000',
    replace: 'Number(text)',
    consequence:
      'A customer who asks for 120 seconds gets the page again after one second, and again, while it is overloaded.',
    test: testIn('domain/retry-delay')('Retry-After '),
  },
  {
    name: 'rows-of-any-width',
    file: 'cli/push/read-rows.ts',
    find: 'if (!isBlank && cells.length !== columns) throw wrongCount(line, cells.length, columns);',
    replace: '',
    consequence:
      'A CSV row with an unquoted delimiter in a cell, or one that is cut off, is pushed with its values in the wrong fields or missing.',
    test: testIn('cli/check-file')('refuses a row too short, and says where'),
  },
  {
    name: 'authorization-sent-to-untried-url',
    file: 'cli/commands/channel-set.ts',
    find: 'withAuthorization: false',
    replace: 'withAuthorization: true',
    consequence:
      "A mistyped base URL gets the customer's stored Authorization with the test page, so the secret goes to a stranger even if nothing is changed.",
    test: testIn('cli/new-base-url')('the page is signed and carries no Authorization'),
    bundled: true,
  },
  {
    name: 'paused-channels-grow-stale',
    file: 'metrics/read-gauges.ts',
    find: 'if (!paused) freshness.set(',
    replace: 'freshness.set(',
    consequence:
      'Every channel that is paused on purpose raises the alert of late deliveries after a while, and operators learn to ignore it.',
    test: testIn('metrics/gauges')('a paused channel is counted, waits, and is not stale'),
  },
  {
    name: 'ready-before-it-polls',
    file: 'worker/health.ts',
    find: 'workers.length > 0 && workers.every(polls)',
    replace: 'workers.every(polls)',
    consequence:
      'A new worker counts as ready before it has any poller, so a rollout ends the old ones while nobody delivers, and one stuck at its start is never noticed.',
    test: testIn('worker/health')('it is not where none is there yet'),
  },
  {
    name: 'old-keys-of-the-wrong-setting',
    file: 'config.ts',
    find: "readOldKeys('GDX_SECRET_KEY_OLD', settings.GDX_SECRET_KEY_OLD, problems)",
    replace: "readOldKeys('GDX_SECRET_KEY_OLD', settings.GDX_CUSTOMER_SECRETS_KEY_OLD, problems)",
    consequence:
      "After GDX_SECRET_KEY is exchanged, nothing that was sealed with the old key (hash key, link keys, sessions' phones) can be opened, and rewrap cannot mend it: farmers cannot sign in.",
    test: testIn('domain/config')('refuses '),
  },
];
