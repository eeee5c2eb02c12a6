import { describe, expect, it } from 'vitest';
import { secretVariables } from './redaction.ts';

const VALUE = 'a-value-that-is-long-enough';

describe('variables that are secrets by their name', () => {
  it.each([
    'KEY',
    'OPENAI_API_KEY',
    'OPENAI_APIKEY',
    'GITHUB_TOKEN',
    'npm_config_//registry/:_authToken',
    'AWS_SECRET_ACCESS_KEY',
    'SECRET',
    'PGPASSWORD',
    'DB_PASSWD',
    'DB_PASS',
    'SSH_PASSPHRASE',
    'SERVICE_CREDENTIALS',
    'APP_PRIVATE_KEY',
    'APP_PRIVATE_KEY_BASE64',
    'API_KEY_2',
    'GITHUB_PAT',
  ])('%s is one', (name) => {
    expect(secretVariables({ [name]: VALUE })).toEqual({ [name]: VALUE });
  });

  it.each([
    'PATH',
    'HOME',
    'PWD',
    'OLDPWD',
    'MONKEY',
    'MAX_TOKENS',
    'SSH_AUTH_SOCK',
    'AWS_ACCESS_KEY_ID',
    'SSL_KEY_FILE',
    'TOKEN_PATH',
    'SECRETS_DIR',
    'SSH_PUBLIC_KEY',
    'COMPASS',
  ])('%s is not a secret', (name) => {
    expect(secretVariables({ [name]: VALUE })).toEqual({});
  });

  it('takes no value of fewer than eight characters', () => {
    expect(secretVariables({ A_TOKEN: '1234567', B_TOKEN: ' 1234567 ', C_TOKEN: '12345678' })).toEqual({
      C_TOKEN: '12345678',
    });
  });

  it('takes no credentials that are a path', () => {
    expect(secretVariables({ GOOGLE_APPLICATION_CREDENTIALS: '/home/me/key.json' })).toEqual({});
    expect(secretVariables({ X_CREDENTIALS: 'C:\\keys\\key.json' })).toEqual({});
  });
});
