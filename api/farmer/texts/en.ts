const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
/** `2027-11-22` in words. */
const day = (text: string) => days.format(new Date(`${text}T00:00:00Z`));

const dayIn = (timeZone = 'UTC') => new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone });
/** "November 24, 2026 at 3:04 PM Central Time" */
const momentIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-US', {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    ...{ timeZoneName: 'longGeneric', timeZone },
  });

const listed = new Intl.ListFormat('en-US', { style: 'long', type: 'conjunction' });

const number = new Intl.NumberFormat('en-US');
const count = (accounts: number) => (accounts === 1 ? '1 account' : `${number.format(accounts)} accounts`);

/** Everything a farmer reads, in English. The other catalogs have the same keys, or they do not compile. */
export const en = {
  language: 'English',
  switchTo: 'Español',
  errorTitle: (title: string) => `Error: ${title}`,
  problem: 'There is a problem',
  continue: 'Continue',
  goBack: 'Back',
  tryAgain: 'Try again',
  leave: (customer: string) => `Leave without changes and go back to ${customer}`,
  testBanner: (code: string) => `Test system: no text is sent. The code is ${code}`,
  callFor: (contact: string) => `Need help? Contact ${contact}.`,

  signOut: 'Sign out',
  signedOut: {
    title: 'You are signed out',
    text: 'What you saved stays. You can close this page. To come back, open the link or page you came from.',
  },

  phone: {
    title: 'Confirm your phone number',
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
  },
  code: {
    title: { text: 'Enter the code we texted you', call: 'Enter the code from our call' },
    sentTo: {
      text: (ending: string) => `Look for a text with a 6-digit code on the phone ending in ${ending}.`,
      call: (ending: string) => `We are calling the number ending in ${ending} to read you a 6-digit code.`,
    },
    slow: 'It can take a minute to arrive. The code works for 10 minutes.',
    label: 'Security code',
    wrong: 'That code is not right. Check it and enter it again',
    malformed: 'Enter the 6 digits of the code',
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
    showAll: 'Show all',
    found: (shown: number, all: number) =>
      shown === all ? `${count(all)}` : `Showing ${number.format(shown)} of ${count(all)}`,
    chosen: (chosen: number) => `${count(chosen)} chosen`,
    all: 'Choose all',
    none: 'Clear all',
    noMatch: 'No account matches. Try fewer letters.',
    chooseOne: 'Choose at least one account, or leave without changes',
    emptyTitle: 'We found no accounts for your number',
    empty: (customer: string, ending: string) =>
      `We found no account with the number ending in ${ending} to share with ${customer}.`,
    emptyHelp:
      'Your company may have another number for you. Try that one, or ask the company to add this number.',
    earlier: {
      title: 'Which records?',
      yes: 'The earlier records too',
      no: 'Only what is new from today on',
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
        `More than 25 different names have the number ending in ${ending}, so we cannot tell which accounts are yours. You cannot share from this number.`,
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
    earlierToo: 'Earlier records too.',
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
    afterThat: (customer: string) =>
      `We send no more, unless someone else shares the account. We ask ${customer} to delete what it has and show its answer there. We cannot check it.`,
    texts: 'Texts',
    weText: 'We text this phone now and once a year, if it takes texts.',
    agree: (customer: string) => `Share my records with ${customer}`,
    disagree: (customer: string) => `Stop sharing with ${customer}`,
    change: 'Save my choices',
    same: 'Nothing changes',
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
    next: 'What happens next',
    nextStart: (customer: string, earlier: boolean) =>
      earlier
        ? `${customer} gets the earlier records of the accounts you share, and from now on every change.`
        : `${customer} gets what is new or changes from now on.`,
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
  receipt: {
    title: 'What you chose',
    to: 'With',
    phone: (ending: string) => `Phone number ending in ${ending}`,
    now: 'Shared now',
    nothing: 'nothing',
    history: 'What you chose, in order',
    acts: {
      grant: 'Shared',
      refusal: 'Not shared',
      revoke: 'Stopped',
      deletion_asked: 'We asked to delete it',
      deletion_confirmed: 'They told us that they have deleted it',
    },
    until: (last: string) => `Until the end of ${day(last)}`,
    byEnd: 'By itself, after the last day that you had chosen',
    byOperator: (reason: string) => `By our staff: ${reason}`,
    agreed: 'You may stop at any time. We cannot check what a receiver deletes.',
  },
  sharing: {
    title: 'Who sees my grain data',
    why: 'See who gets your grain records. Stop what you share.',
    intro: (ending: string) =>
      `These companies get records of the accounts that have the phone number ending in ${ending}.`,
    nobody: (ending: string) =>
      `Nobody gets records of accounts that have the phone number ending in ${ending} through this service.`,
    since: 'Shared since',
    until: (last: string) => `The last day is ${day(last)}`,
    sent: { before: 'Last sent', never: 'Nothing sent since then' },
    sentToAny: { before: 'Last sent, of any customer:', never: 'Nothing sent yet' },
    others: (endings: string[]) =>
      `Shared from the number ending in ${endings.join(', ')}. Only that person can stop it here.`,
    more: (accounts: number) => `And ${count(accounts)} more.`,
    byCompany: (companies: string[]) =>
      `They get the records of all customers of ${listed.format(companies)}, yours too. You cannot stop that here. Ask ${listed.format(companies)}.`,
    stop: (customer: string) => `Stop sharing with ${customer}`,
    stopAccount: 'Stop sharing this account',
    all: 'All of them',
    allHelp: 'This stops all that you share in this list.',
    stopAll: 'Stop all sharing',
    stopped: (customers: string[], references: string[]) =>
      `You have stopped sharing with ${customers.join(', ')}. Reference: ${references.join(', ')}.`,
    copy: {
      title: 'Download my copy',
      page: (customer: string) =>
        `One file with what we sent to ${customer} about your accounts. We send a new code first. Once an hour at most.`,
      tooSoon: (at: string) => `The next copy is ready from ${at} on.`,
      empty: 'Nothing was sent: there is no copy.',
    },
    ended: (at: string) => `Not shared since ${at}`,
    asked: (at: string) => `Asked on ${at} to delete what it has. No answer yet.`,
    confirmed: (customer: string, at: string) =>
      `On ${at} ${customer} told us that it has deleted it. We cannot check that.`,
    notAsked: (customer: string) =>
      `${customer} still gets this account through another link or person, so we did not ask.`,
    beyond: (customer: string) => `We cannot stop what ${customer} has passed on.`,
    on: (at: Date, zone: string | undefined) => dayIn(zone).format(at),
    at: (at: Date, zone: string | undefined) => (zone ? momentIn(zone) : dayIn(zone)).format(at),
  },
  broken: {
    title: 'This link does not work',
    help: 'Something is wrong with the link that brought you here. Nothing was changed.',
    parts: 'What is wrong with it, for the people who sent it to you:',
    part: {
      callback_url: 'the address to return to (callback_url)',
      display_name: 'the name of the company (display_name)',
      partner_id: 'the reference of your file there (partner_id)',
      partner_slug: 'the company it is for (partner_slug)',
      phone: 'the phone number (phone)',
    },
    call: 'Call the people who sent you the link and read this page to them.',
    callWhom: (customer: string, contact: string) => `Call ${customer}: ${contact}.`,
  },
  refusedLink: {
    over: {
      title: 'This link has expired',
      text: (customer: string) => `Nothing was changed. Ask ${customer} for a new one.`,
    },
    unsigned: {
      title: 'This link cannot be trusted',
      text: (customer: string) =>
        `It does not come from ${customer}, or it was changed on its way. Nothing was changed. Ask ${customer} for a new one.`,
    },
  },
  pageError: {
    over: {
      title: 'Your visit has ended',
      text: 'A visit ends by itself after a while. What you saved stays. Open the link or page you came from. If you see this page right away, allow cookies in your browser.',
    },
    stale: {
      title: 'This page is out of date',
      text: 'It was opened some time ago, or in another window. Look at your choices again.',
    },
    limited: {
      title: 'Too many codes were asked for',
      text: 'To protect your number we have to pause.',
    },
    guessed: {
      title: 'Too many codes were tried',
      text: 'Too many codes were entered for this number, perhaps by somebody else. To protect you we have to pause.',
    },
    crowded: {
      title: 'Too many pages were asked for',
      text: 'Very many pages were opened at once. Please try again in a minute.',
    },
    wait: (minutes: number) =>
      minutes >= 120
        ? `Please try again in ${Math.ceil(minutes / 60)} hours.`
        : `Please try again in ${minutes === 1 ? '1 minute' : `${minutes} minutes`}.`,
    notSent: {
      title: 'We could not send you a code',
      text: 'Our service for texts and calls does not answer. It is not your phone. Please try again in a minute.',
    },
    busy: {
      title: 'We cannot do this right now',
      text: 'Something on our side is not working. Please try again in a minute. If you were saving, look at your choices again: some may be saved already.',
    },
    invalid: {
      title: 'We could not read this page’s answer',
      text: 'Please go back and try again.',
    },
    elsewhere: {
      title: 'This page is not open here',
      text: 'It is a test that shows codes on the screen, so it answers on its own machine only.',
    },
    gone: {
      title: 'This sharing page is closed',
      text: 'This link is out of use. Nothing was changed.',
    },
    unknownPage: {
      title: 'This page does not exist',
      text: 'The link may have been changed on its way. Please open the link again that brought you here, or ask the company that sent it to you.',
    },
  },
  /** In the consent text; what its versions before named stands below. */
  what: {
    accounts: 'name and phone numbers',
    contracts: 'contracts',
    tickets: 'scale tickets (load, weights, grades, field, truck, driver)',
    settlements: 'settlements',
    more: 'anything else on them',
  },
  entityTypes: {
    accounts: 'Your accounts: name and phone numbers, as the grain company has them',
    contracts: 'Your grain contracts: commodity, quantities, prices and dates',
    tickets: 'Your scale tickets: each load with weights, grades and place',
    settlements: 'Your settlements: what you were paid, and what was deducted',
  },
  // After the code, the words that phones know a code by.
  message: {
    text: (code: string, service: string, asked: string, address: string) =>
      `${code} is your ${service} code. ${asked} Tell no one. Who sees your data: ${address}`,
    call: (digits: string, service: string, asked: string) =>
      `Hello. Your ${service} security code is: ${digits}. Once more: ${digits}. ${asked} Tell no one, not even us. Goodbye.`,
    begun: (service: string, customers: string[], others: number, address: string) =>
      `${service}: you now share grain records with ${all(customers, others)}. Not you, or changed your mind? Stop it: ${address}`,
    yearly: (service: string, customers: string[], others: number, address: string) =>
      `${service} yearly note: you share grain records with ${all(customers, others)}. A reply does not stop it. See or stop sharing: ${address}`,
    askedBy: {
      customer: (customer: string) => `${customer} asked for it.`,
      farmer: 'You asked for it.',
      copy: 'You asked for it, for your copy.',
    },
  },
};

/** "A, B and 2 others" */
const all = (names: string[], others: number) =>
  others === 0
    ? listed.format(names)
    : listed.format([...names, others === 1 ? '1 other' : `${others} others`]);

/** Under two hours in minutes. */
function interval(milliseconds: number): string {
  const [amount, unit, often] =
    milliseconds >= 7_200_000
      ? [milliseconds / 3_600_000, 'hour', 'hourly']
      : milliseconds >= 60_000
        ? [milliseconds / 60_000, 'minute', 'every minute']
        : [milliseconds / 1_000, 'second', 'every second'];
  if (milliseconds === 3_600_000) return 'hourly';
  const rounded = Math.round(amount);
  return rounded === 1 ? often : `every ${rounded} ${unit}s`;
}

export type Texts = typeof en;
