/** How are sizes and times of the runtime written? With a unit that keeps the number short. */

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** "512 B", "86.1 MiB". */
export function bytesInWords(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let amount = bytes;
  while (amount >= 1024 && units.length > 1) {
    amount /= 1024;
    units.shift();
  }
  return `${number.format(amount)} ${units[0]}`;
}

/** "640 ms", "3.2 s". */
export function millisecondsInWords(ms: number): string {
  return ms < 1000 ? `${number.format(Math.round(ms))} ms` : `${number.format(ms / 1000)} s`;
}

export function countInWords(count: number): string {
  return number.format(count);
}
