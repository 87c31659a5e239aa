import { isHttps } from '../../domain/settings/unsafe-settings';
import type { Settings } from '../connections';
import { type DoctorFinding, fail, ok, warn } from './doctor-finding';

type Told = Pick<Settings, 'production' | 'apiProblem' | 'smsProvider' | 'publicUrl' | 'trustedProxies'>;

/** The settings of this process; the API and the worker should have the same. */
export function checkSettings({
  production,
  apiProblem,
  smsProvider,
  publicUrl,
  trustedProxies,
}: Told): DoctorFinding[] {
  return [
    ...(isHttps(publicUrl) && trustedProxies === 0
      ? [
          warn(
            'proxies',
            'GDX_PUBLIC_URL is https, which the API leaves to a proxy, and GDX_TRUSTED_PROXIES is 0: all callers may be one address',
            'set GDX_TRUSTED_PROXIES to how many proxies write X-Forwarded-For; leave it at 0 only where none does',
          ),
        ]
      : []),
    production
      ? ok('settings', 'production')
      : warn(
          'settings',
          'not production: http, loopback and a known secret key are allowed',
          'for real data set NODE_ENV=production',
        ),
    apiProblem
      ? fail(
          'settings of the api',
          apiProblem,
          'set what is named, for the API; `gdx config` lists all settings',
        )
      : smsProvider === 'console'
        ? warn('texts to farmers', 'codes are shown, not sent', 'set GDX_SMS_PROVIDER to webhook or twilio')
        : ok('texts to farmers', `by ${smsProvider}`),
  ];
}
