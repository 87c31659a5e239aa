const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
/** `2027-11-22` in words. */
const day = (text: string) => days.format(new Date(`${text}T00:00:00Z`));

const listed = new Intl.ListFormat('en-US', { style: 'long', type: 'conjunction' });
const moment = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

const count = (accounts: number) => (accounts === 1 ? '1 account' : `${accounts} accounts`);

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
    text: 'Nothing was changed since your last saved choice. You can close this page. To come back, open the link again that brought you here.',
  },

  phone: {
    title: 'Confirm your phone number',
    why: (customer: string) =>
      `${customer} would like to get your grain records from the companies you deliver to. You decide which accounts to share, if any.`,
    how: 'First we check that the phone is yours. We will send you a code.',
    calledItself: (name: string) => `They call themselves “${name}” in the link that brought you here.`,
    label: 'Phone number',
    hint: 'The 10-digit number that your grain companies have for you. Message and data rates may apply.',
    send: 'Text me a code',
    call: 'Call me instead',
    wrong: 'Enter a 10-digit phone number, like 701-555-0142',
    impossible: 'This cannot be a phone number that we can text or call. Check it and enter it again',
  },
  code: {
    title: { text: 'Enter the code we texted you', call: 'Enter the code from our call' },
    sentTo: {
      text: (ending: string) => `We sent a 6-digit code to the number ending in ${ending}.`,
      call: (ending: string) => `We are calling the number ending in ${ending} to read you a 6-digit code.`,
    },
    slow: 'It can take a minute to arrive. The code works for 10 minutes.',
    label: 'Security code',
    wrong: 'That code is not right. Check it and enter it again',
    malformed: 'Enter the 6 digits of the code',
    over: 'That code no longer works. Choose “Send a new code”',
    replaced: 'That code was replaced. Use the newest text',
    tooSoon: 'We have just sent a code. Wait 30 seconds before you ask for another',
    resend: 'Send a new code',
    nothingComes: 'Nothing comes? Your grain company may have another number for you.',
    otherPhone: 'Use a different phone number',
  },
  accounts: {
    title: 'Which accounts do you want to share?',
    with: (customer: string) =>
      `${customer} will get the records of the accounts you tick, and of no others.`,
    legend: 'Your accounts',
    number: (id: string) => `account ${id}`,
    oldPhone: (ending: string) =>
      `Shared with the number ending in ${ending}. The company now has another number for this account.`,
    otherPhone: (ending: string) =>
      `Already shared by the person with the number ending in ${ending}. Only they can change that here.`,
    search: 'Find an account',
    searchButton: 'Search',
    showAll: 'Show all',
    found: (shown: number, all: number) =>
      shown === all ? `${count(all)}` : `Showing ${shown} of ${count(all)}`,
    chosen: (chosen: number) => `${count(chosen)} ticked`,
    all: 'Tick all',
    none: 'Untick all',
    noMatch: 'No account matches. Try fewer letters.',
    chooseOne: 'Tick at least one account, or leave without changes',
    emptyTitle: 'We found no accounts for your number',
    empty: (ending: string) =>
      `None of the grain companies has an account with the number ending in ${ending}.`,
    emptyHelp:
      'Your company may have another number for you. Try that one, or ask the company to add this number.',
    end: {
      optional: 'Do you want it to stop by itself? (optional)',
      required: 'When shall it stop by itself?',
      empty: 'Leave this empty to share until you stop it.',
      hint: (last: string) => `The last day on which records are shared, at the latest ${day(last)}.`,
      missing: 'Choose the day on which sharing stops by itself',
      malformed: 'Enter a day, like 2027-10-31',
      past: (tomorrow: string) => `Choose ${day(tomorrow)} or a later day`,
      far: (last: string) => `Choose ${day(last)} or an earlier day`,
    },
    crowded: {
      title: 'Please call your grain company',
      text: (ending: string) =>
        `More than 25 different names have the number ending in ${ending}, so we cannot tell which accounts are yours. Nothing can be shared with it.`,
      shared: (ending: string) => `Shared with the number ending in ${ending}. You can stop it here.`,
      help: 'Call your grain company and ask them to put your own number on your accounts.',
    },
  },
  check: {
    title: 'Check your choices',
    who: 'Who gets your records',
    called: (name: string) => `Called “${name}” in the link you followed`,
    reference: 'Their reference for you:',
    start: (accounts: number) => `You will share ${count(accounts)}`,
    keep: (accounts: number) => `You keep sharing ${count(accounts)}`,
    stop: (accounts: number) => `You will stop sharing ${count(accounts)}`,
    what: 'What they get',
    onTickets: 'A ticket also shows the field, the truck and its driver.',
    ownFields:
      'A grain company may add notes of its own to a record. They are sent only if the grain company says that they name no one else.',
    earlier: 'This includes the earlier records of these accounts.',
    often: 'How often',
    every: (milliseconds: number) => `When something has changed, about every ${interval(milliseconds)}`,
    collected: 'When something has changed, whenever they collect it',
    until: 'Until when',
    untilDay: (last: string) =>
      `Until the end of ${day(last)}. Then it stops by itself. You can stop it earlier at any time, and it costs nothing.`,
    untilYouStop: 'Until you stop it. You can stop at any time, and it costs nothing.',
    untilAsBefore:
      'These accounts keep the day that you chose before, and a later one cannot be chosen. You can stop them at any time, and it costs nothing.',
    stopping: 'How to stop',
    howToStop: (customer: string, title: string, address: string) =>
      `Open the link from ${customer} again, enter a code as you did today, and untick the account. Or open “${title}” at ${address}.`,
    kept: 'They keep what they have already received.',
    agree: (customer: string) => `Share my data with ${customer}`,
    disagree: (customer: string) => `Stop sharing with ${customer}`,
    change: 'Save my choices',
    same: 'Nothing changes',
    sameHelp: 'You share the same accounts as before.',
    back: 'Change my choices',
    stale: 'Your choices, or what would be shared, have changed since you opened this page. Check them again',
  },
  done: {
    saved: 'Your choices are saved',
    unchanged: 'Nothing has changed',
    reference: 'Your reference is',
    sharing: (customer: string, accounts: number) =>
      accounts === 0
        ? `Through this link you share nothing with ${customer}.`
        : `Through this link you share ${count(accounts)} with ${customer}:`,
    next: 'What happens next',
    nextStart: (customer: string) =>
      `${customer} gets the earlier records of the accounts you share, and from now on every change.`,
    nextStop: (customer: string, title: string) =>
      `Through this link ${customer} gets no more records of the accounts you stopped sharing. What is shared through another link, or by somebody else, goes on: see “${title}”.`,
    see: 'See what you agreed to',
    download: 'Download what you agreed to (text file)',
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
    text: 'What you share is as it was before.',
    back: 'Go back to my choices',
    continue: (customer: string) => `Continue to ${customer}`,
  },
  receipt: {
    title: 'What you have agreed to',
    to: 'With',
    phone: (ending: string) => `Phone number ending in ${ending}`,
    now: 'Shared now',
    nothing: 'nothing',
    history: 'What you have decided, in order (times are UTC)',
    acts: { grant: 'Share', refusal: 'Do not share', revoke: 'Stop sharing' },
    until: (last: string) => `Until the end of ${day(last)}`,
    byEnd: 'By itself, at the end that you had chosen',
    byOperator: (reason: string) => `By the operator of this service, on your word: ${reason}`,
    agreed: 'You may stop at any time. What was received before stays with the receiver.',
  },
  sharing: {
    title: 'Who sees my grain data',
    why: 'See which companies get your grain records through this service, and stop any of them.',
    intro: (ending: string) =>
      `These companies get records of the accounts that have the phone number ending in ${ending}.`,
    nobody: (ending: string) =>
      `Nobody gets records of accounts that have the phone number ending in ${ending} through this service.`,
    since: 'Shared since',
    until: (last: string) => `Stops by itself at the end of ${day(last)}`,
    sent: { before: 'Last sent', never: 'Nothing was sent yet' },
    others: (endings: string[]) =>
      `Shared by the person with the number ending in ${endings.join(', ')}. Only they can stop that.`,
    more: (accounts: number) => `And ${count(accounts)} more.`,
    byCompany: (companies: string[]) =>
      `They get the records of all customers of ${listed.format(companies)}, yours too. Ask there why, or to stop it.`,
    stop: (customer: string) => `Stop sharing with ${customer}`,
    stopAccount: 'Stop this account',
    all: 'All of them',
    allHelp: 'This stops everything that you share on this page.',
    stopAll: 'Stop all sharing',
    stopped: (customers: string[], references: string[]) =>
      `You have stopped sharing with ${customers.join(', ')}. Your reference is ${references.join(', ')}.`,
    on: (at: Date) => days.format(at),
    at: (at: Date) => `${moment.format(at)} UTC`,
  },
  broken: {
    title: 'This link does not work',
    help: 'Something is wrong with the link that brought you here. Nothing was shared.',
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
      text: (customer: string) => `Nothing was shared. Ask ${customer} for a new one.`,
    },
    unsigned: {
      title: 'This link cannot be trusted',
      text: (customer: string) =>
        `It does not come from ${customer}, or it was changed on its way. Nothing was shared. Ask ${customer} for a new one.`,
    },
  },
  pageError: {
    over: {
      title: 'Your visit has ended',
      text: 'To keep your data safe, a visit ends after 30 minutes without activity. Nothing was changed since your last saved choice. Please open the link again that brought you here. If you see this page right away, allow cookies in your browser.',
    },
    stale: {
      title: 'This page is out of date',
      text: 'It was opened some time ago, or in another window. Nothing was changed.',
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
      text: 'Very many pages were opened from your network within a minute. Please try again in a minute.',
    },
    wait: (minutes: number) =>
      minutes > 90
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
      text: 'The company does not receive records through this page any more. Nothing was changed.',
    },
    unknownPage: {
      title: 'This page does not exist',
      text: 'The link may have been changed on its way. Please open the link again that brought you here, or ask the company that sent it to you.',
    },
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
      `${code} is your ${service} security code. ${asked} Never give it to anyone, whoever calls or writes. Who sees your data: ${address}`,
    call: (digits: string, service: string, asked: string) =>
      `Hello. Your ${service} security code is: ${digits}. Once more: ${digits}. ${asked} Never give it to anyone, whoever calls or writes. Goodbye.`,
    begun: (service: string, customers: string[], others: number, address: string) =>
      `${service}: records of grain accounts that you share now go to ${all(customers, others)}. See who gets them, or stop it: ${address}`,
    yearly: (service: string, customers: string[], others: number, address: string) =>
      `${service}: once a year we tell you who gets records of your grain accounts: ${all(customers, others)}. If you do nothing, nothing changes. See or stop it: ${address}`,
    askedBy: {
      customer: (customer: string) => `${customer} asked for it.`,
      farmer: 'You asked for it, to see who gets your grain data.',
    },
  },
};

/** "A, B and 2 others" */
const all = (names: string[], others: number) =>
  others === 0
    ? listed.format(names)
    : listed.format([...names, others === 1 ? '1 other' : `${others} others`]);

function interval(milliseconds: number): string {
  const [amount, unit] =
    milliseconds >= 3_600_000
      ? [milliseconds / 3_600_000, 'hour']
      : milliseconds >= 60_000
        ? [milliseconds / 60_000, 'minute']
        : [milliseconds / 1_000, 'second'];
  const rounded = Math.round(amount);
  return rounded === 1 ? unit : `${rounded} ${unit}s`;
}

export type Texts = typeof en;
