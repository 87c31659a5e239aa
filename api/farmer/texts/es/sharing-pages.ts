import { dayInZone } from '../../../../domain/consent/grant-end';
import type { Texts } from '../en';
import { spanish } from './words';

const { day, momentIn, listed, count } = spanish;

/** What was chosen, and who sees it. */
export const spanishSharingPages: Pick<Texts, 'receipt' | 'sharing'> = {
  receipt: {
    title: 'Lo que usted eligió',
    to: 'Con',
    phone: (ending) => `Número de teléfono que termina en ${ending}`,
    now: 'Compartido ahora',
    nothing: 'nada',
    history: 'Lo que usted eligió, en orden',
    acts: {
      grant: 'Compartida',
      refusal: 'No compartida',
      revoke: 'Ya no compartida',
      deletion_asked: 'Pusimos a su alcance el pedido de borrarla',
      deletion_confirmed: 'Nos dijeron que ya la borraron',
    },
    byEnd: 'Por sí solo, después del último día que usted había elegido',
    byOperator: (reason: string) => `Por nuestro personal: ${reason}`,
    agreed: 'Puede dejar de compartir cuando quiera. No podemos comprobar lo que borra quien lo recibió.',
  },
  sharing: {
    title: 'Quién ve mis datos de granos',
    why: 'Vea quién recibe sus registros de granos. Deje de compartir lo suyo.',
    intro: (ending) =>
      `Estas compañías reciben registros de las cuentas que tienen el número de teléfono que termina en ${ending}.`,
    nobody: (ending) =>
      `Nadie recibe por este servicio registros de cuentas que tengan el número de teléfono que termina en ${ending}.`,
    since: 'Compartida desde el',
    until: (last) => `El último día es el ${day(last)}`,
    sent: { before: 'Último envío:', never: 'Nada enviado desde entonces' },
    sentToAny: { before: 'Último envío, de cualquier cliente:', never: 'Todavía no se ha enviado nada' },
    others: (endings) =>
      `Se comparte desde el número que termina en ${endings.join(', ')}. Usted también puede dejar de compartirla.`,
    more: (accounts) => `Y ${count(accounts)} más.`,
    byCompany: (companies) =>
      `Recibe los registros de todos los clientes de ${listed.format(companies)}, también los suyos. Aquí no puede pararlo. Pregunte a ${listed.format(companies)}.`,
    stop: (customer) => `Dejar de compartir con ${customer}`,
    stopAccount: 'Dejar de compartir esta cuenta',
    all: 'Todas',
    allHelp: 'Esto termina todo lo que se comparte en esta lista.',
    stopAll: 'Dejar de compartir todo',
    past: 'Usted ya no comparte con',
    ask: {
      title: '¿Dejar de compartir?',
      text: 'Usted dejará de compartir estas cuentas:',
      yes: 'Sí, dejar de compartir',
      no: 'No, seguir compartiendo',
    },
    stopped: ({ account, customers, references }) =>
      `Usted dejó de compartir ${account === undefined ? '' : `${account} `}con ${customers.join(', ')}. Referencia: ${references.join(', ')}.`,
    copy: {
      title: 'Obtener mi copia',
      page: (customer) => `Lo que enviamos a ${customer} sobre sus cuentas. Máximo una vez por hora.`,
      read: 'Leer o imprimir',
      table: 'Hoja de cálculo (CSV)',
      file: 'Archivo para programas (JSON)',
      code: 'Tiene muchos datos suyos. Por eso primero enviamos un código nuevo, para saber que sigue siendo usted.',
      tooSoon: (at) => `Puede pedir otra copia desde: ${at}.`,
      empty: 'No se envió nada: no hay copia.',
    },
    closed: (customer, at) => `Cerramos la conexión con ${customer} el ${at}. Ya no recibe nada de nosotros.`,
    ended: (at) => `Ya no se comparte desde el ${at}`,
    asked: (at) => `El ${at} pusimos a su alcance el pedido de borrar lo que tiene. Aún no responde.`,
    confirmed: (customer, at) => `El ${at} ${customer} nos dijo que ya lo borró. No podemos comprobarlo.`,
    notAsked: (customer) =>
      `${customer} aún recibe esta cuenta por otro enlace u otra persona; por eso no pedimos que la borre.`,
    beyond: (customer) => `No podemos parar lo que ${customer} ya pasó a otros.`,
    on: (at, zone) => day(dayInZone(at, zone)),
    day,
    at: (at, zone) => (zone ? momentIn(zone).format(at) : day(dayInZone(at, zone))),
  },
};
