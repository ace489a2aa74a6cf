/**
 * Which runs of muse-bench are there to read?
 *
 * They are listed as the server gives them, newest first, and open in a tab of their own. Nothing
 * is started from here: a measurement next to the page would measure the page.
 */
import CircleCheck from "lucide-react/icons/circle-check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import CircleQuestionMark from "lucide-react/icons/circle-question-mark";
import CircleX from "lucide-react/icons/circle-x";
import ExternalLink from "lucide-react/icons/external-link";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { useCallback, useEffect, useRef, useState } from "react";
import { Button } from "../controls/Button";
import type { Api } from "../protocol/api";
import type { ReportEntry, ReportList } from "../protocol/types";

type Listing =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "listed"; readonly list: ReportList };

interface BenchmarksPanelProps {
  readonly reports: Api["reports"];
}

export function BenchmarksPanel({ reports }: BenchmarksPanelProps) {
  const [listing, reload] = useListing(reports);
  return (
    <>
      <Listed listing={listing} />
      <Button icon={<RefreshCw />} onClick={reload}>
        Reload
      </Button>
    </>
  );
}

/** What was listed last; an answer to an older question is dropped. */
function useListing(reports: Api["reports"]): readonly [Listing, () => void] {
  const [listing, setListing] = useState<Listing>({ kind: "loading" });
  const asked = useRef(0);
  const reload = useCallback(() => {
    asked.current += 1;
    const mine = asked.current;
    const settle = (next: Listing) => {
      if (mine === asked.current) setListing(next);
    };
    setListing((shown) => (shown.kind === "listed" ? shown : { kind: "loading" }));
    reports().then(
      (list) => settle({ kind: "listed", list }),
      (thrown: unknown) =>
        settle({
          kind: "failed",
          message: thrown instanceof Error ? thrown.message : String(thrown),
        }),
    );
  }, [reports]);

  useEffect(() => {
    reload();
    return () => {
      asked.current += 1;
    };
  }, [reload]);
  return [listing, reload];
}

function Listed({ listing }: { readonly listing: Listing }) {
  switch (listing.kind) {
    case "loading":
      return (
        <p className="panel-note" key="loading">
          Reading the list…
        </p>
      );
    case "failed":
      return (
        <p className="panel-error" role="alert" key="failed">
          The list could not be read. {listing.message}
        </p>
      );
    case "listed":
      return listing.list.reports.length > 0 ? (
        <ul className="reports">
          {listing.list.reports.map((entry) => (
            <ReportLine key={entry.name} entry={entry} />
          ))}
        </ul>
      ) : (
        <NoReports directory={listing.list.directory} />
      );
  }
}

function ReportLine({ entry }: { readonly entry: ReportEntry }) {
  return (
    <li className="report">
      <a
        className="report-link"
        href={`/reports/${encodeURIComponent(entry.name)}/report.html`}
        target="_blank"
        rel="noopener"
      >
        {entry.scenario ?? entry.name}
        <ExternalLink aria-hidden="true" />
        <span className="visually-hidden"> (opens in a new tab)</span>
      </a>
      <p className="report-facts">
        <VerdictMark verdict={entry.verdict} />
        {entry.finished && <Finished at={entry.finished} />}
      </p>
      {entry.headline && <p className="report-headline">{entry.headline}</p>}
    </li>
  );
}

const MARKS = {
  pass: { icon: CircleCheck, says: "Passed" },
  fail: { icon: CircleX, says: "Failed" },
  skip: { icon: CircleDashed, says: "Skipped" },
  inconclusive: { icon: CircleQuestionMark, says: "Inconclusive" },
} as const;

function VerdictMark({ verdict }: { readonly verdict: string | null }) {
  const known = Object.hasOwn(MARKS, verdict ?? "") ? (verdict as keyof typeof MARKS) : null;
  const { icon: Icon, says } = known
    ? MARKS[known]
    : { icon: CircleQuestionMark, says: verdict ?? "No verdict" };
  return (
    <span className="verdict" data-verdict={known ?? "unknown"}>
      <Icon aria-hidden="true" />
      {says}
    </span>
  );
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** In the reader's own time; as it was written, where that is no date. */
function Finished({ at }: { readonly at: string }) {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? (
    <span>{at}</span>
  ) : (
    <time dateTime={at}>{moment.format(date)}</time>
  );
}

function NoReports({ directory }: { readonly directory: string | null }) {
  const command = `muse-bench run --scenario warm-resume --target ${globalThis.location.origin}`;
  if (directory === null) {
    return (
      <div className="panel-empty">
        <p>No folder of reports was given. Start the server with one:</p>
        <pre className="panel-command">muse-playground --reports reports/runs</pre>
        <p>The finished runs in it are listed here. This command makes one there:</p>
        <pre className="panel-command">{command}</pre>
      </div>
    );
  }
  return (
    <div className="panel-empty">
      <p>
        There is no finished run in <code>{directory}</code>. This command makes one:
      </p>
      <pre className="panel-command">
        {command} --out {directory}/warm-resume
      </pre>
    </div>
  );
}
