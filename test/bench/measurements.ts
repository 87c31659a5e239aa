import type { Measurement } from './bench';
import { measureF1 } from './measure-f1';
import { measureF3 } from './measure-f3';
import { measureF4 } from './measure-f4';
import { measureL1 } from './measure-l1';
import { measureP1 } from './measure-p1';
import { measureP2 } from './measure-p2';
import { measureR1 } from './measure-r1';
import { measureP6 } from './measure-p6';
import { measureS2 } from './measure-s2';
import { measureT1 } from './measure-t1';

/** By the ids of the table in README.md. */
export const MEASUREMENTS = {
  F1: measureF1,
  F3: measureF3,
  F4: measureF4,
  L1: measureL1,
  P1: measureP1,
  P2: measureP2,
  P6: measureP6,
  R1: measureR1,
  S2: measureS2,
  T1: measureT1,
} satisfies Record<string, Measurement>;

export type MeasurementId = keyof typeof MEASUREMENTS;
