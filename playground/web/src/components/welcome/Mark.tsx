/** What is the sign of the house? The same as in public/favicon.svg, in the theme's colours. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect className="mark-ground" width="32" height="32" rx="8" />
      <path
        className="mark-letter"
        d="M8 23V11.5a1.5 1.5 0 0 1 2.7-.9L16 17.7l5.3-7.1a1.5 1.5 0 0 1 2.7.9V23"
      />
    </svg>
  );
}
