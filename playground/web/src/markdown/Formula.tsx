/**
 * How is a formula shown? As MathML, which KaTeX makes once it is loaded; until then, and where it cannot
 * be read, as its source in code. Nothing in it can load, link or style anything (`trust: false`).
 */
import { useEffect, useRef, useState } from "react";

const LONGEST = 5000;

const OPTIONS = {
  output: "mathml",
  trust: false,
  strict: "ignore",
  throwOnError: true,
  maxExpand: 200,
} as const;

/** What would set a style, which the content security policy forbids, said by attributes. */
function unstyled(): Record<string, string> {
  return { "\\pmb": "\\boldsymbol{#1}", "\\fcolorbox": "\\colorbox{#2}{#3}" };
}

interface FormulaProps {
  readonly source: string;
  readonly display: boolean;
}

export function Formula({ source, display }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [shown, setShown] = useState<string | null>(null);
  useEffect(() => {
    if (source.length > LONGEST) return;
    let wanted = true;
    import("katex")
      .then(({ default: katex }) => {
        if (!wanted || !place.current) return;
        katex.render(source, place.current, {
          ...OPTIONS,
          macros: unstyled(),
          displayMode: display,
        });
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
