/**
 * How is a turn begun, and ended? By one and the same button, so that the focus stays on it.
 *
 * It submits the form that it is in; what that means is the form's affair.
 */
import ArrowUp from "lucide-react/icons/arrow-up";
import Square from "lucide-react/icons/square";
import { Spinner } from "../../controls/Spinner";

interface SendButtonProps {
  readonly does: "send" | "stop" | "stopping";
  readonly disabled: boolean;
}

const LOOKS = {
  send: { name: "Send", title: "Send (Enter)", icon: <ArrowUp /> },
  stop: { name: "Stop", title: "Stop (Esc)", icon: <Square className="composer-stop" /> },
  stopping: { name: "Stopping…", title: "Stopping…", icon: <Spinner /> },
};

export function SendButton({ does, disabled }: SendButtonProps) {
  const { name, title, icon } = LOOKS[does];
  return (
    <button
      type="submit"
      className="composer-send"
      data-does={does}
      aria-label={name}
      aria-disabled={disabled}
      title={title}
      onClick={(event) => {
        if (event.detail > 1) event.preventDefault(); // the second click of two, now on Stop
      }}
    >
      {icon}
    </button>
  );
}
