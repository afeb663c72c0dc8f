// The settings layout: the list of sections beside the open one; on small screens a select above it.
import { Link, Outlet, useLocation, useNavigate, useParams } from "@tanstack/react-router";
import { useScreenKeys } from "../../keys/KeyProvider";
import { Scroll } from "../../parts/Scroll";
import { t } from "../../texts";
import { neighbourOf, type Section, SECTIONS, SETTINGS_KEYS } from "./sections";

export function SettingsFrame() {
  const texts = t.settings.sections;
  const { project } = useParams({ from: "/p/$project/settings" });
  const here = useLocation({ select: (location) => location.pathname.split("/").at(-1) });
  const navigate = useNavigate();
  const open = (section: Section) =>
    void navigate({ to: `/p/$project/settings/${section}` as "/p/$project", params: { project } });
  useScreenKeys(SETTINGS_KEYS, {
    "next-section": () => open(neighbourOf(here, 1)),
    "previous-section": () => open(neighbourOf(here, -1)),
    ...Object.fromEntries(SECTIONS.map((section) => [`settings-${section.path}`, () => open(section.path)])),
  });
  return (
    <div className="flex min-h-0 flex-1 max-md:flex-col">
      <nav
        aria-label={texts.settings}
        className="w-48 shrink-0 border-e border-line px-2 py-3 max-md:w-full max-md:border-b max-md:border-e-0 max-md:px-4 max-md:py-2"
      >
        <select
          className="field md:hidden"
          aria-label={texts.section}
          value={here}
          onChange={(event) => open(event.target.value as Section)}
        >
          {SECTIONS.map((section) => (
            <option key={section.path} value={section.path}>
              {texts.names[section.path]}
            </option>
          ))}
        </select>
        <ul className="flex flex-col gap-px max-md:hidden">
          {SECTIONS.map((section) => (
            <li key={section.path}>
              <Link
                to={`/p/$project/settings/${section.path}` as "/p/$project"}
                params={{ project }}
                className="flex h-7 items-center whitespace-nowrap rounded px-2 hover:bg-sunken data-[status=active]:bg-sunken data-[status=active]:font-semibold"
              >
                {texts.names[section.path]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Scroll label={texts.content} className="flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto">
        <Outlet />
      </Scroll>
    </div>
  );
}
