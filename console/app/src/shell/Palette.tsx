// The command palette: all available actions with their keys, with search.
import { Autocomplete, Input, Menu, MenuItem, SearchField, Text, useFilter } from "react-aria-components";
import { useKeys } from "../keys/KeyProvider";
import { keyLabel } from "../keys/labels";
import { Scroll } from "../parts/Scroll";
import { screenFirst } from "./actions";
import { Overlay } from "./Overlay";

const HIDDEN = new Set(["palette", "submit", "cancel"]);

export function Palette(props: { onClose: () => void }) {
  const { actions, run } = useKeys();
  const { contains } = useFilter({ sensitivity: "base" });
  const shown = screenFirst(actions).filter((spec) => !HIDDEN.has(spec.action));
  return (
    <Overlay label="Actions" onClose={props.onClose}>
      <Autocomplete filter={contains}>
        {/* The user opened the dialog to type. */}
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
        <SearchField autoFocus aria-label="Search actions" className="border-b border-line p-2">
          <Input
            placeholder="What do you want to do?"
            className="w-full bg-transparent px-1 py-1 outline-none"
          />
        </SearchField>
        <Scroll label="Actions" className="min-h-0 overflow-y-auto p-1">
          <Menu
            aria-label="Actions"
            items={shown}
            onAction={(action) => {
              props.onClose();
              // Run the action after the dialog is closed: it must see the page without the dialog.
              requestAnimationFrame(() => run(String(action)));
            }}
            renderEmptyState={() => <p className="p-3 text-soft">No matching action.</p>}
            className="outline-none"
          >
            {(spec) => (
              <MenuItem
                id={spec.action}
                textValue={`${spec.group}: ${spec.label}`}
                className="flex items-center gap-2 rounded px-2 py-1 outline-none data-[focused]:bg-accent-tint"
              >
                {/* The accessible name contains all visible text. */}
                <Text slot="label" className="flex flex-1 items-center gap-2">
                  <span className="flex-1">{spec.label}</span>
                  <span className="text-xs text-soft">{spec.group}</span>
                  <span className="flex w-20 justify-end">
                    {spec.keys[0] === undefined ? null : <kbd className="kbd">{keyLabel(spec.keys[0])}</kbd>}
                  </span>
                </Text>
              </MenuItem>
            )}
          </Menu>
        </Scroll>
      </Autocomplete>
    </Overlay>
  );
}
