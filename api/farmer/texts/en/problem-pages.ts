/** Pages that say what is wrong. */
export const englishProblemPages = {
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
    paused: {
      title: 'Codes are paused',
      text: 'Somebody was trying codes that are not theirs, so we send none for a while. A browser in which you entered a code before still works. Or try again later today.',
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
};
