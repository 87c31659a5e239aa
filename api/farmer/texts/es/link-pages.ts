import type { Texts } from '../en';
import { spanish } from './words';

const { all, day, listed, number, count, interval } = spanish;

/** The pages that a link leads through. */
export const spanishLinkPages: Pick<Texts, 'phone' | 'code' | 'accounts' | 'check' | 'done' | 'cancelled'> = {
  phone: {
    title: 'Confirme su número de teléfono',
    who: (service) =>
      `${service} es un servicio con el que las compañías de granos envían registros a aseguradoras, bancos y otros.`,
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
    signed: (ending, customer) =>
      `Este enlace es para el número que termina en ${ending}. Si tiene otro número, pida a ${customer} un enlace con ese.`,
  },
  code: {
    title: { text: 'Escriba el código que le enviamos', call: 'Escriba el código de nuestra llamada' },
    sentTo: {
      text: (ending, digits) =>
        `Busque en el celular que termina en ${ending} un mensaje con un código de ${digits} dígitos.`,
      call: (ending, digits) =>
        `Estamos llamando al número que termina en ${ending} para leerle un código de ${digits} dígitos.`,
    },
    slow: 'Puede tardar un minuto en llegar. El código sirve durante 10 minutos.',
    label: 'Código de seguridad',
    wrong: 'Ese código no es correcto. Revíselo y escríbalo de nuevo',
    malformed: (digits) => `Escriba los ${digits} dígitos del código`,
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
    showAll: 'Borrar la búsqueda',
    found: (shown, all) =>
      shown === all ? count(all) : `Se muestran ${number.format(shown)} de ${count(all)}`,
    chosen: (chosen) => (chosen === 1 ? '1 cuenta marcada' : `${number.format(chosen)} cuentas marcadas`),
    all: (shown, all) => (shown === all ? 'Marcar todas' : `Marcar las que se ven (${number.format(shown)})`),
    none: (shown, all) =>
      shown === all ? 'Desmarcar todas' : `Desmarcar las que se ven (${number.format(shown)})`,
    noMatch: 'Ninguna cuenta coincide. Pruebe con menos letras.',
    chooseOne: 'Marque al menos una cuenta, o salga sin cambios',
    emptyTitle: 'No encontramos cuentas con su número',
    empty: (customer, ending) =>
      `No hallamos cuentas con el número que termina en ${ending} para compartir con ${customer}.`,
    emptyHelp:
      'Es posible que su compañía tenga otro número suyo. Pruebe con ese, o pida a la compañía que agregue este número.',
    earlier: {
      title: '¿Qué registros?',
      yes: 'Todos: también los de antes de hoy',
      no: 'Solo los nuevos, desde hoy',
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
        `Más de 25 nombres distintos tienen el número que termina en ${ending} en una compañía de granos, así que no podemos saber qué cuentas de allí son suyas.`,
      noShare: 'No puede compartir desde este número.',
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
    widened: (accounts) => `También se enviarán los registros anteriores de ${count(accounts)}`,
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
    earlierToo: 'Todo lo que hay hasta hoy, y todo lo nuevo.',
    earlierTooBefore: 'También los anteriores.',
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
    place: { here: 'aquí', there: 'allí', at: (address) => `en ${address}` },
    afterThat: (customer, place) =>
      `No enviamos más, salvo si otra persona comparte la cuenta. Pedimos a ${customer} que borre lo que tiene y ${place} mostramos su respuesta. No podemos comprobarla.`,
    texts: 'Mensajes',
    weText: 'Le escribimos ahora y una vez al año, si este teléfono recibe mensajes de texto.',
    agree: (customer) => `Compartir mis registros con ${customer}`,
    disagree: (customer) => `Dejar de compartir con ${customer}`,
    change: 'Guardar lo que elegí',
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
    stopped: (names, others) => `Usted dejó de compartir ${all(names, others)}.`,
    next: 'Qué sigue',
    nextEarlierToo: (customer) =>
      `${customer} recibe también los registros anteriores y, desde ahora, cada cambio.`,
    nextOnlyNew: (customer) => `${customer} recibe lo nuevo o lo que cambie desde ahora.`,
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
};
