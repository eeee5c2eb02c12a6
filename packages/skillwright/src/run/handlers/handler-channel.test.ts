import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isNestedDeeper, readHandlerChannel, type ChannelMessage, type HandlerChannel } from './handler-channel.ts';

function openChannel(): { send(text: string): void; close(): void; reader: HandlerChannel; heard: ChannelMessage[] } {
  const stream = Object.assign(new EventEmitter(), { destroy: (): void => {} });
  const heard: ChannelMessage[] = [];
  const reader = readHandlerChannel(stream, (message) => heard.push(message));
  return {
    send: (text) => stream.emit('data', Buffer.from(text)),
    close: () => stream.emit('close'),
    reader,
    heard,
  };
}

const ANSWER = '{"id":"a","ok":true,"value":1}\n';

describe('readHandlerChannel', () => {
  it('returns the expected answer, however it is split into chunks', () => {
    const { send, reader, heard } = openChannel();
    reader.expect('a', 100);
    for (const character of `{"id":"a","begun":true}\n${ANSWER}`) send(character);
    expect(heard).toEqual([{ type: 'begun' }, { type: 'answer', answer: { ok: true, value: 1 }, spent: false }]);
  });

  it('returns failures with their message and stack', () => {
    const { send, reader, heard } = openChannel();
    reader.expect('a', 1);
    send('{"id":"a","ok":false,"kind":"thrown","message":"m","stack":"s","spent":true}\n');
    const answer = { ok: false, kind: 'thrown', message: 'm', stack: 's' };
    expect(heard).toEqual([{ type: 'answer', answer, spent: true }]);
  });

  it.each([
    ['text', 'text\n'],
    ['null', 'null\n'],
    ['another id', ANSWER.replace('"a"', '"b"')],
    ['no id', '{"ok":true,"value":1}\n'],
    ['no value', '{"id":"a","ok":true}\n'],
    ['an unknown failure', '{"id":"a","ok":false,"kind":"other","message":"m"}\n'],
    ['a failure without a message', '{"id":"a","ok":false,"kind":"thrown"}\n'],
    ['an empty line', '\n'],
  ])('treats %s as garbled, and ignores everything after it', (_what, text) => {
    const { send, close, reader, heard } = openChannel();
    reader.expect('a', 100);
    send(text + ANSWER);
    send(ANSWER);
    close();
    expect(heard).toEqual([{ type: 'garbled' }]);
  });

  it('treats an unexpected answer as garbled', () => {
    const { send, reader, heard } = openChannel();
    reader.expect('a', 100);
    send(`${ANSWER}x`);
    expect(heard.map(({ type }) => type)).toEqual(['answer', 'garbled']);
  });

  it('stops at a message that is too large, complete or not', () => {
    for (const text of [JSON.stringify({ id: 'a', ok: true, value: 'x'.repeat(1_000) }) + '\n', 'x'.repeat(70_000)]) {
      const { send, reader, heard } = openChannel();
      reader.expect('a', 100);
      send(text);
      expect(heard).toEqual([{ type: 'too-large' }]);
    }
  });

  it('reports exactly once that the channel closed', () => {
    const { close, heard } = openChannel();
    close();
    close();
    expect(heard).toEqual([{ type: 'closed' }]);
  });

  it('rejects a value that is nested too deeply', () => {
    const { send, reader, heard } = openChannel();
    reader.expect('a', 100_000);
    send(`{"id":"a","ok":true,"value":${'['.repeat(501)}${']'.repeat(501)}}\n`);
    expect(heard).toMatchObject([{ type: 'answer', answer: { ok: false, kind: 'result' } }]);
  });
});

describe('the depth of JSON text', () => {
  it('counts only brackets outside strings', () => {
    expect(isNestedDeeper('[[[]]]', 2)).toBe(true);
    expect(isNestedDeeper('[[[]]]', 3)).toBe(false);
    expect(isNestedDeeper('[[],[],{"a":[]}]', 3)).toBe(false);
    expect(isNestedDeeper(String.raw`["[[[[\"[[[\\", "]]"]`, 1)).toBe(false);
    expect(isNestedDeeper(String.raw`["\\", [[]]]`, 2)).toBe(true);
  });
});
