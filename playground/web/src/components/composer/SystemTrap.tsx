/**
 * Does the reasoning control do anything? Not where the system message speaks of it.
 *
 * Muse's template leaves its own "Reasoning strength" line out when the system message holds that
 * phrase (or "reasoning effort", which it rewrites to it), wherever and in whatever sense.
 */
import Info from "lucide-react/icons/info";
import type { Playground } from "../../conversation/model";
import { usePlayground } from "../../usePlayground";

export function SystemTrap({ playground }: { readonly playground: Playground }) {
  const trapped = usePlayground(playground, (state) => silencesStrength(state.settings.system));
  if (!trapped) return null;
  return (
    <p className="system-trap">
      <Info aria-hidden="true" />
      Your system message speaks of reasoning strength, so the model goes by that; the Reasoning
      setting has no effect.
    </p>
  );
}

export function silencesStrength(system: string): boolean {
  return /reasoning (strength|effort)/i.test(system);
}
