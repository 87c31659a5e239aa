/** The settings of one process in production: each is given its own keys and no others (docs/decisions/0024). */
export function keysOf(role: 'api' | 'worker', settings: Record<string, string>): Record<string, string> {
  const others = role === 'api' ? /^GDX_CUSTOMER_SECRETS_KEY/ : /^GDX_SECRET_KEY/;
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !others.test(name)));
}
