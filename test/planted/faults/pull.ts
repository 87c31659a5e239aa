import { type PlantedFault, testIn } from '../planted-fault';

const handOver = testIn('activities/deliver/hand-over');
const pull = testIn('workflows/pull');

export const PULL_FAULTS: PlantedFault[] = [
  {
    name: 'laid-out-for-nobody',
    file: 'activities/deliver/hand-over.ts',
    find: ' || (!before.confirmed && before.asks === before.withdrawn)',
    replace: '',
    consequence: 'a worker waits for a customer who is not there, again and again',
    test: handOver('a page is withdrawn when nobody asks, and laid out again for the next question only'),
  },
  {
    name: 'overtaken-attempt-answers',
    file: 'activities/deliver/confirm-page.ts',
    find: 'delete slice.tally.collected;',
    replace: '',
    consequence: 'a confirmation is answered 204 although the marker has not moved',
    test: handOver(
      'a confirmation is answered once the marker has moved, not by an attempt that is overtaken',
    ),
  },
  {
    name: 'questions-counted-after-plan',
    file: 'activities/plan-run.ts',
    find: 'if (isEmpty) await noteNothing(store, slug, type, asked);',
    replace:
      'if (isEmpty) await noteNothing(store, slug, type, (await readAsks(store, slug)).get(type) ?? asked);',
    consequence: 'a question is answered “nothing” by a plan that began before what it asks for was pushed',
    test: handOver('a question that comes while a plan is under way is not answered by it'),
  },
  {
    name: 'waits-in-spite-of-revoke',
    file: 'store/feed/waiting-pages.ts',
    find: 'until <= now || shares_version !== channel.shares_version',
    replace: 'until <= now',
    consequence: 'a page that waits carries an account after its farmer has stopped sharing it',
    test: pull('a revoke counts for a page that waits already'),
  },
  {
    name: 'waits-beyond-its-time',
    file: 'store/feed/waiting-pages.ts',
    find: 'until <= now || ',
    replace: '',
    consequence: 'a page that waits carries an account after the end of its grant',
    test: pull('a grant that ends while its page waits: the next question gets a page without it'),
    bundled: true,
  },
  {
    name: 'confirms-page-of-others',
    file: 'store/feed/waiting-pages.ts',
    find: 'const waiting = { channel, page };',
    replace: 'const waiting = { page };',
    consequence: 'one customer moves the marker of another, who misses the page',
    test: pull('confirming twice, late, out of order or another’s page moves nothing else'),
  },
  {
    name: 'gone-page-waits-on',
    file: 'store/feed/waiting-pages.ts',
    find: '{ $set: { nothing: asks }, $unset: NO_PAGE }',
    replace: '{ $set: { nothing: asks } }',
    consequence: 'the confirmation of a page that nobody has to send any more is answered 503 for an hour',
    test: handOver('the confirmation of a page that nobody has to send any more is answered'),
  },
  {
    name: 'confirms-once-only',
    file: 'store/feed/waiting-pages.ts',
    find: 'if (passed) return passed.entity_type;',
    replace: '',
    consequence: 'a customer whose confirmation was answered by nobody confirms again and is refused',
    test: pull('confirming twice, late, out of order or another’s page moves nothing else'),
  },
  {
    name: 'asks-and-never-confirms',
    file: 'activities/deliver/hand-over.ts',
    find: "      if (Date.now() >= laid + GIVEN_OUT_MS) return 'uncollected'; // asked for and not confirmed: one who hangs\n",
    replace: '',
    consequence:
      'a receiver that crashes over a page and asks again holds a place of those who answer, for ever',
    test: handOver('a customer who asks for a minute and does not confirm is one who hangs'),
  },
  {
    name: 'collected-and-forgotten',
    file: 'activities/deliver/cursor.ts',
    find: '  await recallCollected(slice, marker);\n',
    replace: '',
    consequence:
      'a confirmation that counted is answered 409 after a crash: a receiver throws away what is not sent again',
    test: handOver('a confirmation that counted is answered so, also where the worker dies'),
  },
  {
    name: 'catch-up-gone-before-it-is-said',
    file: 'activities/deliver/deliver-catch-ups.ts',
    find: '  await clearCollected(slice); // its progress, by which another worker would know, goes with it\n',
    replace: '',
    consequence:
      'the confirmation of a catch-up’s last page is answered 409 after a crash, and the page never comes again',
    test: handOver('so it is where a catch-up is gone by then'),
  },
  {
    name: 'resend-gone-before-it-is-said',
    file: 'activities/deliver/deliver-released.ts',
    find: '    await clearCollected(slice);\n',
    replace: '',
    consequence:
      'the confirmation of what was sent again is answered 409 after a crash, and the page never comes again',
    test: handOver('so it is where what is sent again is gone by then'),
  },
];
