import type { Store } from '../../store/store';
import { seal, unseal } from '../../store/access/seal';
import { flawOfToken, hashToken, newToken } from '../../store/access/tokens';
import { SECRET_KEY } from '../setup/open-store-at';

const store = { secretKey: SECRET_KEY } as Store;

describe('a sealed secret', () => {
  test('opens for its owner, and does not look the same twice', () => {
    const sealed = seal(store, 'acme', 'whsec_geheim');
    expect(unseal(store, 'acme', sealed)).toBe('whsec_geheim');
    expect(sealed.includes('geheim')).toBe(false);
    expect(seal(store, 'acme', 'whsec_geheim').equals(sealed)).toBe(false);
  });

  test('does not open for another owner, with another key, or changed in any byte', () => {
    const sealed = seal(store, 'acme', 'whsec_geheim');
    expect(() => unseal(store, 'temporal', sealed)).toThrow();
    expect(() => unseal({ ...store, secretKey: Buffer.alloc(32) }, 'acme', sealed)).toThrow();
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i]! ^= 1;
      expect(() => unseal(store, 'acme', changed)).toThrow();
    }
  });
});

describe('a token', () => {
  const [HERE, LIVE] = [{ production: false }, { production: true }];

  test('says its kind, is never the same, and is known by its checksum', () => {
    const token = newToken('erp', HERE);
    expect(token).toMatch(/^gdx_erp_test_[0-9A-Za-z]{36}$/);
    expect(newToken('erp', HERE)).not.toBe(token);
    expect(flawOfToken(token, 'erp', HERE)).toBeUndefined();
    const typo = token.slice(0, 17) + (token[17] === 'x' ? 'y' : 'x') + token.slice(18);
    for (const wrong of [
      '',
      typo,
      `${token}\n`,
      ` ${token}`,
      token.slice(0, -1),
      token.replace('test_', ''),
    ]) {
      expect(flawOfToken(wrong, 'erp', HERE)).toBe('no token of this kind');
    }
    for (const made of [token, token.replace('erp', 'channel')])
      expect(flawOfToken(made, 'channel', HERE)).toBe('no token of this kind');
  });

  test('opens in production only when it was made there, and only there', () => {
    const live = newToken('channel', LIVE);
    expect(live).toMatch(/^gdx_channel_live_/);
    expect(flawOfToken(live, 'channel', LIVE)).toBeUndefined();
    expect(flawOfToken(live, 'channel', HERE)).toBe('a live token');
    expect(flawOfToken(newToken('channel', HERE), 'channel', LIVE)).toBe('a test token');
    expect(flawOfToken(live.replace('live', 'test'), 'channel', HERE)).toBe('no token of this kind');
  });

  test('is stored as its hash, from which it cannot be read', () => {
    const token = newToken('channel', HERE);
    expect(hashToken(token)).toBe(hashToken(token));
    expect(hashToken(token)).not.toContain(token.slice(17, 25));
    expect(hashToken(newToken('channel', HERE))).not.toBe(hashToken(token));
  });
});
