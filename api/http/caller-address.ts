import type { Middleware } from 'koa';

const IN_BRACKETS = /^\[([\da-f:.]+)\](?::\d+)?$/i;
const WITH_PORT = /^(\d+(?:\.\d+){3}):\d+$/;

/** Some proxies add the caller's port in X-Forwarded-For, or write IPv6 in brackets: without them it is the same caller. */
export const callerAddress: Middleware = async ({ request }, next) => {
  const { ip } = request;
  request.ip = IN_BRACKETS.exec(ip)?.[1] ?? WITH_PORT.exec(ip)?.[1] ?? ip;
  await next();
};
