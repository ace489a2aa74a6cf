/** How does the page stand with the server, in a dot and a word? */

import { useEffect, useRef } from "react";
import { Spinner } from "../../controls/Spinner";
import type { Connection } from "../../conversation/model";
import { useAnnounce } from "../../status/announcer";

const CONNECTION_WORDS: Readonly<Record<Connection["kind"], string>> = {
  connecting: "Connecting…",
  loading: "Loading model…",
  ready: "Ready",
  offline: "Offline",
  "engine-gone": "Engine gone",
};

interface ConnectionStatusProps {
  readonly connection: Connection;
  readonly device: string | null;
}

export function ConnectionStatus({ connection, device }: ConnectionStatusProps) {
  const announce = useAnnounce();
  const told = useRef(connection.kind);
  useEffect(() => {
    if (told.current !== connection.kind) announce(CONNECTION_WORDS[connection.kind]);
    told.current = connection.kind;
  }, [connection.kind, announce]);

  const waiting = connection.kind === "connecting" || connection.kind === "loading";
  return (
    <p className="connection-status" data-kind={connection.kind}>
      {waiting ? <Spinner /> : <span aria-hidden="true" className="connection-status-dot" />}
      <span className="connection-status-words">{CONNECTION_WORDS[connection.kind]}</span>
      {device !== null && connection.kind === "ready" && (
        <span className="connection-status-device" title={device}>
          {device}
        </span>
      )}
    </p>
  );
}
