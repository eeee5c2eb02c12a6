/** Pads columns to their widest cell and aligns columns that hold only numbers to the right. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = headings.map((heading, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    const width = Math.max(heading.length, ...cells.map((cell) => cell.length));
    return { width, isNumeric: cells.every((cell) => /^[+–-]?[\d.,–]*( \/ [\d,]+)?$/.test(cell)) };
  });
  const line = (row: readonly string[]): string =>
    columns
      .map(({ width, isNumeric }, index) => {
        const cell = row[index] ?? '';
        return isNumeric ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [line(headings), columns.map(({ width }) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}
