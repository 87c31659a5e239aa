import { type PlantedFault, testIn } from '../planted-fault';

/** What shows only with two of something, the second time, in between, or after a failure. */
export const SEVERAL_FOR_FARMERS: PlantedFault[] = [
  {
    name: 'told-of-those-before',
    file: 'api/farmer/tell-farmers.ts',
    find: 'notices.begun.includes(channel),',
    replace: 'notices.begun.length > 0 && channel,',
    consequence:
      'a farmer who grants to a second customer is told that the first gets their data from now on',
    test: testIn('farmer/told')('the text of a second customer names that one'),
  },
  {
    name: 'told-of-who-gets-all',
    file: 'api/farmer/tell-farmers.ts',
    find: '\n    .filter(({ _id }) => slugs.includes(_id))',
    replace: '',
    consequence: 'a text says that a farmer shares with customers that no farmer is asked about',
    test: testIn('farmer/told')('the text of a second customer names that one'),
  },
  {
    name: 'takes-from-the-living',
    file: 'api/farmer/rounds.ts',
    find: 'takenBefore.get(farmer) === word',
    replace: 'word && takenBefore.has(farmer)',
    consequence: 'a text that has only begun is taken for left behind, and sent twice',
    test: testIn('farmer/told')('what a process left when it died'),
  },
  {
    name: 'reminds-a-landline-for-ever',
    file: 'api/farmer/tell-farmers.ts',
    find: 'if (notices.tries < MOST_TRIES)\n      await text',
    replace: 'await text',
    consequence: 'a reminder that never arrives is paid for every hour, for ever',
    test: testIn('farmer/told')('a text that has failed 24 times'),
  },
  {
    name: 'outage-uses-up-the-day',
    file: 'api/farmer/send-code.ts',
    find: '    await uncountCode(store, codeCounts(asking, farmer).shared);\n',
    replace: '',
    consequence: 'an outage of the provider uses up the codes of all farmers for the day',
    test: testIn('farmer/codes')('use up nothing of the day of all'),
  },
  {
    name: 'made-up-numbers-use-up-the-day',
    file: 'api/farmer/send-code.ts',
    find: "await uncountCode(store, shared); // made-up numbers use up nobody else's",
    replace: 'void shared;',
    consequence: 'whoever makes up numbers locks out all farmers for the day',
    test: testIn('farmer/codes')('use up nothing of the day of all'),
  },
  {
    name: 'failed-texts-free-for-an-address',
    file: 'api/farmer/send-code.ts',
    find: 'await uncountCode(store, own).catch(() => {});',
    replace:
      'await uncountCode(store, [...own, ...codeCounts(asking, deps.farmer).ofAddress]).catch(() => {});',
    consequence: 'one address has a provider that is down asked without end',
    test: testIn('farmer/codes')('an address goes on counting while the provider is down'),
  },
  {
    name: 'one-day-for-all-customers',
    file: 'api/farmer/code-limits.ts',
    find: '`channel-day/${channel}`',
    replace: '`channel-day`',
    consequence: 'the links of one customer use up the codes of every other',
    test: testIn('farmer/codes')('each customer has a day of its own'),
  },
  {
    name: 'known-browsers-wait-for-others',
    file: 'api/farmer/code-limits.ts',
    find: '  if (device) return { own, ofAddress: [], shared: [] };\n',
    replace: '',
    consequence: 'a farmer in their own browser is locked out by what others have used up',
    test: testIn('farmer/guesses')('gets in when the day of all others is used up'),
  },
  {
    name: 'one-address-uses-up-the-channel',
    file: 'api/farmer/session-limits.ts',
    find: '(await countAttempt(store, `link/address/${addressKey(address)}`, OF_ADDRESS)) ||\n    (await countAttempt(store, `link/${whose}`, OF_CHANNEL));',
    replace:
      '(await countAttempt(store, `link/${whose}`, OF_CHANNEL)) ||\n    (await countAttempt(store, `link/address/${addressKey(address)}`, OF_ADDRESS));',
    consequence: 'one address over its limit locks out all farmers of a customer',
    test: testIn('farmer/visits')('600 of one address open a session'),
  },
  {
    name: 'over-and-still-ticked',
    file: 'api/farmer/list-accounts.ts',
    find: "one.state === 'granted' && !isOver(one)",
    replace: "isOver(one) || one.state === 'granted'",
    consequence: 'the page says that an account is shared whose end has come, and does not share it again',
    test: testIn('farmer/grant-end')('an end that has come counts on the page'),
  },
];
