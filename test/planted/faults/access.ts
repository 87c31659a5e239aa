import { type PlantedFault, testIn } from '../planted-fault';

const customerSignIn = testIn('customer-page/sign-in');
const customersPage = testIn('customer-page/actions');
const guesses = testIn('farmer/guesses');
const sessions = testIn('farmer/sessions');
const links = testIn('farmer/signed-links');
const held = testIn('api/held-bodies.slow');
const shared = testIn('api/shared-limiter.slow');
const tokens = testIn('api/token-access');
const ledger = testIn('store/ledger-rewritten');
const names = testIn('domain/given-names');
const groups = testIn('store/push-groups');
const pages = testIn('activities/deliver/page-budget');
const addresses = testIn('domain/denied-address');

export const ACCESS_FAULTS: PlantedFault[] = [
  {
    name: 'guesses-only-counted',
    file: 'api/farmer/guess-code.ts',
    find: 'waitMs > 0 ? { waitMs } : ',
    replace: '',
    consequence: 'whoever asks for codes long enough guesses one',
    test: guesses('30 guesses an hour and 100 a day at one phone'),
  },
  {
    name: 'old-session-lives-on',
    file: 'store/access/session-ends.ts',
    find: 'if (!(await replace(store, { _id: session._id, phone: session.phone }, null))) throw new SessionMoved();',
    replace: '',
    consequence: 'whoever planted the cookie looks on while the farmer goes through the pages',
    test: sessions('leads to the new one with the code alone, three times at most'),
  },
  {
    name: 'unsigned-links-taken',
    file: 'domain/link-signature.ts',
    find: "if (!fits || !/^\\d{1,12}$/.test(values.expires)) return 'unsigned';",
    replace: '',
    consequence: 'anybody sends farmers to the page in the name of a customer that signs its links',
    test: links('an unsigned one is refused, where the channel has a key'),
  },
  {
    name: 'no-share-of-bytes',
    file: 'api/byte-budget.ts',
    find: 'if (!shares.take(owner, more)) throw rateLimited(WAIT_MS);',
    replace: 'shares.take(owner, more);',
    consequence: 'one ERP holds the bytes of all',
    test: held('one integration holds a quarter of the bytes'),
  },
  {
    name: 'bytes-as-declared',
    file: 'api/read-body.ts',
    find: 'allowed.lease.growTo(length);',
    replace: 'allowed.lease.growTo(allowed.maxBytes);',
    consequence: 'sockets that send a byte keep every push out',
    test: held('16 sockets that declare 16 MiB'),
  },
  {
    name: 'each-process-counts-alone',
    file: 'api/shared-limiter.ts',
    find: 'count.isOver = waitMs > 0;',
    replace: '',
    consequence: 'ten processes let ten times as many guesses at tokens through',
    test: shared('three under one attack: the limit and a portion for each pass in all'),
  },
  {
    name: 'tokens-without-end',
    file: 'domain/access.ts',
    find: "if (expires_at && expires_at <= now) return 'expired';",
    replace: '',
    consequence: 'a token works after its end',
    test: tokens('a time is when every token of the ERP ends'),
  },
  {
    name: 'signatures-not-checked',
    file: 'store/sharing/verify-consents.ts',
    find: "if (age < 0) return 'it is signed with a key that is none of ours';",
    replace: 'if (age < 0) return undefined;',
    consequence: 'a ledger signed with a key of one’s own verifies',
    test: ledger('an entry signed with a key of one’s own'),
  },
  {
    name: 'forged-names-in-lists',
    file: 'domain/given-names.ts',
    find: "if (typeof value[i] === 'object') refuseGivenNames(",
    replace: "if (typeof value[i] === 'never') refuseGivenNames(",
    consequence: 'an ERP shows customers references to another company’s records, in a list',
    test: names('whatever members an ERP sends'),
  },
  {
    name: 'metadata-reached',
    file: 'domain/denied-address.ts',
    find: 'if (isMetadata(carriedAddress(address)))',
    replace: 'if (isMetadata(address))',
    consequence: 'a customer’s name that resolves to 64:ff9b::168.63.129.16 reads the cloud’s credentials',
    test: addresses('64:ff9b::168.63.129.16 is denied as a cloud metadata address'),
  },
  {
    name: 'group-lets-the-older-win',
    file: 'store/push/store-group.ts',
    find: 'unchanged.has(push) && !named.some((one) => touched.has(one))',
    replace: 'unchanged.has(push)',
    consequence: 'of two pushes of one ticket at once the first stays, though both were answered in order',
    test: groups('a push of what is stored counts, where one before it in the group has changed that'),
  },
  {
    name: 'pages-of-any-size',
    file: 'activities/deliver/deliver-page.ts',
    find: 'cursor.reader.read(cursor.at, limit, { mayHold })',
    replace: 'cursor.reader.read(cursor.at, limit)',
    consequence: 'large records take a worker’s memory however small its budget is',
    test: pages('a page ends where the budget is full'),
  },
  {
    name: 'one-budget-for-all',
    file: 'activities/deliver/slice.ts',
    find: 'input.unanswered ? budgets.unanswered : budgets.answering',
    replace: 'input && budgets.answering',
    consequence: 'pages held by customers that hang leave no room for the others',
    test: pages('pages that are held up leave no room for others'),
  },
  {
    name: 'session-outlives-its-key',
    file: 'store/access/customer-sessions.ts',
    find: 'refusedBy(channel.key_access, ip, new Date()) ? null : { session, channel }',
    replace: '{ session, channel }',
    consequence: 'a customer’s page stays open to whoever has a key that has expired, from any address',
    test: customerSignIn('a session of a key that has expired opens nothing'),
  },
  {
    name: 'digest-share-never-given-back',
    file: 'api/digest/stream-digest.ts',
    find: '    ofChannel.giveBack(slug);\n    throw rateLimited(WAIT_MS);',
    replace: '    throw rateLimited(WAIT_MS);',
    consequence: 'a customer that once asked while four others had their digests is refused until a restart',
    test: testIn('api/digest')('who asks while four others have their turns is refused, and only then'),
  },
  {
    name: 'inner-addresses-shown-to-customers',
    file: 'api/pages/channel/as-customers-may-see.ts',
    find: 'reason: forCustomers(attempt.reason),',
    replace: 'reason: attempt.reason,',
    consequence:
      'a customer reads to which address of our network its host name led, and maps what is inside',
    test: customersPage('tells nothing of our own trouble, of addresses inside, or of what operators wrote'),
  },
  {
    name: 'operators-acts-expire',
    file: 'api/pages/channel/act.ts',
    find: "door.holder === 'channel' ? endOfCustomersAction(deps) : undefined",
    replace: "door.holder === 'operator' ? endOfCustomersAction(deps) : undefined",
    consequence:
      'who did what on /ops, and why, is deleted as customers’ actions are, and those are kept for good',
    test: customersPage('reset: says what it would do, does it once, and is recorded as the customer’s'),
  },
];
