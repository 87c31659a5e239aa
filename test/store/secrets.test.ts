import type { Store } from '../../store/connect';
import { seal, unseal } from '../../store/seal';
import { hashToken, isTokenShaped, newToken } from '../../store/tokens';
import { SECRET_KEY } from '../setup/open-store';

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
    expect(() => unseal(store, 'bell', sealed)).toThrow();
    expect(() => unseal({ ...store, secretKey: Buffer.alloc(32) }, 'acme', sealed)).toThrow();
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i]! ^= 1;
      expect(() => unseal(store, 'acme', changed)).toThrow();
    }
  });
});

describe('a token', () => {
  test('says its kind, is never the same, and is known by its checksum', () => {
    const token = newToken('erp');
    expect(token).toMatch(/^gdx_erp_[0-9A-Za-z]{36}$/);
    expect(newToken('erp')).not.toBe(token);
    expect(isTokenShaped(token, 'erp')).toBe(true);
    expect(isTokenShaped(token, 'channel')).toBe(false);
    expect(isTokenShaped(token.replace('erp', 'channel'), 'channel')).toBe(false);
    const typo = token.slice(0, 12) + (token[12] === 'x' ? 'y' : 'x') + token.slice(13);
    for (const wrong of ['', typo, `${token}\n`, ` ${token}`, token.slice(0, -1)]) {
      expect(isTokenShaped(wrong, 'erp')).toBe(false);
    }
  });

  test('is stored as its hash, from which it cannot be read', () => {
    const token = newToken('channel');
    expect(hashToken(token)).toBe(hashToken(token));
    expect(hashToken(token)).not.toContain(token.slice(12, 20));
    expect(hashToken(newToken('channel'))).not.toBe(hashToken(token));
  });
});
