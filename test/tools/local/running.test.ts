import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig, readRunning } from '../../../config';
import { removeRunning, writeRunning } from '../../../tools/local/running';
import { temporaryFolder } from '../../setup/temporary-folder';

const root = temporaryFolder('running');
const file = path.join(root, '.local', 'running.json');
const addresses = {
  mongodb_uri: 'mongodb://127.0.0.1:27018/gdx?directConnection=true',
  temporal_address: '127.0.0.1:7234',
  temporal_namespace: 'default',
  temporal_ui_url: 'http://127.0.0.1:8233',
  api_url: 'http://127.0.0.1:3000',
};

beforeEach(() => writeRunning(root, addresses));

function rewrite(change: object): void {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
}

test('what npm start wrote is found while it lives', () => {
  expect(readRunning(root)).toMatchObject({ ...addresses, pid: process.pid });
});

test('a file whose process is gone is ignored', () => {
  rewrite({ pid: 2 ** 22 + 1 });
  expect(readRunning(root)).toBeUndefined();
});

test('its addresses stand in for settings that are missing, but never in production', () => {
  expect(readConfig({}, 'gdx', root).mongodbUri).toBe(addresses.mongodb_uri);
  expect(() => readConfig({ NODE_ENV: 'production' }, 'gdx', root)).toThrow(
    /MONGODB_URI must be set in production/,
  );
});

test('whoever names one part has named all: none of its addresses is mixed with others', () => {
  const partsOf = (env: NodeJS.ProcessEnv) => {
    const { mongodbUri, temporalAddress } = readConfig(env, 'gdx', root);
    return [mongodbUri, temporalAddress];
  };
  const own = { MONGODB_URI: 'mongodb://127.0.0.1:1/own', TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const usual = ['mongodb://127.0.0.1:27017/gdx', '127.0.0.1:7233'];
  expect(partsOf({ MONGODB_URI: own.MONGODB_URI })).toEqual([own.MONGODB_URI, usual[1]]);
  expect(partsOf({ TEMPORAL_ADDRESS: own.TEMPORAL_ADDRESS })).toEqual([usual[0], own.TEMPORAL_ADDRESS]);
});

test('no file and a broken file are no running system', () => {
  writeFileSync(file, '{"pid":');
  expect(readRunning(root)).toBeUndefined();
  removeRunning(root);
  expect(readRunning(root)).toBeUndefined();
});
