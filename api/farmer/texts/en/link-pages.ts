import { english } from './words';

const { all, day, listed, number, count, interval } = english;

/** The pages that a link leads through. */
export const englishLinkPages = {
  phone: {
    title: 'Confirm your phone number',
    who: (service: string) =>
      `${service} is a service with which grain companies send records to insurers, lenders and others.`,
    why: (customer: string) =>
      `${customer} asks your grain companies (elevator, co-op) for your records. You choose which accounts to share, or none.`,
    how: 'First we check that the phone is yours. We will send you a code.',
    calledItself: (name: string) => `They call themselves “${name}” in the link that brought you here.`,
    label: 'Phone number',
    hint: 'The 10-digit number that your grain companies have for you. Message and data rates may apply.',
    send: 'Text me a code',
    call: 'Call me instead',
    wrong: 'Enter a 10-digit phone number, like 701-555-0142',
    impossible: 'We cannot text or call this number. Check it',
    signed: (ending: string, customer: string) =>
      `This link is for the number ending in ${ending}. Ask ${customer} for a link with your other number, if you have one.`,
  },
  code: {
    title: { text: 'Enter the code we texted you', call: 'Enter the code from our call' },
    sentTo: {
      text: (ending: string, digits: number) =>
        `Look for a text with ${digits === 8 ? 'an 8' : 'a 6'}-digit code on the phone ending in ${ending}.`,
      call: (ending: string, digits: number) =>
        `We are calling the number ending in ${ending} to read you ${digits === 8 ? 'an 8' : 'a 6'}-digit code.`,
    },
    slow: 'It can take a minute to arrive. The code works for 10 minutes.',
    label: 'Security code',
    wrong: 'That code is not right. Check it and enter it again',
    malformed: (digits: number) => `Enter the ${digits} digits of the code`,
    over: 'That code no longer works. Choose “Text me a new code”',
    replaced: 'That code was replaced. Use the newest text',
    tooSoon: 'We have just sent a code. Wait 30 seconds before you ask for another',
    resend: 'Text me a new code',
    nothingComes: 'Nothing comes? Your grain company may have another number for you.',
    otherPhone: 'Use a different phone number',
  },
  accounts: {
    title: 'Which accounts do you want to share?',
    with: (customer: string) =>
      `${customer} will get the records of the accounts you choose, and of no others. An account is how a grain company lists you.`,
    legend: 'Your accounts',
    number: (id: string) => `account ${id}`,
    oldPhone: (ending: string) =>
      `Shared from the number ending in ${ending}. Here you can only stop it or end it sooner.`,
    otherPhone: (ending: string) =>
      `Shared from the number ending in ${ending}. Only that person can stop it here.`,
    search: 'Find an account',
    searchButton: 'Search',
    showAll: 'Clear the search',
    found: (shown: number, all: number) =>
      shown === all ? `${count(all)}` : `Showing ${number.format(shown)} of ${count(all)}`,
    chosen: (chosen: number) => `${count(chosen)} chosen`,
    all: (shown: number, all: number) =>
      shown === all ? 'Choose all' : `Choose those shown (${number.format(shown)})`,
    none: (shown: number, all: number) =>
      shown === all ? 'Clear all' : `Clear those shown (${number.format(shown)})`,
    noMatch: 'No account matches. Try fewer letters.',
    chooseOne: 'Choose at least one account, or leave without changes',
    emptyTitle: 'We found no accounts for your number',
    empty: (customer: string, ending: string) =>
      `We found no account with the number ending in ${ending} to share with ${customer}.`,
    emptyHelp:
      'Your company may have another number for you. Try that one, or ask the company to add this number.',
    earlier: {
      title: 'Which records?',
      yes: 'All: from before today too',
      no: 'Only new ones, from today on',
      hint: 'An earlier record that changes later is sent too.',
    },
    end: {
      optional: 'Do you want a last day? (optional)',
      required: 'What is the last day?',
      empty: 'Leave this empty to share until you stop it.',
      hint: (last: string) => `Any day up to ${day(last)}.`,
      missing: 'Choose the day on which sharing stops by itself',
      malformed: 'Enter a day, like 10/31/2027',
      past: (tomorrow: string) => `Choose ${day(tomorrow)} or a later day`,
      far: (last: string) => `Choose ${day(last)} or an earlier day`,
    },
    crowded: {
      title: 'Please call your grain company',
      text: (ending: string) =>
        `More than 25 different names have the number ending in ${ending} at one grain company, so we cannot tell which accounts there are yours.`,
      noShare: 'You cannot share from this number.',
      shared: (ending: string) => `Shared from the number ending in ${ending}. You can stop it here.`,
      help: 'Call your grain company and ask them to put your own number on your accounts.',
    },
  },
  check: {
    title: 'Check your choices',
    who: 'Who',
    gets: (customer: string) => `${customer} gets records of the accounts above.`,
    called: (name: string) => `Called “${name}” in the link you followed`,
    reference: 'Their reference for you:',
    start: (accounts: number) => `You will share ${count(accounts)}`,
    keep: (accounts: number) => `You keep sharing ${count(accounts)}`,
    widened: (accounts: number) => `The earlier records will be sent too, of ${count(accounts)}`,
    moved: (accounts: number) => `The last day changes for ${count(accounts)}`,
    stop: (accounts: number) => `You will stop sharing ${count(accounts)}`,
    what: 'What',
    purpose: 'What for',
    says: (customer: string, purpose: string) => `${customer} says: “${purpose}”`,
    passesOn: (names: string[]) =>
      names.length > 0
        ? `It says it may pass them on to ${listed.format(names)}.`
        : 'It says it passes them on to no one.',
    from: 'From when',
    earlierToo: 'All so far, and everything new.',
    /** As the versions before 2026-11-30 said it. */
    earlierTooBefore: 'Earlier records too.',
    onlyNew: (from: string) => `Only what is new or changes from ${day(from)} on.`,
    onlyNewOf: 'Of these accounts only what is new or changes:',
    since: (from: string) => `from ${day(from)} on`,
    often: 'How often',
    every: (milliseconds: number) => `About ${interval(milliseconds)}, if anything changed.`,
    collected: (customer: string) => `When ${customer} asks for them.`,
    until: 'Until when',
    untilDay: (last: string) => `The last day is ${day(last)}.`,
    untilYouStop: 'Until you stop it.',
    untilAsBefore: 'These accounts keep the last day that you chose before. A later one cannot be chosen:',
    stopping: 'How to stop',
    howToStop: (address: string) => `Any time, free, at ${address}.`,
    after: 'After that',
    place: { here: 'here', there: 'there', at: (address: string) => `at ${address}` },
    afterThat: (customer: string, place: string) =>
      `We send no more, unless someone else shares the account. We ask ${customer} to delete what it has and show its answer ${place}. We cannot check it.`,
    texts: 'Texts',
    weText: 'We text this phone now and once a year, if it takes texts.',
    agree: (customer: string) => `Share my records with ${customer}`,
    disagree: (customer: string) => `Stop sharing with ${customer}`,
    change: 'Save my choices',
    sameHelp: 'You share the same accounts as before.',
    back: 'Change my choices',
    stale: 'Something here changed after you opened it. Check again',
  },
  done: {
    saved: 'Your choices are saved',
    unchanged: 'Nothing has changed',
    reference: 'Reference:',
    sharing: (customer: string, accounts: number) =>
      accounts === 0
        ? `Through this link you share nothing with ${customer}.`
        : `Through this link you share ${count(accounts)} with ${customer}:`,
    stopped: (names: string[], others: number) => `You stopped sharing ${all(names, others)}.`,
    next: 'What happens next',
    nextEarlierToo: (customer: string) =>
      `${customer} gets the earlier records too, and from now on every change.`,
    nextOnlyNew: (customer: string) => `${customer} gets what is new or changes from now on.`,
    nextSame: (customer: string) => `${customer} goes on getting what you share.`,
    nextStop: (customer: string, title: string) =>
      `Through this link ${customer} gets no more records of the accounts you stopped sharing. What is shared through another link, or by somebody else, goes on: see “${title}”.`,
    see: 'See what you chose',
    download: 'Download what you chose (text file)',
    change: 'Change or stop sharing',
    goesOn: (customer: string, seconds: number) =>
      `This page takes you on to ${customer} in ${seconds} seconds.`,
    stay: 'Stay on this page',
    continue: (customer: string) => `Continue to ${customer}`,
    saving: 'Your choices are being saved',
    savingHelp: 'This takes a few seconds. The page goes on by itself.',
    look: 'See whether it is done',
  },
  cancelled: {
    title: 'You left without changes',
    text: 'Nothing more was changed.',
    back: 'Go back to my choices',
    continue: (customer: string) => `Continue to ${customer}`,
  },
};
