/** What is a button with a picture on it? Its name is read aloud, and shown where a pointer rests. */
import type { ComponentPropsWithRef, ReactNode } from "react";
import "./button.css";

interface IconButtonProps extends Omit<ComponentPropsWithRef<"button">, "aria-label" | "children"> {
  readonly name: string;
  readonly icon: ReactNode;
  readonly size?: "small" | "medium";
}

export function IconButton({ name, icon, size = "medium", className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={name}
      {...rest}
      aria-label={name}
      className={["icon-button", `icon-button-${size}`, className].filter(Boolean).join(" ")}
    >
      {icon}
    </button>
  );
}
