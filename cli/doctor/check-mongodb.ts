import { isBehind, knownPositions } from '../../store/schema/counters-ahead';
import { StoreMismatch } from '../../store/store-mismatch';
import { readProcessClocks } from '../../store/schema/process-clocks';
import { planMigration } from '../../store/schema/migrations/read-schema';
import { readServerFacts } from '../../store/schema/server-facts';
import type { Store } from '../../store/store';
import { fail, type DoctorFinding, ok, warn } from './doctor-finding';

const FULL = { warn: 0.8, fail: 0.95 };
const SKEW_MS = { warn: 1_000, fail: 30_000 };

/** Checks the server, then our schema and data. @throws when MongoDB is unavailable */
export async function checkMongodb(store: Store): Promise<DoctorFinding[]> {
  const facts = await readServerFacts(store);
  return [
    ok('mongodb', `answers in ${Math.round(facts.tookMs)} ms`),
    facts.replicaSet
      ? ok('replica set', facts.replicaSet)
      : fail(
          'replica set',
          'MongoDB is not a replica set: it has no transactions',
          'start mongod with --replSet and run rs.initiate()',
        ),
    ...skew('clock of mongodb', facts.clockAheadMs),
    ...(await clocks(store)),
    ...disk(facts.diskUsed),
    ...(await schema(store)),
    ...(await counters(store)),
  ];
}

/** Each process tells of its own, which the machine of `gdx` may not share. */
async function clocks(store: Store): Promise<DoctorFinding[]> {
  const told = await readProcessClocks(store);
  return told.flatMap(({ _id, ahead_ms }) => skew(`clock of ${_id}`, ahead_ms, 'mongodb'));
}

export function skew(part: string, aheadMs: number | undefined, of = 'this machine'): DoctorFinding[] {
  if (aheadMs === undefined) return [];
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  const finding = `${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} ${of}`;
  if (Math.abs(aheadMs) < SKEW_MS.warn) return [ok(part, finding)];
  const judge = Math.abs(aheadMs) < SKEW_MS.fail ? warn : fail;
  return [judge(part, finding, 'let both machines take their time from the same NTP servers')];
}

function disk(used: number | undefined): DoctorFinding[] {
  if (used === undefined) return [];
  const finding = `${Math.round(used * 100)} % full`;
  if (used < FULL.warn) return [ok('disk of mongodb', finding)];
  return [
    (used < FULL.fail ? warn : fail)('disk of mongodb', finding, 'make room, or give MongoDB a larger disk'),
  ];
}

async function schema(store: Store): Promise<DoctorFinding[]> {
  try {
    const steps = (await planMigration(store)).flatMap((migration) => migration.steps);
    if (steps.length === 0) return [ok('indexes', 'all there')];
    const more = steps.length > 3 ? ` and ${steps.length - 3} more` : '';
    return [fail('indexes', `missing: ${steps.slice(0, 3).join(', ')}${more}`, 'run `gdx migrate`')];
  } catch (error) {
    if (error instanceof StoreMismatch) return [fail('schema', error.problem, error.advice)];
    throw error;
  }
}

async function counters(store: Store): Promise<DoctorFinding[]> {
  const behind = (await knownPositions(store)).filter(isBehind).map(({ entity_type }) => entity_type);
  if (behind.length === 0) return [ok('counters', 'above every marker and record')];
  return [
    fail(
      'counters',
      `behind what is stored: ${behind.join(', ')}`,
      'run `gdx repair counters` (docs/backup.md)',
    ),
  ];
}
