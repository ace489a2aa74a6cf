/**
 * What does axe find in a part of the page?
 *
 * Contrast is left to the browser's tests, since jsdom computes no colours, and so is the rule that
 * everything lies in a landmark, since a part has none.
 */
import axe from "axe-core";

/** One line for each finding: its rule, and what it was found on. */
export async function findingsOf(element: Element): Promise<readonly string[]> {
  const { violations } = await axe.run(element, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}
