import { english } from './words';

const { all } = english;

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
    yearly: (service: string, customers: string[], others: number, address: string) =>
      `${service} yearly note: you share grain records with ${all(customers, others)}. A reply does not stop it. See or stop sharing: ${address}`,
    askedBy: {
      customer: (customer: string) => `${customer} asked for it.`,
      farmer: 'You asked for it.',
      copy: 'You asked for it, for your copy.',
    },
  },
};
