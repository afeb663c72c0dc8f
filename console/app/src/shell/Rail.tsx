// The navigation rail: project, pages, user.
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown, Monitor, Moon, Search, Sun } from "lucide-react";
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from "react-aria-components";
import type { Session } from "../api/types";
import { Key } from "../keys/Key";
import { OVERLAY, useKeys } from "../keys/KeyProvider";
import { shown } from "../parts/reveal";
import { PAGES } from "../pages";
import { useTheme } from "./theme";

export function Rail(props: {
  project: string;
  session: Session;
  /** The number of runs to review and of questions to answer, as shown. */
  pending: string | undefined;
  questions: string | undefined;
}) {
  const counts: Record<string, [count: string | undefined, of: string]> = {
    "go-review": [props.pending, "pending"],
    "go-questions": [props.questions, "open"],
  };
  return (
    <nav
      aria-label="Main"
      className="flex w-48 shrink-0 flex-col gap-3 border-r border-line bg-sunken px-2 py-3 max-md:w-12"
    >
      <ProjectSwitcher project={props.project} session={props.session} />
      <ul className="flex flex-col gap-px">
        {PAGES.map((page) => {
          const Icon = page.icon;
          const [count, of] = counts[page.action] ?? [];
          return (
            <li key={page.action}>
              <Link
                to={`/p/$project${page.path}` as "/p/$project"}
                params={{ project: props.project }}
                activeOptions={{ exact: page.path === "", includeSearch: false }}
                className="group flex h-7 items-center gap-2 rounded px-2 hover:bg-raised data-[status=active]:bg-raised data-[status=active]:font-semibold"
              >
                <Icon
                  size={15}
                  aria-hidden="true"
                  className="shrink-0 text-soft group-data-[status=active]:text-accent"
                />
                <span className="flex-1 max-md:sr-only">{page.label}</span>
                {count === undefined ? null : (
                  <span className="text-xs text-soft max-md:hidden">
                    {count}
                    <span className="sr-only"> {of}</span>
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
      <div className="mt-auto flex flex-col gap-1">
        <ShellButtons />
        <p className="truncate px-2 text-xs text-soft max-md:hidden">
          {shown(props.session.member.name)},{" "}
          {props.session.projects.find((one) => one.project_id === props.project)?.role}
        </p>
      </div>
    </nav>
  );
}

function ShellButtons() {
  const { run } = useKeys();
  const theme = useTheme();
  const Icon = theme === "light" ? Sun : theme === "dark" ? Moon : Monitor;
  return (
    <>
      <Button className="btn btn-plain justify-start px-2" onPress={() => run("palette")}>
        <span className="flex-1 text-start max-md:sr-only">Actions</span>
        <span className="max-md:hidden">
          <Key name="Mod+k" />
        </span>
        <Search size={14} aria-hidden="true" className="md:hidden" />
      </Button>
      <Button className="btn btn-plain justify-start px-2 max-md:hidden" onPress={() => run("cheat-sheet")}>
        <span className="flex-1 text-start">Keys</span> <Key name="?" />
      </Button>
      <Button className="btn btn-plain justify-start px-2" onPress={() => run("theme")}>
        <span className="flex-1 text-start max-md:sr-only">Theme: {theme}</span>{" "}
        <Icon size={14} aria-hidden="true" />
      </Button>
    </>
  );
}

function ProjectSwitcher(props: { project: string; session: Session }) {
  const navigate = useNavigate();
  return (
    <Select
      aria-label="Project"
      value={props.project}
      onChange={(chosen) => void navigate({ to: "/p/$project", params: { project: String(chosen) } })}
    >
      <Button className="btn w-full justify-between max-md:px-1">
        <SelectValue className="truncate font-semibold max-md:sr-only">
          {() => shown(props.project)}
        </SelectValue>
        <ChevronsUpDown size={14} aria-hidden="true" className="shrink-0 text-soft" />
      </Button>
      <Popover {...OVERLAY} className="card min-w-48 shadow-lg">
        <ListBox className="max-h-80 overflow-y-auto p-1 outline-none" items={props.session.projects}>
          {(project) => (
            <ListBoxItem
              id={project.project_id}
              textValue={project.project_id}
              className="flex items-center justify-between gap-4 rounded px-2 py-1 outline-none data-[focused]:bg-accent-tint data-[selected]:font-semibold"
            >
              <span className="truncate">{shown(project.project_id)}</span>
              <span className="text-xs text-soft">
                {project.pending.toLocaleString()}
                {project.pending_more ? "+" : ""} pending
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
