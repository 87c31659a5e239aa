import { BSON, type Document } from 'mongodb';
import { nameOf } from '../strict/rules';
import type { PgConnection } from './pg-connection';

const KINDS: Record<string, string> = {
  find: 'find',
  aggregate: 'pipeline',
  count: 'count',
  distinct: 'distinct',
};

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** How the engine answers a read, having done so. */
export async function explain(pg: PgConnection, { explain: command, $db }: Document): Promise<Plan> {
  const called = `bson_aggregation_${KINDS[nameOf(command)]}`;
  const sql = `EXPLAIN (FORMAT JSON, ANALYZE, VERBOSE) SELECT document FROM documentdb_api_catalog.${called}($1, $2)`;
  const [row] = await pg.query(sql, [$db, Buffer.from(BSON.serialize(command))]);
  return JSON.parse(String(row![0]))[0].Plan;
}

/** The same in mongod’s words: of keys it says how many led to a record, as PostgreSQL counts no others. */
export function asMongodb(plan: Plan): Document {
  const all = nodesOf(plan);
  const rows = (one: Plan) => (one['Actual Rows'] ?? 0) * (one['Actual Loops'] ?? 1);
  const removed = (one: Plan) =>
    ((one['Rows Removed by Filter'] ?? 0) + (one['Rows Removed by Index Recheck'] ?? 0)) *
    (one['Actual Loops'] ?? 1);
  const read = all.filter((one) => /^(Bitmap Heap|Seq|Index) Scan$/.test(one['Node Type']));
  const keys = all.filter((one) => one['Index Name'] !== undefined);
  const sum = (list: Plan[], of: (one: Plan) => number) => list.reduce((total, one) => total + of(one), 0);
  return {
    queryPlanner: { winningPlan: plan },
    executionStats: {
      nReturned: rows(plan),
      totalDocsExamined: sum(read, (one) => rows(one) + removed(one)),
      totalKeysExamined: sum(keys, (one) => rows(one) + removed(one)),
    },
    serverInfo: { host: 'documentdb' },
    ok: 1,
  };
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
