import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bucketOf, DigestBuckets, readBuckets } from '../../domain/records/digest';

const at = (text: string) => new Date(text);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('all 256 buckets in order; an empty one has the hash of nothing', () => {
  const buckets = new DigestBuckets().finish();
  expect(buckets).toHaveLength(256);
  expect(buckets.map(({ bucket }) => bucket)).toEqual([...buckets.map(({ bucket }) => bucket)].sort());
  expect([buckets[0]!.bucket, buckets[63]!.bucket, buckets[255]!.bucket]).toEqual(['00', '3f', 'ff']);
  for (const bucket of buckets) expect(bucket).toMatchObject({ records: 0, pending: 0, hash: sha256('') });
});

test('a pending record is counted apart and not hashed', () => {
  const digest = new DigestBuckets();
  const id = '42-T-1';
  digest.add({ id, updated_at: at('2026-10-01T13:00:00Z'), pending: false });
  digest.add({ id, updated_at: at('2026-10-02T13:00:00Z'), pending: true });
  const bucket = digest.finish().find((one) => one.bucket === bucketOf(id));
  expect(bucket).toMatchObject({ records: 1, pending: 1, hash: sha256(`${id} 2026-10-01T13:00:00.000Z\n`) });
});

test('the example of the guide holds', () => {
  const guide = readFileSync('docs/customer.md', 'utf8');
  const [, bucket, lines, hash] =
    /bucket `([0-9a-f]{2})`[^]*?```\n((?:42-T-\d+ \S+\n)+)```[^]*?`([0-9a-f]{64})`/.exec(guide)!;
  const digest = new DigestBuckets();
  for (const line of lines!.trim().split('\n')) {
    const [id, updatedAt] = line.split(' ');
    digest.add({ id: id!, updated_at: at(updatedAt!), pending: false });
  }
  const found = digest.finish().find((one) => one.bucket === bucket);
  expect(found).toEqual({ bucket, records: 2, pending: 0, hash });
});

test('reads names of buckets', () => {
  expect([...readBuckets('3f')!, ...readBuckets('00,ff,00')!]).toEqual(['3f', '00', 'ff']);
  const all = new DigestBuckets().finish().map(({ bucket }) => bucket);
  expect(readBuckets(all.join(','))!.size).toBe(256);
});

test.each(['', '3', '3F', '3f,', ',3f', '3f, a0', '3fa0', 'zz', `${'00,'.repeat(256)}00`, '3f\n'])(
  '%j names no buckets',
  (text) => expect(readBuckets(text)).toBeUndefined(),
);
