import { describe, expect, it } from 'vitest';
import { GATEWAY_ERROR_DATA } from '../../../packages/gateway/src/spec/error-data.ts';
import { DIAGNOSTIC_DATA } from '../../../packages/skillwright/src/spec/diagnostics/diagnostic-data.ts';
import { ERROR_DATA, type ErrorEntry } from '../../../packages/skillwright/src/spec/errors/error-data.ts';
import { renderDiagnosticsPage, renderErrorsPage, renderGatewayErrorsPage } from '../../../scripts/error-pages.ts';
import { readBehaviour, readText } from '../structure/source-files.ts';

const errors: Readonly<Record<string, ErrorEntry>> = ERROR_DATA;
const gatewayErrors = Object.keys(GATEWAY_ERROR_DATA);
/** A mention in the tables does not count as a use of a code. */
const sources = readBehaviour().filter(({ path }) => !/\/spec\/[\w-]*(?:-data|-diagnostics)\.ts$/.test(path));

function isUsed(code: string): boolean {
  return sources.some(({ text }) => text.includes(`'${code}'`));
}

describe('the reference of errors', () => {
  it('matches the output of `npm run docs:errors`', () => {
    expect(readText('docs/reference/errors.md')).toBe(renderErrorsPage());
    expect(readText('docs/reference/gateway-errors.md')).toBe(renderGatewayErrorsPage());
    expect(readText('docs/reference/diagnostics.md')).toBe(renderDiagnosticsPage());
  });

  it('has every error code', () => {
    const page = readText('docs/reference/errors.md');
    expect(Object.keys(errors).filter((code) => !page.includes(`\n## ${code}\n`))).toEqual([]);
  });

  it('has every diagnostic', () => {
    const page = readText('docs/reference/diagnostics.md');
    expect(Object.keys(DIAGNOSTIC_DATA).filter((code) => !page.includes(`\n| \`${code}\` |`))).toEqual([]);
  });
});

describe('every code', () => {
  it('is used if it belongs to an error', () => {
    expect([...Object.keys(errors), ...gatewayErrors].filter((code) => !isUsed(code))).toEqual([]);
  });

  it('is used if it belongs to a diagnostic', () => {
    expect(Object.keys(DIAGNOSTIC_DATA).filter((code) => !isUsed(code))).toEqual([]);
  });

  it('belongs to one package if it is an error, unless both mean the same refusal', () => {
    const shared = gatewayErrors.filter((code) => code in errors);
    expect(shared).toEqual(['SkillBlocked']);
    const gatewayData: Readonly<Record<string, { readonly title: string }>> = GATEWAY_ERROR_DATA;
    for (const code of shared) expect(gatewayData[code]?.title).toBe(errors[code]?.title);
  });

  it('is PascalCase for errors and kebab-case for diagnostics', () => {
    expect([...Object.keys(errors), ...gatewayErrors].filter((code) => !/^(?:[A-Z][a-z]+)+$/.test(code))).toEqual([]);
    expect(Object.keys(DIAGNOSTIC_DATA).filter((code) => !/^[a-z]+(?:-[a-z]+)+$/.test(code))).toEqual([]);
  });
});

describe('every thrown error', () => {
  const created = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/new (\w*Error)\(\s*(?:'([^']*)'|(\w+))/g)].map(([, name = '', code]) => ({ path, name, code })),
  );
  const own = new Set(Object.values(errors).map(({ thrownAs }) => thrownAs as string));

  it('in the gateway has a code of the gateway', () => {
    const ofGateway = created.filter(({ name, code }) => name === 'GatewayError' && code !== undefined);
    expect(ofGateway.length).toBeGreaterThan(5);
    expect(
      ofGateway.filter(({ path, code = '' }) => !path.startsWith('packages/gateway/') || !gatewayErrors.includes(code)),
    ).toEqual([]);
  });

  it('is one of our classes, except messages of a surface to its own user', () => {
    const inLibrary = created.filter(({ path }) => !path.includes('/src/surfaces/'));
    expect(inLibrary.filter(({ name }) => !own.has(name) && !['ErrorClass', 'GatewayError'].includes(name))).toEqual(
      [],
    );
  });

  it('has a code of the table, in the class that the table names', () => {
    const coded = created.filter(({ name, code }) => own.has(name) && code !== undefined);
    expect(coded.length).toBeGreaterThan(5);
    expect(coded.filter(({ name, code = '' }) => errors[code]?.thrownAs !== name)).toEqual([]);
  });
});
