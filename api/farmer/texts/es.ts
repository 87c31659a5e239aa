import type { Texts } from './en';

const days = new Intl.DateTimeFormat('es-US', { dateStyle: 'long', timeZone: 'UTC' });
/** `2027-11-22` en palabras. */
const day = (text: string) => days.format(new Date(`${text}T00:00:00Z`));

const dayIn = (timeZone = 'UTC') => new Intl.DateTimeFormat('es-US', { dateStyle: 'long', timeZone });
/** "24 de noviembre de 2026, 3:04 p.m. hora central" */
const momentIn = (timeZone: string) =>
  new Intl.DateTimeFormat('es-US', {
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit' },
    ...{ timeZoneName: 'longGeneric', timeZone },
  });

const listed = new Intl.ListFormat('es-US', { style: 'long', type: 'conjunction' });

const number = new Intl.NumberFormat('es-US');
const count = (accounts: number) => (accounts === 1 ? '1 cuenta' : `${number.format(accounts)} cuentas`);

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
    text: 'Lo que guardó queda. Puede cerrar esta página. Para volver, abra el enlace o la página de donde vino.',
  },

  phone: {
    title: 'Confirme su número de teléfono',
    why: (customer) =>
      `${customer} pide sus registros a sus compañías de granos (elevador, cooperativa). Usted elige qué cuentas compartir, o ninguna.`,
    how: 'Primero comprobamos que el teléfono es suyo. Le enviaremos un código.',
    calledItself: (name) => `Se presenta como “${name}” en el enlace con el que llegó.`,
    label: 'Número de teléfono',
    hint: 'El número de 10 dígitos que sus compañías de granos tienen registrado. Pueden aplicarse tarifas de mensajes y datos.',
    send: 'Enviarme un código',
    call: 'Mejor llámenme',
    wrong: 'Escriba un número de teléfono de 10 dígitos, como 701-555-0142',
    impossible: 'No podemos enviar mensajes ni llamar a este número. Revíselo',
  },
  code: {
    title: { text: 'Escriba el código que le enviamos', call: 'Escriba el código de nuestra llamada' },
    sentTo: {
      text: (ending) =>
        `Busque en el celular que termina en ${ending} un mensaje con un código de 6 dígitos.`,
      call: (ending) =>
        `Estamos llamando al número que termina en ${ending} para leerle un código de 6 dígitos.`,
    },
    slow: 'Puede tardar un minuto en llegar. El código sirve durante 10 minutos.',
    label: 'Código de seguridad',
    wrong: 'Ese código no es correcto. Revíselo y escríbalo de nuevo',
    malformed: 'Escriba los 6 dígitos del código',
    over: 'Ese código ya no sirve. Elija “Envíenme otro código por mensaje”',
    replaced: 'Ese código ya se reemplazó. Use el mensaje más reciente',
    tooSoon: 'Acabamos de enviar un código. Espere 30 segundos antes de pedir otro',
    resend: 'Envíenme otro código por mensaje',
    nothingComes: '¿No llega nada? Es posible que su compañía de granos tenga otro número suyo.',
    otherPhone: 'Usar otro número de teléfono',
  },
  accounts: {
    title: '¿Qué cuentas quiere compartir?',
    with: (customer) =>
      `${customer} recibirá los registros de las cuentas que usted marque, y de ninguna otra. Una cuenta es como usted figura en una compañía de granos.`,
    legend: 'Sus cuentas',
    number: (id) => `cuenta ${id}`,
    oldPhone: (ending) =>
      `Se comparte desde el número que termina en ${ending}. Aquí solo puede dejar de compartirla o adelantar su fin.`,
    otherPhone: (ending) =>
      `Se comparte desde el número que termina en ${ending}. Solo esa persona puede dejar de compartirla aquí.`,
    search: 'Buscar una cuenta',
    searchButton: 'Buscar',
    showAll: 'Mostrar todas',
    found: (shown, all) =>
      shown === all ? count(all) : `Se muestran ${number.format(shown)} de ${count(all)}`,
    chosen: (chosen) => (chosen === 1 ? '1 cuenta marcada' : `${number.format(chosen)} cuentas marcadas`),
    all: 'Marcar todas',
    none: 'Desmarcar todas',
    noMatch: 'Ninguna cuenta coincide. Pruebe con menos letras.',
    chooseOne: 'Marque al menos una cuenta, o salga sin cambios',
    emptyTitle: 'No encontramos cuentas con su número',
    empty: (customer, ending) =>
      `No hallamos cuentas con el número que termina en ${ending} para compartir con ${customer}.`,
    emptyHelp:
      'Es posible que su compañía tenga otro número suyo. Pruebe con ese, o pida a la compañía que agregue este número.',
    earlier: {
      title: '¿Qué registros?',
      yes: 'También los anteriores',
      no: 'Solo lo nuevo desde hoy',
      hint: 'Un registro anterior que cambie después también se envía.',
    },
    end: {
      optional: '¿Quiere un último día? (opcional)',
      required: '¿Cuál es el último día?',
      empty: 'Déjelo vacío para compartir hasta que usted diga.',
      hint: (last) => `Cualquier día hasta el ${day(last)}.`,
      missing: 'Elija el día en que se deja de compartir',
      malformed: 'Escriba un día, como 10/31/2027 (mes/día/año)',
      past: (tomorrow) => `Elija el ${day(tomorrow)} o un día posterior`,
      far: (last) => `Elija el ${day(last)} o un día anterior`,
    },
    crowded: {
      title: 'Llame a su compañía de granos',
      text: (ending) =>
        `Más de 25 nombres distintos tienen el número que termina en ${ending}, así que no podemos saber qué cuentas son suyas. No puede compartir desde este número.`,
      shared: (ending) =>
        `Se comparte desde el número que termina en ${ending}. Puede dejar de compartirla aquí.`,
      help: 'Llame a su compañía de granos y pídale que ponga su propio número en sus cuentas.',
    },
  },
  check: {
    title: 'Revise lo que eligió',
    who: 'Quién',
    gets: (customer) => `${customer} recibe registros de las cuentas de arriba.`,
    called: (name) => `Se presenta como “${name}” en el enlace que usted siguió`,
    reference: 'Referencia que le dieron:',
    start: (accounts) => `Usted compartirá ${count(accounts)}`,
    keep: (accounts) => `Usted sigue compartiendo ${count(accounts)}`,
    moved: (accounts) => `El último día cambia en ${count(accounts)}`,
    stop: (accounts) => `Usted dejará de compartir ${count(accounts)}`,
    what: 'Qué',
    purpose: 'Para qué',
    says: (customer, purpose) => `${customer} dice: “${purpose}”`,
    passesOn: (names) =>
      names.length > 0
        ? `Dice que puede pasarlos a ${listed.format(names)}.`
        : 'Dice que no los pasa a nadie.',
    from: 'Desde cuándo',
    earlierToo: 'También los anteriores.',
    onlyNew: (from) => `Solo lo nuevo o lo que cambie desde el ${day(from)}.`,
    onlyNewOf: 'De estas cuentas, solo lo nuevo o lo que cambie:',
    since: (from) => `desde el ${day(from)}`,
    often: 'Cada cuánto',
    every: (milliseconds) => `Más o menos cada ${interval(milliseconds)}, si algo cambió.`,
    collected: (customer) => `Cuando ${customer} los pide.`,
    until: 'Hasta cuándo',
    untilDay: (last) => `El último día es el ${day(last)}.`,
    untilYouStop: 'Hasta que usted diga.',
    untilAsBefore:
      'Estas cuentas conservan el último día que usted eligió antes. No se puede elegir uno posterior:',
    stopping: 'Cómo dejar de compartir',
    howToStop: (address) => `Cuando quiera, gratis, en ${address}.`,
    after: 'Después',
    afterThat: (customer) =>
      `No enviamos más, salvo si otra persona comparte la cuenta. Pedimos a ${customer} que borre lo que tiene y allí mostramos su respuesta. No podemos comprobarla.`,
    texts: 'Mensajes',
    weText: 'Le escribimos ahora y una vez al año, si este teléfono recibe mensajes de texto.',
    agree: (customer) => `Compartir mis registros con ${customer}`,
    disagree: (customer) => `Dejar de compartir con ${customer}`,
    change: 'Guardar lo que elegí',
    same: 'Nada cambia',
    sameHelp: 'Usted comparte las mismas cuentas que antes.',
    back: 'Cambiar lo que elegí',
    stale: 'Algo cambió desde que abrió esta página. Revísela',
  },
  done: {
    saved: 'Lo que eligió se guardó',
    unchanged: 'Nada ha cambiado',
    reference: 'Referencia:',
    sharing: (customer, accounts) =>
      accounts === 0
        ? `Por este enlace usted no comparte nada con ${customer}.`
        : `Por este enlace usted comparte ${count(accounts)} con ${customer}:`,
    next: 'Qué sigue',
    nextStart: (customer, earlier) =>
      earlier
        ? `${customer} recibe los registros anteriores de las cuentas que usted comparte y, desde ahora, cada cambio.`
        : `${customer} recibe lo nuevo o lo que cambie desde ahora.`,
    nextSame: (customer) => `${customer} sigue recibiendo lo que usted comparte.`,
    nextStop: (customer, title) =>
      `Por este enlace ${customer} ya no recibe registros de las cuentas que usted dejó de compartir. Lo que se comparte por otro enlace, o lo que comparte otra persona, sigue igual: vea “${title}”.`,
    see: 'Ver lo que usted eligió',
    download: 'Descargar lo que usted eligió (archivo de texto)',
    change: 'Cambiar o dejar de compartir',
    goesOn: (customer, seconds) => `Esta página pasará a ${customer} en ${seconds} segundos.`,
    stay: 'Quedarme en esta página',
    continue: (customer) => `Continuar a ${customer}`,
    saving: 'Se está guardando lo que eligió',
    savingHelp: 'Tarda unos segundos. La página avanza sola.',
    look: 'Ver si ya está listo',
  },
  cancelled: {
    title: 'Usted salió sin cambios',
    text: 'No se cambió nada más.',
    back: 'Volver a lo que elegí',
    continue: (customer) => `Continuar a ${customer}`,
  },
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
      deletion_asked: 'Pedimos que la borren',
      deletion_confirmed: 'Nos dijeron que ya la borraron',
    },
    until: (last) => `Hasta el final del ${day(last)}`,
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
      `Se comparte desde el número que termina en ${endings.join(', ')}. Solo esa persona puede dejar de compartirla aquí.`,
    more: (accounts) => `Y ${count(accounts)} más.`,
    byCompany: (companies) =>
      `Recibe los registros de todos los clientes de ${listed.format(companies)}, también los suyos. Aquí no puede pararlo. Pregunte a ${listed.format(companies)}.`,
    stop: (customer) => `Dejar de compartir con ${customer}`,
    stopAccount: 'Dejar de compartir esta cuenta',
    all: 'Todas',
    allHelp: 'Esto termina lo que usted comparte en esta lista.',
    stopAll: 'Dejar de compartir todo',
    stopped: (customers, references) =>
      `Usted dejó de compartir con ${customers.join(', ')}. Referencia: ${references.join(', ')}.`,
    copy: {
      title: 'Descargar mi copia',
      page: (customer) =>
        `Un archivo con lo que enviamos a ${customer} sobre sus cuentas. Primero enviamos un código nuevo. Máximo una vez por hora.`,
      tooSoon: (at) => `Puede pedir otra copia desde: ${at}.`,
      empty: 'No se envió nada: no hay copia.',
    },
    ended: (at) => `Ya no se comparte desde el ${at}`,
    asked: (at) => `El ${at} pedimos que borre lo que tiene. Aún no responde.`,
    confirmed: (customer, at) => `El ${at} ${customer} nos dijo que ya lo borró. No podemos comprobarlo.`,
    notAsked: (customer) =>
      `${customer} aún recibe esta cuenta por otro enlace u otra persona; por eso no lo pedimos.`,
    beyond: (customer) => `No podemos parar lo que ${customer} ya pasó a otros.`,
    on: (at, zone) => dayIn(zone).format(at),
    at: (at, zone) => (zone ? momentIn(zone) : dayIn(zone)).format(at),
  },
  broken: {
    title: 'Este enlace no funciona',
    help: 'El enlace con el que llegó tiene un error. No se cambió nada.',
    parts: 'Lo que está mal, para quienes se lo enviaron:',
    part: {
      callback_url: 'la dirección para regresar (callback_url)',
      display_name: 'el nombre de la compañía (display_name)',
      partner_id: 'la referencia de usted con ellos (partner_id)',
      partner_slug: 'la compañía destinataria (partner_slug)',
      phone: 'el número de teléfono (phone)',
    },
    call: 'Llame a quienes le enviaron el enlace y léales esta página.',
    callWhom: (customer, contact) => `Llame a ${customer}: ${contact}.`,
  },
  refusedLink: {
    over: {
      title: 'Este enlace ya venció',
      text: (customer) => `No se cambió nada. Pida uno nuevo a ${customer}.`,
    },
    unsigned: {
      title: 'Este enlace no es de confianza',
      text: (customer) =>
        `No viene de ${customer}, o fue cambiado en el camino. No se cambió nada. Pida uno nuevo a ${customer}.`,
    },
  },
  pageError: {
    over: {
      title: 'Su visita ha terminado',
      text: 'Una visita termina sola después de un rato. Lo que guardó queda. Abra el enlace o la página de donde vino. Si ve esta página de inmediato, permita las cookies en su navegador.',
    },
    stale: {
      title: 'Esta página ya no está al día',
      text: 'Se abrió hace un tiempo, o en otra ventana. Revise lo que eligió.',
    },
    limited: {
      title: 'Se pidieron demasiados códigos',
      text: 'Para proteger su número tenemos que hacer una pausa.',
    },
    guessed: {
      title: 'Se probaron demasiados códigos',
      text: 'Se escribieron demasiados códigos para este número, quizás por otra persona. Por su seguridad tenemos que hacer una pausa.',
    },
    crowded: {
      title: 'Se pidieron demasiadas páginas',
      text: 'Se abrieron muchísimas páginas a la vez. Intente de nuevo en un minuto.',
    },
    wait: (minutes) =>
      minutes >= 120
        ? `Intente de nuevo en ${Math.ceil(minutes / 60)} horas.`
        : `Intente de nuevo en ${minutes === 1 ? '1 minuto' : `${minutes} minutos`}.`,
    notSent: {
      title: 'No pudimos enviarle un código',
      text: 'Nuestro servicio de mensajes y llamadas no responde. No es su teléfono. Intente de nuevo en un minuto.',
    },
    busy: {
      title: 'No podemos hacerlo en este momento',
      text: 'Algo de nuestro lado no funciona. Intente de nuevo en un minuto. Si estaba guardando, revise lo que eligió: es posible que una parte ya esté guardada.',
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
      text: 'Este enlace ya no se usa. Nada cambió.',
    },
    unknownPage: {
      title: 'Esta página no existe',
      text: 'Es posible que el enlace haya cambiado en el camino. Abra de nuevo el enlace con el que llegó, o pregunte a la compañía que se lo envió.',
    },
  },
  what: {
    accounts: 'nombre y teléfonos',
    contracts: 'contratos',
    tickets: 'boletos de báscula (carga, pesos, calidad, parcela, camión, chofer)',
    settlements: 'liquidaciones',
    more: 'lo demás que contengan',
  },
  entityTypes: {
    accounts: 'Sus cuentas: nombre y teléfonos, como los tiene la compañía de granos',
    contracts: 'Sus contratos de granos: producto, cantidades, precios y fechas',
    tickets: 'Sus boletos de báscula: cada carga con pesos, calidades y lugar',
    settlements: 'Sus liquidaciones: lo que se le pagó y lo que se descontó',
  },
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

/** "A, B y otros 2" */
const all = (names: string[], others: number) =>
  listed.format(others === 0 ? names : [...names, others === 1 ? 'otro' : `otros ${others}`]);

/** Under two hours in minutes. */
function interval(milliseconds: number): string {
  const [amount, unit] =
    milliseconds >= 7_200_000 || milliseconds === 3_600_000
      ? [milliseconds / 3_600_000, 'hora']
      : milliseconds >= 60_000
        ? [milliseconds / 60_000, 'minuto']
        : [milliseconds / 1_000, 'segundo'];
  const rounded = Math.round(amount);
  return rounded === 1 ? unit : `${rounded} ${unit}s`;
}
