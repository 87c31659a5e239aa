import { startBenchProcess } from './start-bench-process';

/** A server in front of this one, each of whose commits takes so many milliseconds longer. */
export async function startSlowCommits(mongodbUri: string, commitMs: number) {
  const uri = new URL(mongodbUri.replace(/^mongodb:/, 'http:'));
  const { told } = await startBenchProcess<string>('slow-commits-process', uri.host, String(commitMs));
  uri.host = told;
  return { uri: uri.href.replace(/^http:/, 'mongodb:') };
}
