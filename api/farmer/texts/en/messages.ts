import { english } from './words';

const { all, day } = english;

/** The texts and calls to farmers. */
export const englishMessages = {
  // A text begins with the code and the words by which phones recognize it.
  message: {
    text: (code: string, service: string, asked: string, address: string) =>
      `${code} is your ${service} code. ${asked} Tell no one. Who sees your data: ${address}`,
    call: (digits: string, service: string, asked: string) =>
      `Hello. Your ${service} security code is: ${digits}. Once more: ${digits}. ${asked} Tell no one, not even us. Goodbye.`,
    begun: (service: string, customers: string[], others: number, address: string) =>
      `${service}: you now share grain records with ${all(customers, others)}. Not you, or changed your mind? Stop it: ${address}`,
    stopped: (service: string, customers: string[], others: number, address: string) =>
      `${service}: sharing grain records with ${all(customers, others)} was stopped. What is still shared: ${address}`,
    changed: (service: string, customers: string[], others: number, address: string) =>
      `${service}: what you share with ${all(customers, others)} was changed. Not you? See it, or stop it: ${address}`,
    ending: (service: string, customers: string[], others: number, address: string, last: string) =>
      `${service}: the last day that you share grain records with ${all(customers, others)} is ${day(last)}. See it: ${address}`,
    other: (service: string, customers: string[], others: number, address: string, ending: string) =>
      `${service}: the phone ending in ${ending} now shares records of an account of yours with ${all(customers, others)}. Not right? Stop it: ${address}`,
    yearly: (service: string, customers: string[], others: number, address: string) =>
      `${service} yearly note: you share grain records with ${all(customers, others)}. A reply does not stop it. See or stop sharing: ${address}`,
    askedBy: {
      customer: (customer: string) => `${customer} asked for it.`,
      farmer: 'You asked for it.',
      copy: 'You asked for it, for your copy.',
    },
  },
};
