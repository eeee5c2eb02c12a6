import { isSaid, singular, type Task } from './task.ts';

/** The kind of value that a parameter expects, as far as the parameter's name and description tell. */
export type ValueKind = 'text' | 'file' | 'date' | 'number';

/** Hands out the values of a task, each once and in order. */
export interface TaskValues {
  /** Takes the next value of a kind; `undefined` if the task has no more. */
  take(kind: ValueKind): string | number | undefined;
  /**
   * A number whose unit is this name or appears in the description: "10 business days". If the description mentions
   * negative numbers, a number that counts back is negative.
   */
  takeNumber(name: string, description: string): number | undefined;
  takeRest(kind: 'text' | 'file' | 'date'): readonly string[];
  /** How many values were not taken. Numbers do not count: many are mentioned in passing. */
  readonly left: number;
}

const HERE = ['current directory', 'this directory', 'working directory', 'current folder', 'this folder'];

export function createTaskValues(task: Task): TaskValues {
  const waiting = { text: [...task.texts], file: [...task.files], date: [...task.dates] };
  const numbers = [...task.numbers];
  let isHere = HERE.some((words) => isSaid(task, words));
  const takeAt = (index: number, canBeNegative: boolean): number | undefined => {
    const [number] = index === -1 ? [] : numbers.splice(index, 1);
    return number?.isBack === true && canBeNegative ? -number.value : number?.value;
  };
  return {
    take(kind) {
      if (kind === 'number') return takeAt(0, false);
      const value = waiting[kind].shift();
      if (value !== undefined || kind !== 'file' || !isHere) return value;
      isHere = false;
      return '.';
    },
    takeNumber(name, description) {
      const isNamed = ({ unit }: Task['numbers'][number]): boolean =>
        unit.some((word) => singular(word) === singular(name.toLowerCase())) ||
        (unit.length === 2 && description.toLowerCase().includes(unit.join(' ')));
      return takeAt(numbers.findIndex(isNamed), /\bnegative\b/i.test(description));
    },
    takeRest: (kind) => waiting[kind].splice(0),
    get left() {
      return waiting.text.length + waiting.file.length + waiting.date.length;
    },
  };
}

/** The kind of value that a parameter's name asks for. */
export function kindOfName(name: string, description = ''): ValueKind {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  const says = (...wanted: readonly string[]): boolean => wanted.some((word) => words.includes(word));
  if (/\bYYYY-MM-DD\b/.test(description) || says('date', 'day')) return 'date';
  if (says('path', 'file', 'filename', 'files', 'paths', 'dir', 'directory', 'folder')) return 'file';
  return says('number', 'count', 'limit', 'n') ? 'number' : 'text';
}
