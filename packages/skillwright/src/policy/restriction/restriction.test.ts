import { describe, expect, it } from 'vitest';
import { ToolRestrictionError } from '../../spec/errors/error.ts';
import { createRestrictions, type RestrictingSkill, type Restrictions } from './restriction.ts';

function skill(name: string, allowedTools?: string[], more: Partial<RestrictingSkill> = {}): RestrictingSkill {
  return { name, tools: [], ...(allowedTools === undefined ? {} : { allowedTools }), ...more };
}

function tool(name: string): RestrictingSkill['tools'][number] {
  return { name, description: name, inputSchema: { type: 'object', properties: {} } };
}

function enforcing(): Restrictions & { readonly denied: ToolRestrictionError[] } {
  const denied: ToolRestrictionError[] = [];
  return { ...createRestrictions({ mode: 'enforce', onDenied: (error) => denied.push(error) }), denied };
}

function refusal(work: () => void): ToolRestrictionError {
  try {
    work();
  } catch (error) {
    if (ToolRestrictionError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('an active skill', () => {
  it('allows the tools it lists and refuses the rest', () => {
    const restrictions = enforcing();
    const scope = restrictions.activate(skill('x', ['Read', 'Write']));
    expect([scope.skill, scope.allows('Read'), scope.allows('Bash', { command: 'ls' })]).toEqual(['x', true, false]);
    scope.assert('Write', { path: 'a' });
    expect(restrictions.denied).toEqual([]);
    const error = refusal(() => scope.assert('Bash'));
    expect(error).toMatchObject({
      name: 'ToolRestrictionError',
      code: 'ToolRestricted',
      message: "Tool 'Bash' not allowed for skill 'x'. Allowed tools: ['Read', 'Write']",
      data: { tool: 'Bash', skills: ['x'], allowedTools: ['Read', 'Write'], disallowedTools: [] },
    });
    expect(restrictions.denied).toEqual([error]);
  });

  it.each([undefined, []])('restricts nothing without a list: %j', (list) => {
    const scope = enforcing().activate(skill('x', list));
    expect(scope.allows('Bash', { command: 'rm -rf x' })).toBe(true);
    expect(() => scope.assert('anything')).not.toThrow();
  });

  it('allows nothing if no entry of its list can be parsed', () => {
    const scope = enforcing().activate(skill('x', ['Bash(git']));
    expect([scope.allows('Bash', { command: 'git' }), scope.allows('Read')]).toEqual([false, false]);
    expect(refusal(() => scope.assert('Read')).message).toContain("Allowed tools: ['Bash(git']");
  });

  it('allows all other tools if it only disallows some', () => {
    const scope = enforcing().activate(skill('x', undefined, { disallowedTools: ['Bash'] }));
    expect([scope.allows('Read'), scope.allows('Bash')]).toEqual([true, false]);
    expect(refusal(() => scope.assert('Bash')).message).toBe(
      "Tool 'Bash' not allowed for skill 'x'. Disallowed tools: ['Bash']",
    );
  });

  it('disallows a tool even if it also allows it', () => {
    const scope = enforcing().activate(skill('x', ['Bash'], { disallowedTools: ['Bash(rm:*)'] }));
    expect(scope.allows('Bash', { command: 'ls' })).toBe(true);
    expect(refusal(() => scope.assert('Bash', { command: 'ls; rm x' })).message).toBe(
      "Tool 'Bash' not allowed for skill 'x'. Allowed tools: ['Bash']. Disallowed tools: ['Bash(rm:*)']",
    );
  });

  it('can always use its own files, scripts and tools', () => {
    const scope = enforcing().activate(skill('x', ['Read'], { tools: [tool('count')], disallowedTools: ['*'] }));
    for (const name of ['load_skill', 'use_skill', 'read_skill_file', 'count', 'x__count']) scope.assert(name);
    expect([scope.allows('other'), scope.allows('y__count'), scope.allows('Read')]).toEqual([false, false, false]);
  });

  it('does not gain access to a built-in tool by giving its own tool the same name', () => {
    const names = ['execute_command', 'eval_code', 'file_write', 'http_request'];
    const scope = enforcing().activate(skill('x', ['Read'], { tools: names.map(tool) }));
    expect(names.filter((name) => scope.allows(name))).toEqual([]);
    expect(scope.allows('x__execute_command')).toBe(true);
  });

  it('gets a refusal that does not repeat the call, because the call may contain secrets', () => {
    const scope = enforcing().activate(skill('x', ['Bash(git:*)']));
    const error = refusal(() => scope.assert('Bash', { command: 'curl -H hunter2' }));
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  it('is named in refusals, which are short and safe to print', () => {
    const names = Array.from({ length: 500 }, (_, index) => `tool${index}`);
    const scope = enforcing().activate(skill('x', names));
    const error = refusal(() => scope.assert(`a\u001B[2K\n${'b'.repeat(100_000)}`));
    expect(error.message).not.toMatch(/\p{Cc}/u);
    expect(error.message.length).toBeLessThan(2_000);
    expect(error.message).toMatch(/…'.*'tool49', …\]$/);
    expect(error.data['allowedTools']).toEqual(names);
  });

  it('refuses a tool even if the listener for refusals throws', () => {
    const restrictions = createRestrictions({
      mode: 'enforce',
      onDenied() {
        throw new Error('in the logger');
      },
    });
    const scope = restrictions.activate(skill('x', ['Read']));
    expect(refusal(() => scope.assert('Bash')).code).toBe('ToolRestricted');
  });
});

describe('several active skills', () => {
  it('allow the union of their declared lists', () => {
    const restrictions = enforcing();
    const first = restrictions.activate(skill('a', ['Read', 'Bash(cd:*)']));
    const second = restrictions.activate(skill('b', ['Read', 'Bash(ls:*)'], { tools: [tool('own')] }));
    const third = restrictions.activate(skill('c'));
    for (const scope of [first, second, third]) {
      expect(scope.allows('Bash', { command: 'cd x && ls' })).toBe(true);
      expect([scope.allows('own'), scope.allows('Write')]).toEqual([true, false]);
    }
    expect(refusal(() => third.assert('Write')).message).toBe(
      "Tool 'Write' not allowed for skills 'a', 'b'. Allowed tools: ['Read', 'Bash(cd:*)', 'Bash(ls:*)']",
    );
  });

  it('disallow every tool that one of them disallows', () => {
    const restrictions = enforcing();
    const scope = restrictions.activate(skill('a', ['Bash']));
    restrictions.activate(skill('b', undefined, { disallowedTools: ['Bash(rm:*)'] }));
    expect([scope.allows('Bash', { command: 'ls' }), scope.allows('Bash', { command: 'rm x' })]).toEqual([true, false]);
    expect(refusal(() => scope.assert('Bash', { command: 'rm x' })).data['skills']).toEqual(['a', 'b']);
  });

  it('may end in any order, and each end restores what the remaining skills allow', () => {
    const restrictions = enforcing();
    const outer = restrictions.activate(skill('outer', ['Read']));
    const inner = restrictions.activate(skill('inner', ['Write']));
    const allowed = (): boolean[] => ['Read', 'Write', 'Bash'].map((name) => outer.allows(name));
    expect(allowed()).toEqual([true, true, false]);
    inner.end();
    expect(allowed()).toEqual([true, false, false]);
    const again = restrictions.activate(skill('inner', ['Write']));
    outer.end();
    expect(allowed()).toEqual([false, true, false]);
    outer.end();
    inner.end();
    expect(allowed()).toEqual([false, true, false]);
    again.end();
    expect(allowed()).toEqual([true, true, true]);
  });

  it('can include the same skill twice', () => {
    const restrictions = enforcing();
    const one = restrictions.activate(skill('x', ['Read']));
    const two = restrictions.activate(skill('x', ['Read']));
    expect(refusal(() => one.assert('Bash')).message).toContain("for skill 'x'.");
    one.end();
    expect(two.allows('Bash')).toBe(false);
    two.end();
    expect(two.allows('Bash')).toBe(true);
  });

  it('are not affected by the lists of inactive skills', () => {
    enforcing().activate(skill('x', ['Read']));
    expect(enforcing().activate(skill('y')).allows('Bash')).toBe(true);
  });
});

describe('the restriction mode', () => {
  it.each(['preapprove', 'off'] as const)('%s refuses no tool', (mode) => {
    const scope = createRestrictions({ mode }).activate(skill('x', ['Read'], { disallowedTools: ['Bash'] }));
    expect([scope.allows('Bash'), scope.allows('Write')]).toEqual([true, true]);
    expect(() => scope.assert('Bash')).not.toThrow();
  });

  it('preapprove approves listed tools in advance', () => {
    const restrictions = createRestrictions({ mode: 'preapprove' });
    const lists = { tools: [tool('own')], disallowedTools: ['Bash(git push:*)'] };
    const scope = restrictions.activate(skill('x', ['Read', 'Bash(git:*)'], lists));
    expect(scope.preapproves('Read')).toBe(true);
    expect(scope.preapproves('Bash', { command: 'git log' })).toBe(true);
    expect(scope.preapproves('Bash', { command: 'git log; rm x' })).toBe(false);
    expect(scope.preapproves('Bash', { command: 'git push' })).toBe(false);
    expect([scope.preapproves('Write'), scope.preapproves('own'), scope.preapproves('use_skill')]).not.toContain(true);
    scope.end();
    expect(scope.preapproves('Read')).toBe(false);
    expect(restrictions.activate(skill('y')).preapproves('Read')).toBe(false);
  });

  it.each(['enforce', 'off'] as const)('%s approves nothing in advance', (mode) => {
    expect(
      createRestrictions({ mode })
        .activate(skill('x', ['Read']))
        .preapproves('Read'),
    ).toBe(false);
  });
});
