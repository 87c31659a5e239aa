import { gradeLoad, type Grading } from './grade-load';
import type { Truck } from './plan-farms';
import type { Haul } from './plan-hauls';
import type { Random } from './random';

export interface WeighedLoad {
  truck: Truck;
  grossWeight: number;
  tareWeight: number;
  grading: Grading;
}

/** Pounds, in the scale's steps of 20; a truck is seldom loaded to the last pound the road allows. */
export function weighLoad(random: Random, haul: Haul): WeighedLoad {
  const truck = random.pick(haul.farm.trucks);
  const tareWeight = truck.emptyWeight - 20 * random.integer(0, 20);
  const grossWeight = truck.legalWeight - 20 * random.integer(0, truck.legalWeight / 400);
  const grading = gradeLoad(random, haul.commodity, grossWeight - tareWeight, haul.averages);
  return { truck, grossWeight, tareWeight, grading };
}
