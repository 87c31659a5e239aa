import { ConfigurationError, readConfig } from '../../config';

const PRODUCTION = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://db.example/gdx?replicaSet=rs0',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  GDX_SECRET_KEY: 'a'.repeat(64),
};

describe('readConfig', () => {
  it('takes what is set and knows a default for the rest', () => {
    const config = readConfig({
      MONGODB_URI: 'mongodb://127.0.0.1:1/x',
      TEMPORAL_ADDRESS: '127.0.0.1:2',
      PORT: '4000',
    });
    expect(config).toMatchObject({ port: 4000, production: false, taskQueue: 'gdx', logLevel: 'info' });
  });

  it('starts in production with what it needs', () => {
    expect(readConfig(PRODUCTION)).toMatchObject({ production: true, secretKey: Buffer.alloc(32, 0xaa) });
  });

  it('names every missing setting of production at once', () => {
    const wrong = () => readConfig({ NODE_ENV: 'production' });
    expect(wrong).toThrow(ConfigurationError);
    expect(wrong).toThrow(/MONGODB_URI.*TEMPORAL_ADDRESS.*GDX_SECRET_KEY/);
  });

  it.each([
    [{ PORT: 'eighty' }, /PORT/],
    [{ PORT: '70000' }, /PORT/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL/],
    [{ MONGODB_URI: 'postgres://x' }, /MONGODB_URI must begin/],
    [{ GDX_SECRET_KEY: 'short' }, /32 bytes/],
    [{ GDX_OUTBOUND_ALLOW: '10.0.0.0/8,nonsense' }, /nonsense is no CIDR/],
    [{ ...PRODUCTION, GDX_OUTBOUND_ALLOW: '10.0.0.0/8' }, /must be empty in production/],
  ])('refuses %j', (env, message) => {
    expect(() => readConfig(env)).toThrow(message);
  });
});
