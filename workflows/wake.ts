import { setHandler } from '@temporalio/workflow';
import {
  deliverNow,
  markerReset,
  settingsChanged,
  subscriptionsChanged,
  type Trigger,
  TRIGGERS,
} from './messages';

/** The bell: handlers only set it, the loop takes it (design 4). */
export class Wake {
  /** How often it rang; a run under way passes every ring on to its deliveries. */
  rings = 0;

  constructor(private rung: Trigger | undefined) {}

  get trigger(): Trigger | undefined {
    return this.rung;
  }

  ring(trigger: Trigger): void {
    this.rings += 1;
    if (!this.rung || TRIGGERS.indexOf(trigger) > TRIGGERS.indexOf(this.rung)) this.rung = trigger;
  }

  take(): Trigger | undefined {
    const rung = this.rung;
    this.rung = undefined;
    return rung;
  }
}

/** Registers the bell's handlers; called before anything is awaited, or early signals would be lost. */
export function listenForWakes(rung: Trigger | undefined): Wake {
  const wake = new Wake(rung);
  setHandler(markerReset, () => wake.ring('reset'), {
    description: 'A marker was moved back: deliver again from there.',
  });
  setHandler(deliverNow, () => wake.ring('deliver-now'), { description: 'An operator wants a run now.' });
  setHandler(settingsChanged, () => wake.ring('settings'), {
    description: 'The channel was changed, paused or resumed.',
  });
  setHandler(subscriptionsChanged, () => wake.ring('subscriptions'), {
    description: 'A farmer shared an account or stopped sharing it.',
  });
  return wake;
}
