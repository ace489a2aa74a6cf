/** Where does an open code fence end? At a line of its own marks, at least as many (CommonMark 4.5). */

/** The marks that open a fence at the very start of a line, or null. */
export function fenceMark(source: string): string | null {
  return /^(?:`{3,}|~{3,})/.exec(source)?.[0] ?? null;
}

/** Whether `line` ends the fence that `mark` has opened. */
export function closesFence(line: string, mark: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === mark[0] && found.length >= mark.length;
}

/** Whether `line` may yet become the end of that fence. */
export function mayCloseFence(line: string, mark: string): boolean {
  const found = /^ {0,3}(`+|~+)[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === mark[0];
}
