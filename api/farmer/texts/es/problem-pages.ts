import type { Texts } from '../en';

/** Pages that say what is wrong. */
export const spanishProblemPages: Pick<Texts, 'broken' | 'refusedLink' | 'pageError'> = {
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
    paused: {
      title: 'Los códigos están en pausa',
      text: 'Alguien probaba códigos que no son suyos, así que por ahora no enviamos ninguno. Un navegador en el que ya escribió un código sigue funcionando. O intente de nuevo más tarde.',
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
};
