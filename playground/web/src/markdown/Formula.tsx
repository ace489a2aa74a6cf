/**
 * How is a formula shown? As MathML, which KaTeX makes once it is loaded; until then, and where it cannot
 * be read, as its source in code. Nothing in it can load, link or style anything (`trust: false`).
 */
import { useEffect, useRef, useState } from "react";

interface FormulaProps {
  readonly source: string;
  readonly display: boolean;
}

export function Formula({ source, display }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [shown, setShown] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    import("katex")
      .then(({ default: katex }) => {
        if (!wanted || !place.current) return;
        const options = {
          output: "mathml",
          trust: false,
          throwOnError: true,
          maxExpand: 200,
        } as const;
        katex.render(source, place.current, { ...options, displayMode: display });
        setShown(source);
      })
      .catch(() => place.current?.replaceChildren()); // not TeX, or not loaded: the source says it
    return () => {
      wanted = false;
    };
  }, [source, display]);
  const isShown = shown === source;
  return (
    <span className="markdown-maths" data-display={display}>
      <span ref={place} hidden={!isShown} />
      {!isShown && <code>{source}</code>}
    </span>
  );
}
