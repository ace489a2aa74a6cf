/** What is drawn where drawing fails? Something else, in that place alone. */
import { Component, type ReactNode } from "react";

interface GuardProps {
  readonly children: ReactNode;
  readonly instead: ReactNode;
}

export class Guard extends Component<GuardProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
