/**
 * Which settled pieces refer to labels that were defined after them? They have to be parsed again.
 *
 * A piece waits for each label that it may refer to and that is not defined yet. Before the text has
 * ended a piece is looked at again a few times at most, so that a text with as many definitions as
 * pieces stays linear; once it has ended, whatever is still due is due.
 */
import type { RootContent } from "mdast";
import { type Definitions, definitionsAfter, labelsIn } from "./grammar";

const LOOKS_WHILE_GROWING = 4;

/** A settled block, or an item or row of one, by its place; `source` gives its node when parsed alone. */
export interface Piece {
  readonly source: string;
  readonly block: number;
  readonly part: number | null;
}

export class Labels {
  #definitions: Definitions = new Map();
  #waiting = new Map<string, Piece[]>();
  #due = new Set<Piece>();
  #looks = new Map<Piece, number>();

  get definitions(): Definitions {
    return this.#definitions;
  }

  /** A piece is settled: it waits for the labels that are not defined yet. */
  wait(piece: Piece): void {
    for (const label of labelsIn(piece.source)) {
      if (this.#definitions.has(label)) continue;
      const others = this.#waiting.get(label);
      if (others) others.push(piece);
      else this.#waiting.set(label, [piece]);
    }
  }

  /** Settled nodes may define labels: the pieces that wait for them are due. */
  define(nodes: readonly RootContent[]): void {
    const after = definitionsAfter(this.#definitions, nodes);
    if (after === this.#definitions) return;
    this.#definitions = after;
    for (const label of [...this.#waiting.keys()].filter((label) => after.has(label))) {
      for (const piece of this.#waiting.get(label) ?? []) this.#due.add(piece);
      this.#waiting.delete(label);
    }
  }

  /** The pieces to be parsed again now. */
  takeDue(ended: boolean): Piece[] {
    const taken: Piece[] = [];
    for (const piece of this.#due) {
      const looks = this.#looks.get(piece) ?? 0;
      if (!ended && looks >= LOOKS_WHILE_GROWING) continue;
      this.#looks.set(piece, looks + 1);
      this.#due.delete(piece);
      taken.push(piece);
    }
    return taken;
  }
}
