// The navigation: project, pages, user. A rail at the side; on small screens a bar at the top with a menu.
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronsUpDown, Languages, Menu, Monitor, Moon, Search, Sun, X } from "lucide-react";
import { useState } from "react";
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue } from "react-aria-components";
import type { Session } from "../api/types";
import { Key } from "../keys/Key";
import { OVERLAY, useKeys } from "../keys/KeyProvider";
import { shown } from "../parts/reveal";
import { atLeast } from "../parts/time";
import { PAGES } from "../pages";
import { LANGUAGES, t } from "../texts";
import { languageAction, otherLanguages } from "./actions";
import { useTheme } from "./theme";

export function Rail(props: {
  project: string;
  session: Session;
  /** The number of runs to review and of questions to answer, as shown. */
  pending: string | undefined;
  questions: string | undefined;
}) {
  const { pages, rail: texts } = t.shell;
  const role = props.session.projects.find((one) => one.project_id === props.project)?.role;
  const counts: Record<string, [count: string | undefined, of: string]> = {
    "go-review": [props.pending, texts.pending],
    "go-questions": [props.questions, texts.open],
  };
  const [open, setOpen] = useState(false);
  // On small screens, the menu covers the page.
  const menu = open
    ? "max-md:absolute max-md:inset-x-0 max-md:top-full max-md:z-30 max-md:border-b max-md:border-line max-md:bg-sunken max-md:p-2 max-md:shadow-lg"
    : "max-md:hidden";
  return (
    <nav
      aria-label={texts.label}
      className="relative flex w-48 shrink-0 flex-col gap-3 border-line bg-sunken px-2 py-3 max-md:w-full max-md:flex-row max-md:items-center max-md:gap-1 max-md:border-b max-md:py-1 md:border-e"
    >
      <ProjectSwitcher {...props} />
      <TopBarButtons open={open} onMenu={() => setOpen(!open)} />
      <ul id="pages" className={`flex flex-col gap-px ${menu}`}>
        {PAGES.map((page) => {
          const Icon = page.icon;
          const [count, of] = counts[page.action] ?? [];
          return (
            <li key={page.action}>
              <Link
                to={`/p/$project${page.path}` as "/p/$project"}
                params={{ project: props.project }}
                activeOptions={{ exact: page.path === "", includeSearch: false }}
                onClick={() => setOpen(false)}
                className="group flex h-7 items-center gap-2 rounded px-2 hover:bg-raised data-[status=active]:bg-raised data-[status=active]:font-semibold max-md:h-11"
              >
                <Icon
                  size={15}
                  aria-hidden="true"
                  className="shrink-0 text-soft group-data-[status=active]:text-accent"
                />
                <span className="flex-1">{pages[page.name]}</span>
                {count === undefined ? null : (
                  <span className="text-xs text-soft">
                    {count}
                    <span className="sr-only"> {of}</span>
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
      <div className="mt-auto flex flex-col gap-1 max-md:hidden">
        <ShellButtons />
        <p className="truncate px-2 text-xs text-soft">
          {texts.member(shown(props.session.member.name), role === undefined ? null : t.shell.roles[role])}
        </p>
        <Link
          className="link px-2 text-xs"
          to="/p/$project/settings/members"
          params={{ project: props.project }}
        >
          {texts.whoSees}
        </Link>
      </div>
    </nav>
  );
}

/** The buttons of small screens. Keys, theme, language and sign-out are among the actions. */
function TopBarButtons(props: { open: boolean; onMenu: () => void }) {
  const { rail: texts } = t.shell;
  const { run } = useKeys();
  return (
    <div className="ms-auto flex md:hidden">
      <Button
        className="btn btn-plain w-10 justify-center px-0"
        aria-label={texts.searchLabel}
        onPress={() => run("palette")}
      >
        <Search size={18} aria-hidden="true" />
      </Button>
      <Button
        className="btn btn-plain w-10 justify-center px-0"
        aria-label={texts.menu}
        aria-expanded={props.open}
        aria-controls="pages"
        onPress={props.onMenu}
      >
        {props.open ? <X size={18} aria-hidden="true" /> : <Menu size={18} aria-hidden="true" />}
      </Button>
    </div>
  );
}

function ShellButtons() {
  const { run } = useKeys();
  const theme = useTheme();
  const { rail: texts } = t.shell;
  const Icon = theme === "light" ? Sun : theme === "dark" ? Moon : Monitor;
  return (
    <>
      <Button className="btn btn-plain justify-start px-2" onPress={() => run("palette")}>
        <span className="flex-1 text-start">{texts.search}</span> <Key name="Mod+k" />
      </Button>
      <Button className="btn btn-plain justify-start px-2" onPress={() => run("cheat-sheet")}>
        <span className="flex-1 text-start">{texts.keys}</span> <Key name="?" />
      </Button>
      <Button className="btn btn-plain justify-start px-2" onPress={() => run("theme")}>
        <span className="flex-1 text-start">{texts.theme[theme]}</span> <Icon size={14} aria-hidden="true" />
      </Button>
      {otherLanguages().map((code) => (
        <Button
          key={code}
          className="btn btn-plain justify-start px-2"
          onPress={() => run(languageAction(code))}
        >
          <span lang={code} className="flex-1 text-start">
            {LANGUAGES[code]}
          </span>{" "}
          <Languages size={14} aria-hidden="true" />
        </Button>
      ))}
    </>
  );
}

function ProjectSwitcher(props: { project: string; session: Session; pending: string | undefined }) {
  const navigate = useNavigate();
  const { rail: texts } = t.shell;
  return (
    <Select
      aria-label={texts.project}
      value={props.project}
      onChange={(chosen) => void navigate({ to: "/p/$project", params: { project: String(chosen) } })}
    >
      <Button className="btn w-full justify-between max-md:w-auto max-md:max-w-56">
        <SelectValue className="truncate font-semibold">{() => shown(props.project)}</SelectValue>
        <ChevronsUpDown size={14} aria-hidden="true" className="shrink-0 text-soft" />
      </Button>
      <Popover {...OVERLAY} className="card min-w-48 shadow-lg">
        <ListBox
          className="max-h-80 max-w-[calc(100vw-1rem)] overflow-y-auto p-1 outline-none"
          items={props.session.projects}
          // The rows are cached by project otherwise.
          dependencies={[props.pending]}
        >
          {(project) => (
            <ListBoxItem
              id={project.project_id}
              textValue={project.project_id}
              className="flex items-center justify-between gap-4 rounded px-2 py-1 outline-none max-md:py-2.5 data-[focused]:bg-accent-tint data-[selected]:font-semibold"
            >
              <span className="truncate">{shown(project.project_id)}</span>
              <span className="text-xs text-soft">
                {texts.pendingRuns(
                  project.project_id === props.project
                    ? (props.pending ?? "0")
                    : atLeast(project.pending, project.pending_more),
                )}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
