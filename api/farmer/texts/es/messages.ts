import type { Texts } from '../en';
import { spanish } from './words';

const { all } = spanish;

/** The texts and calls to farmers. */
export const spanishMessages: Pick<Texts, 'message'> = {
  message: {
    text: (code, service, asked, address) =>
      `${code} es su codigo de ${service}. ${asked} No lo dé a nadie. Quién ve sus datos: ${address}`,
    call: (digits, service, asked) =>
      `Hola. Su código de seguridad de ${service} es: ${digits}. Otra vez: ${digits}. ${asked} No lo dé a nadie, ni a nosotros. Adiós.`,
    begun: (service, customers, others, address) =>
      `${service}: usted ya comparte registros de granos con ${all(customers, others)}. ¿No fue usted, o ya no quiere? Entre a ${address}`,
    yearly: (service, customers, others, address) =>
      `${service}, aviso anual: usted comparte registros de granos con ${all(customers, others)}. Contestar no lo detiene. Ver o dejar: ${address}`,
    askedBy: {
      customer: (customer) => `Lo pide ${customer}.`,
      farmer: 'Lo pide usted.',
      copy: 'Lo pide usted para su copia.',
    },
  },
};
