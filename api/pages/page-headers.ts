import { createHash } from 'node:crypto';

/** Headers of every page: only its own style, nothing from other origins, no caching. */
export function pageHeaders(style: string): Record<string, string> {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      'img-src data:',
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
  };
}
