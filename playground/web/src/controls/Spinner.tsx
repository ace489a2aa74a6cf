/** How is it shown that something is under way? By a ring that turns, and stands where motion is unwanted. */
import "./spinner.css";

export function Spinner() {
  return <span aria-hidden="true" className="spinner" />;
}
