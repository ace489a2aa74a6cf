/** What can be asked first? Three things that even the smallest model answers well, of three kinds. */

export interface Example {
  readonly kind: string;
  readonly prompt: string;
}

/** From what Muse Nano is trained on: bootstrap/nano/README.md. */
export const EXAMPLES: readonly Example[] = [
  {
    kind: "Work something out",
    prompt: "If 20 July is a Saturday, what day is 5 August?",
  },
  {
    kind: "Write code",
    prompt:
      "Write a Python function gcd(p, q) to find the greatest common divisor of two numbers. Use type hints.",
  },
  {
    kind: "Tell a story",
    prompt: "Tell me a story about Mila and the green lantern in three sentences.",
  },
];
