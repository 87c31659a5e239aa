import type { Texts } from '../en';
import { spanish } from './words';

const { all, day } = spanish;

/** The texts and calls to farmers. */
export const spanishMessages: Pick<Texts, 'message'> = {
  message: {
    text: (code, service, asked, address) =>
      `${code} es su codigo de ${service}. ${asked} No lo dé a nadie. Quién ve sus datos: ${address}`,
    call: (digits, service, asked) =>
      `Hola. Su código de seguridad de ${service} es: ${digits}. Otra vez: ${digits}. ${asked} No lo dé a nadie, ni a nosotros. Adiós.`,
    begun: (service, customers, others, address) =>
      `${service}: usted ya comparte registros de granos con ${all(customers, others)}. ¿No fue usted, o ya no quiere? Entre a ${address}`,
    stopped: (service, customers, others, address) =>
      `${service}: se dejó de compartir registros de granos con ${all(customers, others)}. Lo que aún se comparte: ${address}`,
    changed: (service, customers, others, address) =>
      `${service}: cambió lo que usted comparte con ${all(customers, others)}. ¿No fue usted? Ver o dejar: ${address}`,
    ending: (service, customers, others, address, last) =>
      `${service}: usted comparte registros de granos con ${all(customers, others)} hasta el ${day(last)}. Ver: ${address}`,
    other: (service, customers, others, address, ending) =>
      `${service}: el número que termina en ${ending} ya comparte registros de una cuenta suya con ${all(customers, others)}. ¿Está mal? Entre a ${address}`,
    yearly: (service, customers, others, address) =>
      `${service}, aviso anual: usted comparte registros de granos con ${all(customers, others)}. Contestar no lo detiene. Ver o dejar: ${address}`,
    askedBy: {
      customer: (customer) => `Lo pide ${customer}.`,
      farmer: 'Lo pide usted.',
      copy: 'Lo pide usted para su copia.',
    },
  },
};
