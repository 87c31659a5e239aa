import type { Measurement } from './bench';
import { measureC1 } from './measure-c1';
import { measureF1 } from './measure-f1';
import { measureF2 } from './measure-f2';
import { measureF3 } from './measure-f3';
import { measureF4 } from './measure-f4';
import { measureF5 } from './measure-f5';
import { measureF6 } from './measure-f6';
import { measureF7 } from './measure-f7';
import { measureL1 } from './measure-l1';
import { measureO1 } from './measure-o1';
import { measureO2 } from './measure-o2';
import { measureP1 } from './measure-p1';
import { measureP2 } from './measure-p2';
import { measureP3 } from './measure-p3';
import { measureP4 } from './measure-p4';
import { measureP5 } from './measure-p5';
import { measureP6 } from './measure-p6';
import { measureP7 } from './measure-p7';
import { measureR1 } from './measure-r1';
import { measureS1 } from './measure-s1';
import { measureS2 } from './measure-s2';
import { measureS3 } from './measure-s3';
import { measureT1 } from './measure-t1';
import { measureT2 } from './measure-t2';
import { measureT3 } from './measure-t3';

/** By the ids of the table in README.md; those without Temporal first, as it then runs to the end. */
export const MEASUREMENTS = {
  C1: measureC1,
  F2: measureF2,
  F3: measureF3,
  F4: measureF4,
  O1: measureO1,
  O2: measureO2,
  P1: measureP1,
  P2: measureP2,
  P3: measureP3,
  P4: measureP4,
  P5: measureP5,
  P6: measureP6,
  P7: measureP7,
  S1: measureS1,
  S2: measureS2,
  S3: measureS3,
  T2: measureT2,
  F1: measureF1,
  F5: measureF5,
  F6: measureF6,
  F7: measureF7,
  L1: measureL1,
  R1: measureR1,
  T1: measureT1,
  T3: measureT3,
} satisfies Record<string, Measurement>;

export type MeasurementId = keyof typeof MEASUREMENTS;
