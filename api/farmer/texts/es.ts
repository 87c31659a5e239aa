import type { Texts } from './en';
import { spanishLinkPages } from './es/link-pages';
import { spanishMessages } from './es/messages';
import { spanishProblemPages } from './es/problem-pages';
import { spanishRecordWords } from './es/record-words';
import { spanishSharingPages } from './es/sharing-pages';

/** Everything a farmer reads, in Spanish. */
export const es: Texts = {
  switchTo: 'English',
  errorTitle: (title) => `Error: ${title}`,
  problem: 'Hay un problema',
  continue: 'Continuar',
  goBack: 'Atrás',
  tryAgain: 'Intentar de nuevo',
  leave: (customer) => `Salir sin cambios y volver a ${customer}`,
  testBanner: (code) => `Sistema de prueba: no se envía ningún mensaje. El código es ${code}`,
  callFor: (contact) => `¿Necesita ayuda? Comuníquese con ${contact}.`,

  pages: {
    sharing: 'Quién ve mis datos de granos',
    customer: 'Para las compañías que reciben registros',
    guide: 'Guías para ingenieros (en inglés)',
    docs: 'La referencia para ingenieros (en inglés)',
    ops: 'Para nuestro personal',
  },
  signOut: 'Cerrar sesión',
  signedOut: {
    title: 'Ha cerrado la sesión',
    text: 'Lo que guardó queda. Puede cerrar esta página. Para volver, abra el enlace o la página de donde vino.',
  },
  ...spanishLinkPages,
  ...spanishSharingPages,
  ...spanishRecordWords,
  ...spanishProblemPages,
  what: {
    accounts: 'nombre y teléfonos',
    contracts: 'contratos',
    tickets: 'boletos de báscula (carga, pesos, calidad, parcela, camión, chofer)',
    settlements: 'liquidaciones',
    more: 'todo lo demás que la compañía de granos anota en ellos, como precios, pagos, nombres de personas, números de granja y de seguro, y notas propias',
    moreBefore: 'lo demás que contengan',
  },
  entityTypes: {
    accounts: 'Sus cuentas: nombre y teléfonos, como los tiene la compañía de granos',
    contracts: 'Sus contratos de granos: producto, cantidades, precios y fechas',
    tickets: 'Sus boletos de báscula: cada carga con pesos, calidades y lugar',
    settlements: 'Sus liquidaciones: lo que se le pagó y lo que se descontó',
  },
  ...spanishMessages,
};
