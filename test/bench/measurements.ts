import type { Measurement } from './bench';
import { measureF1 } from './measure-f1';
import { measureF3 } from './measure-f3';
import { measureF4 } from './measure-f4';
import { measureP1 } from './measure-p1';
import { measureP2 } from './measure-p2';
import { measureT1 } from './measure-t1';

/** By the ids of the table in README.md. */
export const MEASUREMENTS = {
  F1: measureF1,
  F3: measureF3,
  F4: measureF4,
  P1: measureP1,
  P2: measureP2,
  T1: measureT1,
} satisfies Record<string, Measurement>;

export type MeasurementId = keyof typeof MEASUREMENTS;
