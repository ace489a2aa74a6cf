/** How is the theme chosen? */
import Monitor from "lucide-react/icons/monitor";
import Moon from "lucide-react/icons/moon";
import Sun from "lucide-react/icons/sun";
import { useSyncExternalStore } from "react";
import { Menu } from "../controls/Menu";
import type { Choice, Theme } from "./theme";

const CHOICES: readonly { choice: Choice; label: string; icon: typeof Sun }[] = [
  { choice: "system", label: "System", icon: Monitor },
  { choice: "light", label: "Light", icon: Sun },
  { choice: "dark", label: "Dark", icon: Moon },
];

export function ThemeMenu({ theme }: { readonly theme: Theme }) {
  const chosen = useSyncExternalStore(theme.subscribe, theme.getChoice);
  const Shown = CHOICES.find(({ choice }) => choice === chosen)?.icon ?? Monitor;
  return (
    <Menu
      name="Theme"
      icon={<Shown />}
      items={CHOICES.map(({ choice, label, icon: Icon }) => ({
        label,
        icon: <Icon aria-hidden="true" />,
        checked: choice === chosen,
        onChoose: () => theme.choose(choice),
      }))}
    />
  );
}
