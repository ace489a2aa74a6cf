/** What is a button with words on it? */
import type { ComponentPropsWithRef, ReactNode } from "react";
import "./button.css";

interface ButtonProps extends ComponentPropsWithRef<"button"> {
  /** plain: outlined; primary: the one that is meant; quiet: words alone; danger: takes away. */
  readonly tone?: "plain" | "primary" | "quiet" | "danger";
  readonly size?: "small" | "medium";
  /** Drawn before the words; purely decorative. */
  readonly icon?: ReactNode;
}

export function Button({
  tone = "plain",
  size = "medium",
  icon,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={["button", `button-${tone}`, `button-${size}`, className]
        .filter(Boolean)
        .join(" ")}
    >
      {icon}
      {children}
    </button>
  );
}
