/** What stands above everything: what this is, how it is, and what concerns the whole conversation. */
import SquarePen from "lucide-react/icons/square-pen";
import type { ReactNode } from "react";
import { IconButton } from "../../controls/IconButton";
import type { Connection } from "../../conversation/model";
import { ConnectionStatus } from "./ConnectionStatus";
import "./header.css";

interface HeaderProps {
  readonly model: string | null;
  readonly connection: Connection;
  readonly device: string | null;
  readonly newChatDisabled: boolean;
  readonly onNewChat: () => void;
  /** Menus and panels, in the order in which they are reached. */
  readonly children: ReactNode;
}

export function Header({
  model,
  connection,
  device,
  newChatDisabled,
  onNewChat,
  children,
}: HeaderProps) {
  return (
    <header className="header">
      <h1 className="header-name">{model ?? "Muse playground"}</h1>
      <ConnectionStatus connection={connection} device={device} />
      <div className="header-actions">
        <IconButton
          name="New chat"
          icon={<SquarePen />}
          aria-disabled={newChatDisabled}
          onClick={newChatDisabled ? undefined : onNewChat}
        />
        {children}
      </div>
    </header>
  );
}
