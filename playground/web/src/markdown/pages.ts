/**
 * How does a long list grow without being copied whole, and without being compared whole?
 *
 * In pages of 32 that never change once they are full: growing copies the last page alone, and a view
 * that remembers by identity looks at one page, not at thousands of entries.
 */

export const PAGE = 32;

export type Pages<T> = readonly (readonly T[])[];

export function append<T>(pages: Pages<T>, entry: T): Pages<T> {
  const last = pages.at(-1);
  if (last === undefined || last.length === PAGE) return [...pages, [entry]];
  return [...pages.slice(0, -1), [...last, entry]];
}

export function count<T>(pages: Pages<T>): number {
  return pages.length === 0 ? 0 : (pages.length - 1) * PAGE + (pages.at(-1)?.length ?? 0);
}

export function at<T>(pages: Pages<T>, index: number): T | undefined {
  return pages[Math.floor(index / PAGE)]?.[index % PAGE];
}

/** The same pages with another entry at `index`; all other pages keep their identity. */
export function replaced<T>(pages: Pages<T>, index: number, entry: T): Pages<T> {
  const page = Math.floor(index / PAGE);
  return pages.map((entries, at) =>
    at === page ? entries.map((old, place) => (place === index % PAGE ? entry : old)) : entries,
  );
}
