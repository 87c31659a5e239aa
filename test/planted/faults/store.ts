import { type PlantedFault, testIn } from '../planted-fault';

const push = testIn('store/store-push');
const resend = testIn('api/resend');
const groups = testIn('store/push-groups');
const counters = testIn('store/counters');
const locks = testIn('store/push-locks');
const wire = testIn('store/wire');
const markers = testIn('store/markers');
const window = testIn('store/window');
const resets = testIn('store/reset-channel-marker');
const fences = testIn('commit-order/fences');
const lagging = testIn('commit-order/lagging-reads');
const aside = testIn('commit-order/set-aside');
const corrected = testIn('sharing/corrected');
const sharing = testIn('sharing/sharing');
const grants = testIn('sharing/interleavings');
const overtaken = testIn('sharing/overtaken');
const many = testIn('sharing/many-at-once.slow');
const alerts = testIn('store/alerts');
const backlogs = testIn('store/list-backlogs');
const digest = testIn('api/digest');
const ended = testIn('sharing/ended');
const rewrapped = testIn('store/rewrap-secrets');
const reports = testIn('store/deliveries');
const repaired = testIn('store/repair-counters');

export const STORE_FAULTS: PlantedFault[] = [
  {
    name: 'elevators-beside-unchanged',
    file: 'store/push/known-records.ts',
    find: 'pushes.filter(({ elevators }) => elevators.length === 0)',
    replace: 'pushes',
    consequence: 'elevators pushed beside unchanged records are answered 204 and never stored',
    test: push('elevators are stored, also beside records that are all unchanged'),
  },
  {
    name: 'created-at-alone',
    file: 'store/push/known-records.ts',
    find: 'return sameCreation && ',
    replace: 'return ',
    consequence: 'a corrected created_at is answered 204 and never reaches the customer',
    test: push('a corrected created_at alone is a change'),
  },
  {
    name: 'read-before-counter',
    file: 'store/push/store-group.ts',
    find: 'const changed: Changed = new Map();',
    replace:
      'const changed: Changed = new Map();\n  for (const push of changing) for (const type of typesOf([push])) await readKnown(store, type, push.records[type], session);',
    consequence:
      'the transaction reads before it holds the counter: two pushes of one record take old content for known',
    test: wire('a push is one transaction, whose first command takes the counter'),
  },
  {
    name: 'sample-for-all',
    file: 'store/push/known-records.ts',
    find: 'unchangedAmong(store, likely, (list) => list, session)',
    replace: 'unchangedAmong(store, likely, (list) => list.slice(0, 1), session)',
    consequence: 'a push whose first record is unchanged is dropped whole',
    test: push('unchanged records in a push with a changed one keep position and time'),
  },
  {
    name: 'receipt-beside-transaction',
    file: 'store/push/store-group.ts',
    find: 'await writeReceipts(store, fresh, changed, session);',
    replace: 'await writeReceipts(store, fresh, changed);',
    consequence: 'a commit that fails leaves a receipt: the ERP repeats, is told 204, and nothing is stored',
    test: push('a commit that fails is tried again whole'),
  },
  {
    name: 'no-receipt-unchanged',
    file: 'store/push/store-group.ts',
    find: 'else if (fresh.length > 0) await writeReceipts(store, fresh, changed);',
    replace: '',
    consequence: 'a request id may be used again with another body',
    test: push('a push that changes nothing leaves its receipt'),
  },
  {
    name: 'left-accounts-dropped',
    file: 'store/push/write-changed.ts',
    find: '...(left.length > 0 ? { left_account_ids: left } : {}),',
    replace: '',
    consequence: 'a customer keeps a ticket that was corrected to somebody who shares nothing with it',
    test: corrected('a ticket remembers the accounts it has left until it comes back to them'),
  },
  {
    name: 'left-accounts-of-last-change',
    file: 'domain/left-accounts.ts',
    find: '...(known.left_account_ids ?? []), ',
    replace: '',
    consequence: 'of a ticket corrected twice the first account’s customers are told nothing',
    test: corrected('a ticket remembers the accounts it has left until it comes back to them'),
  },
  {
    name: 'phones-forgotten',
    file: 'store/push/write-changed.ts',
    find: 'keepPhones(pushed.rendered, before?.wire)',
    replace: 'pushed.rendered',
    consequence: 'an ERP that sends no phones takes them away: farmers cannot sign in any more',
    test: push('an account without them keeps those it has, in the record and on the page'),
  },
  {
    name: 'group-forgets-its-own',
    file: 'store/push/write-changed.ts',
    find: 'written.get(pushed.id) ?? stored.get(pushed.id)',
    replace: 'stored.get(pushed.id)',
    consequence:
      'of two pushes of one ticket in a group the second is compared with what the first has replaced',
    test: groups('of one record pushed twice the last wins'),
  },
  {
    name: 'group-in-parts',
    file: 'store/push/write-changed.ts',
    find: 'if (changing.length > 1) return [placed];',
    replace: '',
    consequence: 'a ticket that two pushes of a large group correct is forgotten at the account in between',
    test: groups('a record of two pushes of a large group has left the accounts of both'),
  },
  {
    name: 'only-the-last-part-written',
    file: 'store/push/write-changed.ts',
    find: '[, writes] = await Promise.all([execute(writes, session), encoded]);',
    replace: 'writes = await encoded;',
    consequence: 'of a push of 5,000 records 500 are stored, and it is acknowledged',
    test: groups('a push that is written in parts is stored whole, in its order'),
  },
  {
    name: 'group-falls-together',
    file: 'store/push/store-push.ts',
    find: 'else for (const one of group) await this.storeAlone(one);',
    replace: 'else group.forEach(({ fail }) => fail(error));',
    consequence: 'one push that cannot be stored takes all that wait with it',
    test: groups('one that cannot be stored harms no other'),
  },
  {
    name: 'twins-in-a-group',
    file: 'store/push/store-push.ts',
    find: ' || ids.has(push.receiptId)',
    replace: '',
    consequence: 'a request sent twice at once fails the transaction of everybody beside it',
    test: groups('repeated requests are answered as such'),
  },
  {
    name: 'groups-without-end',
    file: 'store/push/store-push.ts',
    find: 'ids.size === MOST.pushes || count > MOST.records || ',
    replace: '',
    consequence:
      'a transaction grows with the number of callers until it takes longer than the server allows',
    test: groups('a group takes at most 64 pushes and 5,000 records'),
  },
  {
    name: 'time-by-the-clock',
    file: 'store/push/counters.ts',
    find: 'before.at < now',
    replace: 'true',
    consequence: 'updated_at falls when the clock steps back: receivers drop the newer version',
    test: counters('two changes in one millisecond, and a clock that steps back'),
  },
  {
    name: 'position-off-by-one',
    file: 'store/push/counters.ts',
    find: 'before.position + 1',
    replace: 'before.position',
    consequence: 'a push takes the last position of the one before',
    test: counters('concurrent pushes: positions are unique and without a gap'),
  },
  {
    name: 'majority-instead-of-linearizable',
    file: 'store/push/counters.ts',
    find: "level: 'linearizable' as const",
    replace: "level: 'majority' as const",
    consequence: 'right after a failover a change is taken for none, and a reset sends too little',
    test: lagging('a look before a push that lags does not take a change for none'),
  },
  {
    name: 'write-concern-one',
    file: 'store/connect.ts',
    find: "writeConcern: { w: 'majority' }",
    replace: 'writeConcern: { w: 1 }',
    consequence: 'a failover takes back what was answered 204',
    test: wire('a push is one transaction, whose first command takes the counter'),
  },
  {
    name: 'read-concern-local',
    file: 'store/connect.ts',
    find: "readConcern: { level: 'majority' }",
    replace: "readConcern: { level: 'local' }",
    consequence: 'a ceiling is read that a failover takes back: its positions are passed over',
    test: wire('a plan reads in one causal session'),
  },
  {
    name: 'ceilings-without-session',
    file: 'store/push/counters.ts',
    find: 'const options = session ? { session } : {};',
    replace: 'const options = {};',
    consequence: 'records may be read from a member that has not seen the ceiling: they are passed over',
    test: wire('a plan reads in one causal session'),
  },
  {
    name: 'no-deadline',
    file: 'store/transact.ts',
    find: 'if (Date.now() > deadline)',
    replace: 'if (tries < 0)',
    consequence: 'a push waits two minutes for the counter instead of 25 s',
    test: locks('a counter that stays held: the push is unavailable when its time is over'),
  },
  {
    name: 'locks-kept-after-timeout',
    file: 'store/push/push-locks.ts',
    find: 'releaseAll();\n',
    replace: '\n',
    consequence: 'a push that times out keeps its locks: no push of those types until a restart',
    test: locks('the locks of one process: first come first served by type'),
  },
  {
    name: 'move-without-epoch',
    file: 'store/feed/markers.ts',
    find: 'epoch: attempt.epoch },\n    {\n',
    replace: '},\n    {\n',
    consequence: 'an attempt from before a reset moves the marker over what was reset',
    test: markers('a newer attempt fences the older one out'),
  },
  {
    name: 'skip-without-epoch',
    file: 'store/feed/markers.ts',
    find: 'epoch: attempt.epoch },\n    { $set: { position } }',
    replace: '},\n    { $set: { position } }',
    consequence: 'an old attempt passes over what a newer one has to deliver',
    test: markers('a newer attempt fences the older one out'),
  },
  {
    name: 'empty-window-without-epoch',
    file: 'store/feed/markers.ts',
    find: 'generation: seen.generation, epoch: seen.epoch, ',
    replace: '',
    consequence: 'a slow plan passes over what was granted while it looked',
    test: markers('an empty window is passed over only if nobody came between'),
  },
  {
    name: 'empty-window-takes-no-epoch',
    file: 'store/feed/markers.ts',
    find: '{ $set: { position }, $inc: { epoch: 1 } }',
    replace: '{ $set: { position } }',
    consequence: 'an attempt that is under way moves the marker back to where it was',
    test: markers('an empty window is passed over only if nobody came between'),
  },
  {
    name: 'reset-without-epoch',
    file: 'store/feed/markers.ts',
    find: '$inc: { generation: 1, epoch: 1 }',
    replace: '$inc: { generation: 1 }',
    consequence: 'the page under way moves the marker back over a reset',
    test: markers('moves the marker back and fences out every attempt, in flight or planned'),
  },
  {
    name: 'reset-without-generation',
    file: 'store/feed/markers.ts',
    find: '$inc: { generation: 1, epoch: 1 }',
    replace: '$inc: { epoch: 1 }',
    consequence: 'pages after a reset keep their ids: receivers drop them as known',
    test: markers('moves the marker back and fences out every attempt, in flight or planned'),
  },
  {
    name: 'reset-moves-forward',
    file: 'store/feed/markers.ts',
    find: '$min: { position: reset.floor, timestamp },\n      $set: { last_reset },',
    replace: '$set: { last_reset, position: reset.floor, timestamp },',
    consequence: 'a reset to a late time skips what was never delivered',
    test: markers('never moves it forward'),
  },
  {
    name: 'attempt-of-any-generation',
    file: 'store/feed/markers.ts',
    find: '{ _id: id, generation },',
    replace: '{ _id: id },',
    consequence: 'a delivery planned before a reset begins after it, under the old page ids',
    test: fences('a delivery planned before a reset does not begin after it'),
  },
  {
    name: 'floor-after-the-time',
    file: 'store/feed/change-times.ts',
    find: 'first.updated_at >= since',
    replace: 'first.updated_at > since',
    consequence: 'a reset leaves out the records changed at that very moment',
    test: resets('floorOf: just below the first record changed at or after a time'),
  },
  {
    name: 'floor-at-the-record',
    file: 'store/feed/change-times.ts',
    find: 'first.position - 1',
    replace: 'first.position',
    consequence: 'a reset leaves out its first record',
    test: resets('floorOf: just below the first record changed at or after a time'),
  },
  {
    name: 'window-with-its-beginning',
    file: 'store/feed/seek-positions.ts',
    find: 'position: { $gt: after, $lte: upTo }',
    replace: 'position: { $gte: after, $lte: upTo }',
    consequence: 'every page begins with the last record of the one before',
    test: window('a window is above the one end, up to and with the other'),
  },
  {
    name: 'window-without-its-end',
    file: 'store/feed/seek-positions.ts',
    find: 'position: { $gt: after, $lte: upTo }',
    replace: 'position: { $gt: after, $lt: upTo }',
    consequence: 'the last record of every window is passed over',
    test: window('a window is above the one end, up to and with the other'),
  },
  {
    name: 'page-in-any-order',
    file: 'store/feed/read-page-records.ts',
    find: '.sort({ position: 1 })',
    replace: '',
    consequence: 'a page in another order moves the marker over records that it does not hold',
    test: wire('pages are asked for in position order, whichever index the server takes'),
  },
  {
    name: 'plan-takes-no-epoch',
    file: 'store/feed/catch-ups.ts',
    find: '$inc: { epoch: 1 }',
    replace: '$inc: { epoch: 0 }',
    consequence: 'an attempt that began before the grant passes over what the account has above the end',
    test: grants('the plan takes an epoch, or an attempt passes over'),
  },
  {
    name: 'one-epoch-for-all-batches',
    file: 'store/feed/catch-ups.ts',
    find: '{ $inc: { epoch: 1 } }',
    replace:
      '{ $inc: { epoch: (await catchUps(store).countDocuments({ channel, entity_type: type, account: { $exists: true } }, { session })) > 0 ? 0 : 1 } }',
    consequence:
      'of a grant of more than 500 accounts, an attempt between two batches passes over the second’s records',
    test: testIn('sharing/batches.slow')('each batch takes an epoch of its own'),
  },
  {
    name: 'catch-ups-begin-alike',
    file: 'store/feed/catch-ups.ts',
    find: 'version * EACH',
    replace: '0 * version',
    consequence: 'an attempt at a revoked grant’s catch-up finishes that of the next grant',
    test: grants('an attempt at a catch-up that was removed cannot move the one that took its place'),
  },
  {
    name: 'reset-cuts-newer-catch-ups',
    file: 'store/feed/catch-ups.ts',
    find: '{ _id, begun: { $lte: version } }',
    replace: '{ _id }',
    consequence: 'a slow reset cuts short a catch-up that was begun after it',
    test: overtaken('a reset cuts no catch-up that was begun after it had moved'),
  },
  {
    name: 'selected-before-begun',
    file: 'store/sharing/subscriptions.ts',
    find: "state: 'granted', to_begin: { $ne: type } }",
    replace: "state: 'granted' }",
    consequence:
      'an account is delivered by the window while its catch-up is still to begin: double, or lost by a reset',
    test: grants('an attempt goes by what is selected after it has taken its epoch'),
  },
  {
    name: 'partners-see-each-other',
    file: 'store/sharing/subscriptions.ts',
    find: '.find({ farmer, channel, partner_id })',
    replace: '.find({ farmer, channel })',
    consequence: 'a farmer’s choices under one partner_id show under another',
    test: testIn('farmer/flow')('another partner_id sees nothing of it'),
  },
  {
    name: 'unchained-consents',
    file: 'store/sharing/consents.ts',
    find: 'number, at, previous, key: current.id }',
    replace: 'number, at, previous: BEGINNING, key: current.id }',
    consequence: 'the ledger is no chain: an entry can be removed unseen',
    test: many('links every act of two hands into one chain'),
  },
  {
    name: 'older-refusal-over-newer',
    file: 'store/feed/set-aside.ts',
    find: 'position: { $lte: refused.position } }',
    replace: '}',
    consequence: 'a late refusal of an older version hides that the newer one was refused',
    test: aside('a late refusal of an older version does not take the place of a newer one'),
  },
  {
    name: 'notice-told-twice',
    file: 'store/feed/alerts.ts',
    find: ", 'notices.key': { $ne: notice.key } }",
    replace: ' }',
    consequence: 'every look at the channels tells the operator again',
    test: alerts('one event is told once'),
  },
  {
    name: 'claimed-by-everybody',
    file: 'store/feed/alert-outbox.ts',
    find: ', claimed_at: { $lte: new Date(now.getTime() - CLAIM_MS) } }',
    replace: ' }',
    consequence: 'two workers send every alert twice',
    test: alerts('of two senders one gets an alert'),
  },
  {
    name: 'revoke-keeps-catch-ups',
    file: 'store/feed/catch-ups.ts',
    find: 'await catchUps(store).deleteMany({ _id: { $in: ids } }, { session });',
    replace: 'void ids;',
    consequence: 'a catch-up goes on after its account was revoked',
    test: many('grants what is new and what was revoked, and counts neither'),
  },
  {
    name: 'open-alert-with-subjects-resolved',
    file: 'store/feed/alerts.ts',
    find: "state: 'open', subjects: { $size: 0 } }",
    replace: "state: 'open' }",
    consequence: 'an alert is resolved while another entity type still fails',
    test: alerts('it is resolved when the last of what fails with it has succeeded'),
  },
  {
    name: 'unnumbered-catch-up-pages',
    file: 'store/feed/catch-ups.ts',
    find: '{ $set: { total } }',
    replace: '{ $set: { total: total + 1 } }',
    consequence: 'the total_count of a catch-up’s pages is wrong',
    test: sharing('counts the pages of a catch-up by themselves'),
  },
  {
    name: 'resends-of-other-companies',
    file: 'store/feed/choose-records.ts',
    find: '(companies.length === 0 || companies.includes(record.company_id)) && ',
    replace: 'companies && ',
    consequence: 'a customer asks for the records of a company that is none of its own and is told they come',
    test: resend('sends the known ones, tells the others, moves no marker, and signals once'),
  },
  {
    name: 'released-again-and-forgotten',
    file: 'store/feed/set-aside.ts',
    find: '=> ({ record, released_at })',
    replace: '=> ({ record })',
    consequence:
      'a record that is refused or released again while its page is under way is forgotten: neither sent nor listed',
    test: aside('a released record that is confirmed is cleared too'),
  },
  {
    name: 'last-catch-up-counts-alone',
    file: 'store/feed/list-backlogs.ts',
    find: '(caughtUp.get(marker.entity_type) ?? 0) + ',
    replace: '',
    consequence:
      'of a thousand accounts being caught up the gauges and /ops count one: a large backlog looks like nothing',
    test: backlogs('what is left of every account’s catch-up counts'),
  },
  {
    name: 'left-accounts-not-pending',
    file: 'store/feed/digest-base.ts',
    find: ', ...(record.left_account_ids ?? [])',
    replace: '',
    consequence:
      'the digest counts what was corrected away from a newly shared account before it is sent: a false difference',
    test: digest('a record that was corrected away from an account is pending'),
  },
  {
    name: 'moved-end-ends-anyway',
    file: 'store/sharing/grant-and-revoke.ts',
    find: '|| isSameEnd(act.ends_at, ends_at)',
    replace: '|| true',
    consequence:
      'a farmer who prolongs a grant while its end is being written loses what they have just granted',
    test: ended('whoever saw the older one ends nothing'),
  },
  {
    name: 'rewrapped-over-a-rotation',
    file: 'store/access/rewrap-secrets.ts',
    find: ', [path]: before }',
    replace: ' }',
    consequence:
      'a secret that is exchanged during `gdx secrets rewrap` is the one before again: the customer verifies no page',
    test: rewrapped('and is exchanged while it is sealed anew, stays what it was exchanged for'),
  },
  {
    name: 'first-answers-kept-not-last',
    file: 'store/feed/deliveries.ts',
    find: '$slice: -MAX_ATTEMPTS_STORED',
    replace: '$slice: MAX_ATTEMPTS_STORED',
    consequence:
      'the report of a delivery that fails for long shows what the customer said hours ago, and never the last',
    test: reports('the last twenty answers that did not confirm are kept'),
  },
  {
    name: 'raised-counter-keeps-its-time',
    file: 'store/push/raise-counters.ts',
    find: '{ $max: { position: highest, at } }',
    replace: '{ $max: { position: highest }, $setOnInsert: { at } }',
    consequence:
      'after a repair a new change may look older than what customers hold, and digests differ though nothing is missing',
    test: repaired('the time is raised too, so that it goes on rising'),
  },
  {
    name: 'late-group-never-answered',
    file: 'store/push/store-push.ts',
    find: 'this.waiting.unshift(...group.filter(({ deadline }) => deadline > now));',
    replace: '',
    consequence:
      'pushes that waited with a late one are never answered, and keep their bytes and slots until the API takes none',
    test: groups('one that waits with a late one, and has time left, is stored before those that come after'),
  },
  {
    name: 'group-goes-by-the-first-deadline',
    file: 'store/push/store-push.ts',
    find: 'storeGroup(this.store, pushes, earliestOf(group))',
    replace: 'storeGroup(this.store, pushes, group[0]!.deadline)',
    consequence: 'a push is stored after its ERP was told that it failed, over something newer',
    test: groups('one whose own time is over first is not begun, and those beside it are stored'),
  },
  {
    name: 'record-of-any-size',
    file: 'store/push/write-changed.ts',
    find: '    refuseTooLarge(type, { id, bytes: wire.length, lists: [account_ids, left_account_ids, phones] });\n',
    replace: '',
    consequence:
      'a record that MongoDB cannot hold is answered 500 on every try, and its ERP’s queue stands still',
    test: testIn('api/record-too-large.slow')('a record that grows beyond 15 MiB is refused by its path'),
  },
];
