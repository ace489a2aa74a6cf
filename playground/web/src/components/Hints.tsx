/** What should one know before the next message, though nothing is wrong? */
import Info from "lucide-react/icons/info";
import type { Playground } from "../conversation/model";
import { usePlayground } from "../usePlayground";

export function Hints({ playground }: { readonly playground: Playground }) {
  const silenced = usePlayground(playground, (state) => silencesStrength(state.settings.system));
  const anonymous = usePlayground(playground, (state) => state.anonymous);
  return (
    <>
      {anonymous && (
        <p className="hint">
          <Info aria-hidden="true" />
          Without warm resume: each turn reads the whole conversation again, until a new chat.
        </p>
      )}
      {silenced && (
        <p className="hint">
          <Info aria-hidden="true" />
          Your system message speaks of reasoning strength, so the model goes by that; the Reasoning
          setting has no effect.
        </p>
      )}
    </>
  );
}

/**
 * Whether the reasoning control does nothing. Muse's template leaves its own "Reasoning strength"
 * line out where the system message holds that phrase (or "reasoning effort", which it rewrites
 * to it), in whatever sense.
 */
export function silencesStrength(system: string): boolean {
  return /reasoning (strength|effort)/i.test(system);
}
