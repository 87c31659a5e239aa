declare module 'mongodb/lib/utils.js' {
  /** @throws what the emitter says as `error` */
  export function once(emitter: NodeJS.EventEmitter, event: string, options?: object): Promise<unknown>;
}
