/**
 * How is one of several things done from one button? By a menu, with the keys that menus have.
 *
 * https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/: Enter, Space or arrow down opens on the
 * first (or the checked) item, arrow up on the last; arrows go round, Home and End, a letter goes
 * to the next item that begins with it; Escape closes and gives the focus back; Tab closes.
 */
import Check from "lucide-react/icons/check";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { IconButton } from "./IconButton";
import "./menu.css";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  /** There for items of which one is in force. */
  readonly checked?: boolean;
  readonly onChoose: () => void;
}

interface MenuProps {
  readonly name: string;
  readonly icon: ReactNode;
  readonly items: readonly MenuItem[];
  readonly disabled?: boolean;
}

export function Menu({ name, icon, items, disabled = false }: MenuProps) {
  const [openAt, setOpenAt] = useState<number | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const open = openAt !== null;
  const first = Math.max(
    0,
    items.findIndex((item) => item.checked),
  );

  useEffect(() => {
    if (openAt === null) return;
    itemsIn(root.current)[openAt]?.focus();
    const closeBeside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpenAt(null);
    };
    document.addEventListener("pointerdown", closeBeside);
    return () => document.removeEventListener("pointerdown", closeBeside);
  }, [openAt]);

  const close = () => {
    setOpenAt(null);
    button.current?.focus();
  };

  const onButtonKey = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    setOpenAt(event.key === "ArrowDown" ? first : items.length - 1);
  };

  const onMenuKey = (event: KeyboardEvent) => {
    if (event.key === "Tab") return setOpenAt(null);
    const nodes = itemsIn(root.current);
    const at = nodes.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") {
      event.preventDefault();
      close();
      return;
    }
    const next = nextItem(event, at, items);
    if (next === null) return;
    event.preventDefault();
    nodes[next]?.focus();
  };

  return (
    <div className="menu" ref={root}>
      <IconButton
        ref={button}
        name={name}
        icon={icon}
        disabled={disabled}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpenAt(open ? null : first)}
        onKeyDown={onButtonKey}
      />
      {open && (
        <div className="menu-list" role="menu" id={id} aria-label={name} onKeyDown={onMenuKey}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              className="menu-item"
              {...roleOf(item)}
              tabIndex={-1}
              onClick={() => {
                close();
                item.onChoose();
              }}
            >
              {item.icon}
              <span className="menu-label">{item.label}</span>
              {item.checked && <Check className="menu-check" aria-hidden="true" />}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function roleOf({ checked }: MenuItem) {
  return checked === undefined
    ? { role: "menuitem" }
    : { role: "menuitemradio", "aria-checked": checked };
}

/** Where a key goes from the item that has the focus; null where it goes nowhere. */
function nextItem(event: KeyboardEvent, at: number, items: readonly MenuItem[]): number | null {
  const count = items.length;
  switch (event.key) {
    case "ArrowDown":
      return (at + 1) % count;
    case "ArrowUp":
      return (at - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
  }
  if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return null;
  const letter = event.key.toLowerCase();
  const after = items.map((_, step) => (at + 1 + step) % count);
  return after.find((index) => items[index]?.label.toLowerCase().startsWith(letter)) ?? null;
}

function itemsIn(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
}
