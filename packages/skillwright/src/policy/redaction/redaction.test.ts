import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FUZZ_RUNS } from '../../../../../test/property/fuzz-runs.ts';
import { secretForms } from './forms.ts';
import { createRedactor, type Redactor, secretVariables } from './redaction.ts';

const KEY = 'sk-proj/9+Zx?~q"w\\é';
const redactor = createRedactor({ KEY });
const LABEL = '[redacted:KEY]';
const bytesOf = (text: string): Buffer => Buffer.from(text);

/** Sends chunks through a stream and joins the output. */
function streamed(target: Redactor, chunks: readonly Uint8Array[]): string {
  const stream = target.stream();
  const parts = chunks.map((chunk) => Buffer.from(stream.write(chunk)));
  return Buffer.concat([...parts, stream.end()]).toString();
}

describe('redaction of text', () => {
  it.each([
    ['plain', KEY],
    ['a JSON string', JSON.stringify(KEY).slice(1, -1)],
    ['a JSON string with / escaped', JSON.stringify(KEY).slice(1, -1).replaceAll('/', '\\/')],
    ['a JSON string of ASCII', JSON.stringify(KEY).slice(1, -1).replace('é', '\\u00e9')],
    ['a JSON string of ASCII in upper case', JSON.stringify(KEY).slice(1, -1).replace('é', '\\u00E9')],
    ['a URL component', encodeURIComponent(KEY)],
    ['a URL component with lower-case escapes', encodeURIComponent(KEY).replace(/%../g, (code) => code.toLowerCase())],
    ['a form field', new URLSearchParams({ k: KEY }).toString().slice(2)],
    ['hex', bytesOf(KEY).toString('hex')],
    ['upper-case hex', bytesOf(KEY).toString('hex').toUpperCase()],
    ['base64', bytesOf(KEY).toString('base64')],
    ['base64 without padding', bytesOf(KEY).toString('base64').replace(/=+$/, '')],
    ['base64url', bytesOf(KEY).toString('base64url')],
  ])('replaces a secret written as %s', (_form, text) => {
    expect(redactor.redactText(`before ${text} after`)).toBe(`before ${LABEL} after`);
  });

  it.each(['', 'a', 'ab', 'abc', 'user:'])('finds a secret within longer base64, after %j', (before) => {
    for (const after of ['', '!', '\n', '--', '---']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = redactor.redactText(`token ${bytesOf(before + KEY + after).toString(encoding)} end`);
        expect(text).toContain(LABEL);
        // The characters left beside the label contain bits of the neighbors.
        expect(text.length).toBeLessThanOrEqual('token  end'.length + LABEL.length + 8 + before.length * 2);
      }
    }
  });

  it('finds a long secret in wrapped base64', () => {
    const secret = 'x7!'.repeat(60);
    const wrapped = bytesOf(secret)
      .toString('base64')
      .replace(/.{76}/g, (line) => `${line}\n`);
    expect(createRedactor([secret]).redactText(wrapped)).toBe('[redacted]\n[redacted]\n[redacted]\n[redacted]');
  });

  it('finds a secret whose spaces are encoded as + or %20', () => {
    const spaced = createRedactor(['correct horse']);
    expect(spaced.redactText('correct+horse correct%20horse')).toBe('[redacted] [redacted]');
  });

  it('returns text without secrets unchanged', () => {
    const text = '\uFEFFno \uD800 secret';
    expect(redactor.redactText(text)).toBe(text);
    expect(redactor.redactText(`\uFEFF${KEY}`)).toBe(`\uFEFF${LABEL}`);
  });

  it('ignores secrets of fewer than six characters, and lists them', () => {
    const short = createRedactor({ PIN: '12345', BLANK: '   ', ONE: '', EMOJI: '😀😀😀😀😀', LONG: ' 123456\n' });
    expect(short.ignored).toEqual(['PIN', 'BLANK', 'ONE', 'EMOJI']);
    expect(short.redactText('12345 123456')).toBe('12345 [redacted:LONG]');
    expect(createRedactor(['abc', 'abcdef']).ignored).toEqual(['0']);
  });

  it('replaces overlapping secrets with one label that names the longest secret', () => {
    const overlapping = createRedactor({ SHORT: 'abcdef', LONG: 'abcdefgh', OTHER: 'defghijkl' });
    expect(overlapping.redactText('abcdef.abcdefgh.')).toBe('[redacted:SHORT].[redacted:LONG].');
    expect(overlapping.redactText('<abcdefghijkl>')).toBe('<[redacted:OTHER]>');
  });

  it('replaces every line of a PEM', () => {
    const lines = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj', 'AgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R4/M2'];
    const pem = `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
    for (const value of [pem, pem.replaceAll('\n', '\\n'), JSON.stringify({ private_key: pem })]) {
      const pems = createRedactor({ PEM: value });
      expect(pems.redactText(`> ${lines[1]} <`)).toBe('> [redacted:PEM] <');
      expect(pems.redactText(value.trim())).toBe('[redacted:PEM]');
      expect(pems.redactText('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
    }
    expect(createRedactor([pem]).redactText(pem.trim().replaceAll('\n', '\r\n'))).toBe('[redacted]');
  });

  it('never prints a secret as a label, whatever its name is', () => {
    expect(createRedactor({ NAME: 'redacted' }).redactText('a redacted b')).toBe('a *** b');
    expect(createRedactor({ HUNTER22: 'HUNTER22' }).redactText('HUNTER22')).toBe('[redacted]');
    expect(createRedactor({ 'a b\n]': 'abcdefgh' }).redactText('abcdefgh')).toBe('[redacted]');
    const joining = createRedactor({ A: 'abcdef', B: 'xyz[redacted:A' });
    expect(joining.redactText('xyzabcdef')).not.toContain('xyz[redacted:A');
  });

  it('handles large secrets and texts without failing', () => {
    const large = 'ab/c'.repeat(50_000);
    expect(createRedactor([large]).redactText(`<${large}>`)).toBe('<[redacted]>');
  });

  it('handles malformed secrets without failing', () => {
    expect(createRedactor(['\uD800\uDC00\uD800abcdef']).redactText('ok')).toBe('ok');
  });
});

describe('redaction of a stream', () => {
  it('returns the same chunk if there are no secrets', () => {
    const chunk = bytesOf('text');
    expect(createRedactor([]).stream().write(chunk)).toBe(chunk);
    expect(createRedactor(['abc']).stream().write(chunk)).toBe(chunk);
    expect(redactor.stream().write(chunk)).toBe(chunk);
  });

  it('finds a secret that arrives byte by byte, in every form', () => {
    for (const form of secretForms(KEY)) {
      const chunks = [...bytesOf(`a ${form} b`)].map((byte) => Uint8Array.of(byte));
      expect(streamed(redactor, chunks)).toBe(`a ${LABEL} b`);
    }
  });

  it('holds back only bytes that may begin a secret, and releases them as soon as they cannot', () => {
    const stream = createRedactor(['secret-value']).stream();
    const write = (text: string): string => Buffer.from(stream.write(bytesOf(text))).toString();
    expect(write('a line\n')).toBe('a line\n');
    expect(write('my secret-')).toBe('my ');
    expect(write('service')).toBe('secret-service');
    expect(write('secret-value')).toBe('[redacted]');
    expect(write('x')).toBe('x');
    expect(write('sec')).toBe('');
    expect(Buffer.from(stream.end()).toString()).toBe('sec');
    expect(stream.end()).toHaveLength(0);
  });

  it('does not keep a chunk that the caller reuses', () => {
    const stream = createRedactor(['secret-value']).stream();
    const chunk = bytesOf('secret');
    stream.write(chunk);
    chunk.fill(0);
    expect(Buffer.from(stream.write(bytesOf('-value'))).toString()).toBe('[redacted]');
  });

  it('passes binary data unchanged', () => {
    const binary = Uint8Array.from({ length: 1024 }, (_, index) => (index * 7) % 256);
    const stream = redactor.stream();
    expect(Buffer.concat([stream.write(binary), stream.end()])).toEqual(Buffer.from(binary));
  });

  it('replaces an endless run of a self-overlapping secret with one label', () => {
    const stream = createRedactor(['aaaaaa']).stream();
    const run = bytesOf('a'.repeat(10_000));
    for (let round = 0; round < 100; round += 1) expect(stream.write(run)).toHaveLength(0);
    expect(Buffer.from(stream.end()).toString()).toBe('[redacted]');
  });
});

describe('redaction of any text, secrets and chunks', () => {
  // Few letters, so that secrets overlap each other and themselves.
  const letters = fc.constantFrom('a', 'b', 'ab', 'é', '/', '"', '😀', ' ', '[', 'r', ']');
  const secretTexts = fc.array(fc.string({ unit: letters, minLength: 6, maxLength: 10 }), {
    minLength: 1,
    maxLength: 4,
  });
  const encoders: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify(text),
    (text) => encodeURIComponent(text),
    (text) => bytesOf(text).toString('base64'),
    (text) => bytesOf(text).toString('hex'),
  ];
  const inputs = secretTexts.chain((secrets) =>
    fc.record({
      secrets: fc.constant(secrets),
      parts: fc.array(
        fc.oneof(
          fc.string({ unit: letters, maxLength: 12 }),
          fc.tuple(fc.constantFrom(...secrets), fc.constantFrom(...encoders)).map(([secret, encode]) => encode(secret)),
          fc.constantFrom(...secrets).map((secret) => secret.slice(0, -1)),
        ),
        { maxLength: 8 },
      ),
      cuts: fc.array(fc.nat({ max: 200 }), { maxLength: 20 }),
    }),
  );

  it('gives the same result for every chunking, and leaves no form of a secret', () => {
    fc.assert(
      fc.property(inputs, ({ secrets, parts, cuts }) => {
        const target = createRedactor(secrets);
        const text = parts.join('').toWellFormed();
        const whole = target.redactText(text);
        const bytes = bytesOf(text);
        const edges = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
        expect(streamed(target, chunks)).toBe(whole);
        expect(
          streamed(
            target,
            [...bytes].map((byte) => Uint8Array.of(byte)),
          ),
        ).toBe(whole);
        for (const secret of secrets.map((value) => value.trim()).filter((value) => [...value].length >= 6))
          for (const form of secretForms(secret)) expect(whole.includes(form)).toBe(false);
      }),
      { numRuns: FUZZ_RUNS },
    );
  });

  it('replaces exactly the secrets that a plain search finds', () => {
    fc.assert(
      fc.property(inputs, ({ secrets, parts }) => {
        const text = parts.join('').toWellFormed();
        const forms = secrets
          .filter((value) => [...value.trim()].length >= 6)
          .flatMap((value) => secretForms(value.trim()));
        const covered = new Set<number>();
        for (const form of forms)
          for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
            for (let index = at; index < at + form.length; index += 1) covered.add(index);
        const left = text
          .split('')
          .filter((_, index) => !covered.has(index))
          .join('');
        const labels = /\[redacted\]|<redacted>|\*\*\*|[\u2588-\u25a7]/g;
        expect(createRedactor(secrets).redactText(text).replace(labels, '')).toBe(left.replace(labels, ''));
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});

const VALUE = 'a-value-that-is-long-enough';

describe('secretVariables', () => {
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
  ])('includes %s', (name) => {
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
  ])('does not include %s', (name) => {
    expect(secretVariables({ [name]: VALUE })).toEqual({});
  });

  it('ignores values of fewer than eight characters', () => {
    expect(secretVariables({ A_TOKEN: '1234567', B_TOKEN: ' 1234567 ', C_TOKEN: '12345678' })).toEqual({
      C_TOKEN: '12345678',
    });
  });

  it('ignores credentials that are a path', () => {
    expect(secretVariables({ GOOGLE_APPLICATION_CREDENTIALS: '/home/me/key.json' })).toEqual({});
    expect(secretVariables({ X_CREDENTIALS: 'C:\\keys\\key.json' })).toEqual({});
  });
});

const { redactValue } = createRedactor({ KEY: 'hunter2-hunter2', PIN: '12345678' });

describe('redaction of a value', () => {
  it('replaces secrets in texts, keys and numbers, however deep', () => {
    const value = { 'hunter2-hunter2': [{ a: ['x hunter2-hunter2', 123456789, 12345678n, 5, true, null] }] };
    expect(redactValue(value)).toEqual({
      '[redacted:KEY]': [{ a: ['x [redacted:KEY]', '[redacted:PIN]9', '[redacted:PIN]', 5, true, null] }],
    });
  });

  it('returns the value itself if there are no secrets', () => {
    const value = { a: 1 };
    expect(createRedactor({}).redactValue(value)).toBe(value);
  });

  it('does not change its input', () => {
    const value = Object.freeze({ a: Object.freeze(['hunter2-hunter2']) });
    redactValue(value);
    expect(value).toEqual({ a: ['hunter2-hunter2'] });
  });

  it('keeps keys distinct that redaction would make equal', () => {
    const value = { 'hunter2-hunter2': 1, aHVudGVyMi1odW50ZXIy: 2 };
    expect(redactValue(value)).toEqual({ '[redacted:KEY]': 1, '[redacted:KEY] (2)': 2 });
  });

  it('keeps cycles and shared parts', () => {
    const shared = { text: 'hunter2-hunter2' };
    const value: Record<string, unknown> = { shared, again: shared };
    value['self'] = value;
    const copy = redactValue(value) as Record<string, unknown>;
    expect(copy['self']).toBe(copy);
    expect(copy['again']).toBe(copy['shared']);
    expect(copy['shared']).toEqual({ text: '[redacted:KEY]' });
  });

  it('handles a value nested a hundred thousand times', () => {
    let value: unknown = 'hunter2-hunter2';
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    let copy = redactValue(value);
    while (Array.isArray(copy)) copy = copy[0] as unknown;
    expect(copy).toBe('[redacted:KEY]');
  });

  it('searches errors, maps, sets, bytes and objects with toJSON', () => {
    const error = Object.assign(new Error('hunter2-hunter2', { cause: 'hunter2-hunter2' }), { code: 'E' });
    expect(redactValue(error)).toMatchObject({
      name: 'Error',
      message: '[redacted:KEY]',
      cause: '[redacted:KEY]',
      code: 'E',
    });
    expect(JSON.stringify(redactValue(error))).not.toContain('hunter2');
    expect(redactValue(new Map([['hunter2-hunter2', 1]]))).toEqual([['[redacted:KEY]', 1]]);
    expect(redactValue(new Set(['hunter2-hunter2']))).toEqual(['[redacted:KEY]']);
    expect(Buffer.from(redactValue(Buffer.from('<hunter2-hunter2>')) as Uint8Array).toString()).toBe(
      '<[redacted:KEY]>',
    );
    expect(redactValue(new URL('https://host/?k=hunter2-hunter2'))).toBe('https://host/?k=[redacted:KEY]');
    const date = new Date(0);
    expect(redactValue(date)).toBe(date);
  });

  it('never throws for hostile objects', () => {
    const trap = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('trap');
        },
      },
    );
    const value = {
      trap,
      get bad(): string {
        throw new Error('getter');
      },
      json: {
        toJSON() {
          throw new Error('toJSON');
        },
      },
    };
    expect(redactValue(value)).toEqual({ trap: '[unreadable]', bad: '[unreadable]', json: '[unreadable]' });
  });

  it('treats __proto__ as an ordinary key', () => {
    const copy = redactValue(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(Object.keys(copy as object)).toEqual(['__proto__']);
    expect((copy as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
