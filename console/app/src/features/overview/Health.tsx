// Findings of the loop health checks, each with advice.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleHelp, type LucideIcon, TriangleAlert } from "lucide-react";
import { errorMessage } from "../../api/errors";
import { healthQuery } from "../../api/queries";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { t, type Texts } from "../../texts";

type Check = Schemas["HealthCheck"];
type Level = Schemas["HealthLevel"];
type Place = { to: string; search?: Record<string, string> };
type KnownCheck = keyof Texts["overview"]["health"]["checks"];

const STYLES: Record<Level, { tone: string; Icon: LucideIcon }> = {
  failing: { tone: "text-fail", Icon: CircleAlert },
  warning: { tone: "text-warn", Icon: TriangleAlert },
  ok: { tone: "text-pass", Icon: CircleCheck },
  unknown: { tone: "text-soft", Icon: CircleHelp },
};

/** Where the user can act on a finding. */
const PLACES: Record<KnownCheck, Place & { also?: Place }> = {
  nobody_reviews: { to: "/review", also: { to: "/settings/judge" } },
  credit_lost: { to: "/traces" },
  always_empty: { to: "/retrieve" },
  flat_utilities: { to: "/learning" },
  reflection_failing: { to: "/traces", search: { q: "learning:failed" } },
  vague_feedback: { to: "/review" },
  judge_unreliable: { to: "/settings/judge" },
  duplicates: { to: "/memories" },
  open_questions: { to: "/questions" },
  use_unreliable: { to: "/settings/lessons" },
  grouping_unfinished: { to: "/settings/lessons" },
  one_memory_everywhere: { to: "/memories", search: { sort: "evidence" } },
  keys_expiring: { to: "/settings/keys" },
};

/** The advice for a finding and the links to follow. Undefined for checks that only a newer server knows. */
function remedyOf(check: string): { advice?: string; links: (Place & { label: string })[] } | undefined {
  if (!Object.hasOwn(PLACES, check)) return undefined;
  const place = PLACES[check as KnownCheck];
  const texts: { open: string; advice?: string; also?: string } =
    t.overview.health.checks[check as KnownCheck];
  const links = [{ ...place, label: texts.open }];
  if (place.also !== undefined && texts.also !== undefined) links.push({ ...place.also, label: texts.also });
  return { advice: texts.advice, links };
}

export function Health(props: { project: string }) {
  const { data, error } = useQuery(healthQuery(props.project));
  const checks = data?.checks ?? [];
  const bad = checks.filter((check) => check.level === "failing" || check.level === "warning");
  const rest = checks.filter((check) => !bad.includes(check));
  return (
    <section aria-labelledby="health" className="flex flex-col">
      <h2 id="health" className="section-title">
        {t.overview.health.title}
      </h2>
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {data !== undefined && bad.length === 0 ? (
        <p className="pt-1 text-soft">{t.overview.health.noProblems}</p>
      ) : null}
      <ul>
        {bad.map((check) => (
          <Finding key={check.check} project={props.project} check={check} />
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <details className="pt-1">
          <summary className="text-sm text-soft">{summarizeRest(rest)}</summary>
          <ul>
            {rest.map((check) => (
              <Finding key={check.check} project={props.project} check={check} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function summarizeRest(rest: readonly Check[]): string {
  const ok = rest.filter((check) => check.level === "ok").length;
  return t.overview.health.rest(ok, rest.length - ok);
}

function Finding(props: { project: string; check: Check }) {
  const { check } = props;
  const { tone, Icon } = STYLES[check.level];
  const remedy = check.level === "failing" || check.level === "warning" ? remedyOf(check.check) : undefined;
  return (
    <li className="flex gap-2 border-b border-line py-2">
      <Icon size={15} aria-hidden="true" className={`mt-0.5 shrink-0 ${tone}`} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="break-words">
          <strong className={tone}>{t.overview.health.levels[check.level]}</strong> {shown(check.message)}
        </p>
        {remedy?.advice === undefined ? null : <p className="text-sm text-soft">{remedy.advice}</p>}
        {check.fix == null ? null : remedy?.advice === undefined ? (
          <p className="text-sm text-soft">{shown(check.fix)}</p>
        ) : (
          <details className="text-sm text-soft">
            <summary>{t.overview.health.forDevelopers}</summary>
            <p>{shown(check.fix)}</p>
          </details>
        )}
        {remedy === undefined ? null : (
          <p className="flex flex-wrap gap-2">
            {remedy.links.map((link) => (
              <PlaceLink key={link.to} project={props.project} place={link} label={link.label} />
            ))}
          </p>
        )}
      </div>
    </li>
  );
}

function PlaceLink(props: { project: string; place: Place; label: string }) {
  const { place } = props;
  return (
    <Link
      className="btn btn-small"
      to={`/p/$project${place.to}` as "/p/$project"}
      params={{ project: props.project }}
      search={(place.search ?? {}) as never}
    >
      {props.label}
    </Link>
  );
}
