// The command palette: finds actions with their keys, runs, lessons and projects.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import {
  Autocomplete,
  Collection,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  SearchField,
  Text,
  useFilter,
} from "react-aria-components";
import { errorMessage } from "../api/errors";
import { sessionQuery } from "../api/queries";
import { useKeys } from "../keys/KeyProvider";
import { keyLabel } from "../keys/labels";
import { shown } from "../parts/reveal";
import { Scroll } from "../parts/Scroll";
import { t } from "../texts";
import { screenFirst } from "./actions";
import { Overlay } from "./Overlay";
import { type Found, usePaletteSearch } from "./palette-search";

const HIDDEN = new Set(["palette", "submit", "cancel"]);
/** The first part of the ids of items that are not actions. The server has filtered runs and lessons already. */
const RUN = "run ";
const LESSON = "lesson ";
const PROJECT = "project ";

export function Palette(props: { onClose: () => void }) {
  const { palette: texts } = t.shell;
  const { project = "" } = useParams({ strict: false });
  const { actions } = useKeys();
  const { contains } = useFilter({ sensitivity: "base" });
  const [text, setText] = useState("");
  const found = usePaletteSearch(project, text);
  const choose = useChoice(project, props.onClose);
  const projects = useSuspenseQuery(sessionQuery).data.projects.filter((one) => one.project_id !== project);
  const listed = screenFirst(actions).filter((spec) => !HIDDEN.has(spec.action));
  return (
    <Overlay label={texts.label} onClose={props.onClose}>
      <Autocomplete
        inputValue={text}
        onInputChange={setText}
        filter={(item, wanted, node) =>
          [RUN, LESSON].some((start) => String(node.key).startsWith(start)) || contains(item, wanted)
        }
      >
        <SearchField
          // The user opened the dialog to type.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          aria-label={texts.placeholder}
          className="border-b border-line p-2"
        >
          <Input
            placeholder={texts.placeholder}
            className="w-full bg-transparent px-1 py-1 outline-none max-md:min-h-10"
          />
        </SearchField>
        {found.error === null ? null : (
          <p role="alert" className="px-3 pt-2 text-sm text-fail">
            {texts.failed(errorMessage(found.error))}
          </p>
        )}
        <Scroll label={texts.results} className="min-h-0 overflow-y-auto p-1">
          <Menu
            aria-label={texts.results}
            onAction={(id) => choose(String(id))}
            renderEmptyState={() => <p className="p-3 text-soft">{texts.noMatch}</p>}
            className="outline-none"
          >
            <Section title={texts.actions}>
              <Collection items={listed}>
                {(spec) => (
                  <Item id={spec.action} text={texts.action(spec.group, spec.label)} label={spec.label}>
                    <span className="text-xs text-soft">{spec.group}</span>
                    <span className="flex w-20 justify-end max-md:hidden">
                      {spec.keys[0] === undefined ? null : (
                        <kbd className="kbd">{keyLabel(spec.keys[0])}</kbd>
                      )}
                    </span>
                  </Item>
                )}
              </Collection>
            </Section>
            <FoundSection title={texts.lessons} start={LESSON} rows={found.lessons} />
            <FoundSection title={texts.runs} start={RUN} rows={found.runs} />
            <FoundSection
              title={texts.projects}
              start={PROJECT}
              rows={projects.map((one) => ({ id: one.project_id, text: shown(one.project_id) }))}
            />
          </Menu>
        </Scroll>
      </Autocomplete>
    </Overlay>
  );
}

function useChoice(project: string, onClose: () => void) {
  const { run } = useKeys();
  const navigate = useNavigate();
  return (id: string) => {
    onClose();
    // After the dialog is closed: an action must see the page without the dialog.
    requestAnimationFrame(() => {
      if (id.startsWith(RUN)) {
        const trace = id.slice(RUN.length);
        void navigate({ to: "/p/$project/traces/$trace", params: { project, trace } });
      } else if (id.startsWith(LESSON)) {
        const lesson = id.slice(LESSON.length);
        void navigate({ to: "/p/$project/lessons/$lesson", params: { project, lesson } });
      } else if (id.startsWith(PROJECT)) {
        void navigate({ to: "/p/$project", params: { project: id.slice(PROJECT.length) } });
      } else run(id);
    });
  };
}

function Section(props: { title: string; children: ReactNode }) {
  return (
    <MenuSection>
      <Header className="px-2 pt-2 pb-1 text-xs font-semibold text-soft">{props.title}</Header>
      {props.children}
    </MenuSection>
  );
}

function FoundSection(props: { title: string; start: string; rows: readonly Found[] }) {
  if (props.rows.length === 0) return null;
  return (
    <Section title={props.title}>
      <Collection items={props.rows.map((row) => ({ ...row, id: props.start + row.id }))}>
        {(row) => <Item id={row.id} text={row.text} label={row.text} />}
      </Collection>
    </Section>
  );
}

function Item(props: { id: string; text: string; label: string; children?: ReactNode }) {
  return (
    <MenuItem
      id={props.id}
      textValue={props.text}
      className="flex items-center gap-2 rounded px-2 py-1 outline-none max-md:min-h-10 data-[focused]:bg-accent-tint"
    >
      {/* The accessible name contains all visible text. */}
      <Text slot="label" className="flex min-w-0 flex-1 items-center gap-2">
        <span className="min-w-0 flex-1 truncate" dir="auto">
          {props.label}
        </span>
        {props.children}
      </Text>
    </MenuItem>
  );
}
