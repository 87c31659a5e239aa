import type { Settings } from '../connections';
import { fail, type Finding, ok, warn } from './finding';

/** The settings as this process reads them; those of the API and the worker should be the same. */
export function checkSettings(settings: Settings): Finding[] {
  const { production, farmerProblem, smsProvider } = settings;
  return [
    production
      ? ok('settings', 'production')
      : warn(
          'settings',
          'not production: http, loopback and a known secret key are allowed',
          'for real data set NODE_ENV=production',
        ),
    farmerProblem
      ? fail(
          'texts to farmers',
          farmerProblem,
          'set what is named, for the API; `gdx config` lists all settings',
        )
      : smsProvider === 'console'
        ? warn('texts to farmers', 'codes are shown, not sent', 'set GDX_SMS_PROVIDER to webhook or twilio')
        : ok('texts to farmers', `by ${smsProvider}`),
  ];
}
