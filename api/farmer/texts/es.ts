import type { Texts } from './en';

const days = new Intl.DateTimeFormat('es-US', { dateStyle: 'long', timeZone: 'UTC' });
/** `2027-11-22` en palabras. */
const day = (text: string) => days.format(new Date(`${text}T00:00:00Z`));

const listed = new Intl.ListFormat('es-US', { style: 'long', type: 'conjunction' });
const moment = new Intl.DateTimeFormat('es-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

const count = (accounts: number) => (accounts === 1 ? '1 cuenta' : `${accounts} cuentas`);

/** Everything a farmer reads, in Spanish. */
export const es: Texts = {
  language: 'Español',
  switchTo: 'English',
  errorTitle: (title) => `Error: ${title}`,
  problem: 'Hay un problema',
  continue: 'Continuar',
  goBack: 'Atrás',
  tryAgain: 'Intentar de nuevo',
  leave: (customer) => `Salir sin cambios y volver a ${customer}`,
  testBanner: (code) => `Sistema de prueba: no se envía ningún mensaje. El código es ${code}`,
  callFor: (contact) => `¿Necesita ayuda? Comuníquese con ${contact}.`,

  signOut: 'Cerrar sesión',
  signedOut: {
    title: 'Ha cerrado la sesión',
    text: 'No se ha cambiado nada desde su última elección guardada. Puede cerrar esta página. Para volver, abra otra vez el enlace que le trajo aquí.',
  },

  phone: {
    title: 'Confirme su número de teléfono',
    why: (customer) =>
      `${customer} quisiera recibir sus registros de granos de las compañías a las que usted entrega. Usted decide qué cuentas compartir, si es que desea compartir alguna.`,
    how: 'Primero comprobamos que el teléfono es suyo. Le enviaremos un código.',
    calledItself: (name) => `Se presenta como “${name}” en el enlace que lo trajo aquí.`,
    label: 'Número de teléfono',
    hint: 'El número de 10 dígitos que sus compañías de granos tienen registrado. Pueden aplicarse tarifas de mensajes y datos.',
    send: 'Enviarme un código',
    call: 'Mejor llámenme',
    wrong: 'Escriba un número de teléfono de 10 dígitos, como 701-555-0142',
    impossible:
      'Este no puede ser un número al que podamos enviar mensajes o llamar. Revíselo y escríbalo de nuevo',
  },
  code: {
    title: { text: 'Escriba el código que le enviamos', call: 'Escriba el código de nuestra llamada' },
    sentTo: {
      text: (ending) => `Enviamos un código de 6 dígitos al número que termina en ${ending}.`,
      call: (ending) =>
        `Estamos llamando al número que termina en ${ending} para leerle un código de 6 dígitos.`,
    },
    slow: 'Puede tardar un minuto en llegar. El código sirve durante 10 minutos.',
    label: 'Código de seguridad',
    wrong: 'Ese código no es correcto. Revíselo y escríbalo de nuevo',
    malformed: 'Escriba los 6 dígitos del código',
    over: 'Ese código ya no sirve. Elija “Enviar un código nuevo”',
    replaced: 'Ese código ya se reemplazó. Use el mensaje más reciente',
    tooSoon: 'Acabamos de enviar un código. Espere 30 segundos antes de pedir otro',
    resend: 'Enviar un código nuevo',
    nothingComes: '¿No llega nada? Es posible que su compañía de granos tenga otro número suyo.',
    otherPhone: 'Usar otro número de teléfono',
  },
  accounts: {
    title: '¿Qué cuentas quiere compartir?',
    with: (customer) =>
      `${customer} recibirá los registros de las cuentas que usted marque, y de ninguna otra.`,
    legend: 'Sus cuentas',
    number: (id) => `cuenta ${id}`,
    oldPhone: (ending) =>
      `Compartida con el número que termina en ${ending}. La compañía ahora tiene otro número para esta cuenta.`,
    otherPhone: (ending) =>
      `Ya la comparte la persona con el número que termina en ${ending}. Solo esa persona puede cambiarlo aquí.`,
    search: 'Buscar una cuenta',
    searchButton: 'Buscar',
    showAll: 'Mostrar todas',
    found: (shown, all) => (shown === all ? count(all) : `Se muestran ${shown} de ${count(all)}`),
    chosen: (chosen) => (chosen === 1 ? '1 cuenta marcada' : `${chosen} cuentas marcadas`),
    all: 'Marcar todas',
    none: 'Desmarcar todas',
    noMatch: 'Ninguna cuenta coincide. Pruebe con menos letras.',
    chooseOne: 'Marque al menos una cuenta, o salga sin cambios',
    emptyTitle: 'No encontramos cuentas con su número',
    empty: (ending) => `Ninguna compañía de granos tiene una cuenta con el número que termina en ${ending}.`,
    emptyHelp:
      'Es posible que su compañía tenga otro número suyo. Pruebe con ese, o pida a la compañía que agregue este número.',
    end: {
      optional: '¿Quiere que termine por sí solo? (opcional)',
      required: '¿Cuándo debe terminar por sí solo?',
      empty: 'Déjelo vacío para compartir hasta que usted lo detenga.',
      hint: (last) => `El último día en que se comparten registros, a más tardar el ${day(last)}.`,
      missing: 'Elija el día en que se deja de compartir',
      malformed: 'Escriba un día, como 2027-10-31',
      past: (tomorrow) => `Elija el ${day(tomorrow)} o un día posterior`,
      far: (last) => `Elija el ${day(last)} o un día anterior`,
    },
    crowded: {
      title: 'Llame a su compañía de granos',
      text: (ending) =>
        `Más de 25 nombres distintos tienen el número que termina en ${ending}, así que no podemos saber qué cuentas son suyas. No se puede compartir nada con él.`,
      shared: (ending) =>
        `Compartida con el número que termina en ${ending}. Puede dejar de compartirla aquí.`,
      help: 'Llame a su compañía de granos y pídale que ponga su propio número en sus cuentas.',
    },
  },
  check: {
    title: 'Revise sus decisiones',
    who: 'Quién recibe sus registros',
    called: (name) => `Se presenta como “${name}” en el enlace que usted siguió`,
    reference: 'Su referencia para usted:',
    start: (accounts) => `Usted compartirá ${count(accounts)}`,
    keep: (accounts) => `Usted sigue compartiendo ${count(accounts)}`,
    stop: (accounts) => `Usted dejará de compartir ${count(accounts)}`,
    what: 'Qué recibe',
    onTickets: 'Un boleto también muestra la parcela, el camión y su chofer.',
    ownFields:
      'Una compañía de granos puede agregar notas propias a un registro. Se envían solo si la compañía de granos dice que no nombran a nadie más.',
    earlier: 'Esto incluye los registros anteriores de estas cuentas.',
    often: 'Con qué frecuencia',
    every: (milliseconds) => `Cuando algo ha cambiado, aproximadamente cada ${interval(milliseconds)}`,
    collected: 'Cuando algo ha cambiado, cada vez que lo recojan',
    until: 'Hasta cuándo',
    untilDay: (last) =>
      `Hasta el final del ${day(last)}. Entonces termina por sí solo. Puede detenerlo antes en cualquier momento y sin costo.`,
    untilYouStop: 'Hasta que usted lo detenga. Puede hacerlo en cualquier momento y sin costo.',
    untilAsBefore:
      'Estas cuentas conservan la fecha que usted eligió antes, y no se puede elegir una posterior. Puede detenerlas en cualquier momento y sin costo.',
    stopping: 'Cómo detenerlo',
    howToStop: (customer, title, address) =>
      `Abra de nuevo el enlace de ${customer}, escriba un código como hoy y desmarque la cuenta. O abra “${title}” en ${address}.`,
    kept: 'Lo que ya se recibió queda con quien lo recibió.',
    agree: (customer) => `Compartir mis datos con ${customer}`,
    disagree: (customer) => `Dejar de compartir con ${customer}`,
    change: 'Guardar mis decisiones',
    same: 'Nada cambia',
    sameHelp: 'Usted comparte las mismas cuentas que antes.',
    back: 'Cambiar mis decisiones',
    stale:
      'Sus decisiones, o lo que se compartiría, cambiaron desde que abrió esta página. Revíselas de nuevo',
  },
  done: {
    saved: 'Sus decisiones se guardaron',
    unchanged: 'Nada ha cambiado',
    reference: 'Su número de referencia es',
    sharing: (customer, accounts) =>
      accounts === 0
        ? `Por este enlace usted no comparte nada con ${customer}.`
        : `Por este enlace usted comparte ${count(accounts)} con ${customer}:`,
    next: 'Qué sigue',
    nextStart: (customer) =>
      `${customer} recibe los registros anteriores de las cuentas que usted comparte y, desde ahora, cada cambio.`,
    nextStop: (customer, title) =>
      `Por este enlace ${customer} ya no recibe registros de las cuentas que usted dejó de compartir. Lo que se comparte por otro enlace, o lo que comparte otra persona, sigue igual: vea “${title}”.`,
    see: 'Ver lo que usted aceptó',
    download: 'Descargar lo que usted aceptó (archivo de texto)',
    change: 'Cambiar o dejar de compartir',
    goesOn: (customer, seconds) => `Esta página le lleva a ${customer} en ${seconds} segundos.`,
    stay: 'Quedarme en esta página',
    continue: (customer) => `Continuar a ${customer}`,
    saving: 'Sus decisiones se están guardando',
    savingHelp: 'Tarda unos segundos. La página avanza sola.',
    look: 'Ver si ya está listo',
  },
  cancelled: {
    title: 'Usted salió sin cambios',
    text: 'Lo que comparte sigue como antes.',
    back: 'Volver a mis decisiones',
    continue: (customer) => `Continuar a ${customer}`,
  },
  receipt: {
    title: 'Lo que usted ha aceptado',
    to: 'Con',
    phone: (ending) => `Número de teléfono que termina en ${ending}`,
    now: 'Compartido ahora',
    nothing: 'nada',
    history: 'Lo que usted ha decidido, en orden (horas en UTC)',
    acts: { grant: 'Compartir', refusal: 'No compartir', revoke: 'Dejar de compartir' },
    until: (last) => `Hasta el final del ${day(last)}`,
    byEnd: 'Por sí solo, en la fecha que usted había elegido',
    byOperator: (reason: string) => `Por el operador de este servicio, a petición suya: ${reason}`,
    agreed: 'Puede detenerlo en cualquier momento. Lo recibido antes queda con quien lo recibió.',
  },
  sharing: {
    title: 'Quién ve mis datos de granos',
    why: 'Vea qué compañías reciben sus registros de granos por este servicio, y detenga a cualquiera de ellas.',
    intro: (ending) =>
      `Estas compañías reciben registros de las cuentas que tienen el número de teléfono que termina en ${ending}.`,
    nobody: (ending) =>
      `Nadie recibe por este servicio registros de cuentas que tengan el número de teléfono que termina en ${ending}.`,
    since: 'Compartida desde el',
    until: (last) => `Termina por sí solo al final del ${day(last)}`,
    sent: { before: 'Último envío:', never: 'Todavía no se ha enviado nada' },
    others: (endings) =>
      `La comparte la persona con el número que termina en ${endings.join(', ')}. Solo esa persona puede detenerlo.`,
    more: (accounts) => `Y ${count(accounts)} más.`,
    byCompany: (companies) =>
      `Recibe los registros de todos los clientes de ${listed.format(companies)}, también los suyos. Pregunte allí por qué, o pida que lo detengan.`,
    stop: (customer) => `Dejar de compartir con ${customer}`,
    stopAccount: 'Detener esta cuenta',
    all: 'Todas',
    allHelp: 'Esto detiene todo lo que usted comparte en esta página.',
    stopAll: 'Dejar de compartir todo',
    stopped: (customers, references) =>
      `Usted dejó de compartir con ${customers.join(', ')}. Su número de referencia es ${references.join(', ')}.`,
    on: (at) => days.format(at),
    at: (at) => `${moment.format(at)} UTC`,
  },
  broken: {
    title: 'Este enlace no funciona',
    help: 'El enlace que lo trajo aquí tiene un error. No se compartió nada.',
    parts: 'Lo que está mal, para quienes se lo enviaron:',
    part: {
      callback_url: 'la dirección para regresar (callback_url)',
      display_name: 'el nombre de la compañía (display_name)',
      partner_id: 'la referencia de su expediente (partner_id)',
      partner_slug: 'la compañía destinataria (partner_slug)',
      phone: 'el número de teléfono (phone)',
    },
    call: 'Llame a quienes le enviaron el enlace y léales esta página.',
    callWhom: (customer, contact) => `Llame a ${customer}: ${contact}.`,
  },
  refusedLink: {
    over: {
      title: 'Este enlace ha caducado',
      text: (customer) => `No se ha compartido nada. Pida uno nuevo a ${customer}.`,
    },
    unsigned: {
      title: 'Este enlace no es de confianza',
      text: (customer) =>
        `No viene de ${customer}, o fue cambiado en el camino. No se ha compartido nada. Pida uno nuevo a ${customer}.`,
    },
  },
  pageError: {
    over: {
      title: 'Su visita ha terminado',
      text: 'Para proteger sus datos, una visita termina después de 30 minutos sin actividad. Nada cambió desde lo último que guardó. Abra de nuevo el enlace que lo trajo aquí. Si ve esta página de inmediato, permita las cookies en su navegador.',
    },
    stale: {
      title: 'Esta página ya no está al día',
      text: 'Se abrió hace un tiempo, o en otra ventana. Nada cambió.',
    },
    limited: {
      title: 'Se pidieron demasiados códigos',
      text: 'Para proteger su número tenemos que hacer una pausa.',
    },
    guessed: {
      title: 'Se probaron demasiados códigos',
      text: 'Se escribieron demasiados códigos para este número, quizás por otra persona. Para protegerlo tenemos que hacer una pausa.',
    },
    crowded: {
      title: 'Se pidieron demasiadas páginas',
      text: 'Desde su red se abrieron muchísimas páginas en un minuto. Intente de nuevo en un minuto.',
    },
    wait: (minutes) =>
      minutes > 90
        ? `Intente de nuevo en ${Math.ceil(minutes / 60)} horas.`
        : `Intente de nuevo en ${minutes === 1 ? '1 minuto' : `${minutes} minutos`}.`,
    notSent: {
      title: 'No pudimos enviarle un código',
      text: 'Nuestro servicio de mensajes y llamadas no responde. No es su teléfono. Intente de nuevo en un minuto.',
    },
    busy: {
      title: 'No podemos hacerlo en este momento',
      text: 'Algo de nuestro lado no funciona. Intente de nuevo en un minuto. Si estaba guardando, revise sus decisiones: es posible que algunas ya estén guardadas.',
    },
    invalid: {
      title: 'No pudimos leer la respuesta de esta página',
      text: 'Regrese e intente de nuevo.',
    },
    elsewhere: {
      title: 'Esta página no está abierta aquí',
      text: 'Es una prueba que muestra los códigos en la pantalla, así que solo responde en su propia máquina.',
    },
    gone: {
      title: 'Esta página para compartir está cerrada',
      text: 'La compañía ya no recibe registros por esta página. Nada cambió.',
    },
    unknownPage: {
      title: 'Esta página no existe',
      text: 'Es posible que el enlace haya cambiado en el camino. Abra de nuevo el enlace que lo trajo aquí, o pregunte a la compañía que se lo envió.',
    },
  },
  entityTypes: {
    accounts: 'Sus cuentas: nombre y teléfonos, como los tiene la compañía de granos',
    contracts: 'Sus contratos de granos: producto, cantidades, precios y fechas',
    tickets: 'Sus boletos de báscula: cada carga con pesos, calidades y lugar',
    settlements: 'Sus liquidaciones: lo que se le pagó y lo que se descontó',
  },
  message: {
    text: (code, service, asked, address) =>
      `${code} es su código de seguridad de ${service}. ${asked} No se lo dé a nadie, aunque le llamen o le escriban. Quién ve sus datos: ${address}`,
    call: (digits, service, asked) =>
      `Hola. Su código de seguridad de ${service} es: ${digits}. Otra vez: ${digits}. ${asked} No se lo dé a nadie, aunque le llamen o le escriban. Adiós.`,
    begun: (service, customers, others, address) =>
      `${service}: los registros de cuentas de granos que usted comparte van desde ahora a ${all(customers, others)}. Vea quién los recibe, o deténgalo: ${address}`,
    yearly: (service, customers, others, address) =>
      `${service}: una vez al año le decimos quién recibe registros de sus cuentas de granos: ${all(customers, others)}. Si no hace nada, nada cambia. Véalo o deténgalo: ${address}`,
    askedBy: {
      customer: (customer) => `Lo pidió ${customer}.`,
      farmer: 'Lo pidió usted, para ver quién recibe sus datos de granos.',
    },
  },
};

/** "A, B y 2 más" */
const all = (names: string[], others: number) =>
  listed.format(others === 0 ? names : [...names, `${others} más`]);

function interval(milliseconds: number): string {
  const [amount, unit] =
    milliseconds >= 3_600_000
      ? [milliseconds / 3_600_000, 'hora']
      : milliseconds >= 60_000
        ? [milliseconds / 60_000, 'minuto']
        : [milliseconds / 1_000, 'segundo'];
  const rounded = Math.round(amount);
  return rounded === 1 ? unit : `${rounded} ${unit}s`;
}
