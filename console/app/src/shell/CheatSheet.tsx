// The list of all keys of the page.
import { Button, Heading } from "react-aria-components";
import { keyLabel } from "../keys/labels";
import { useKeys } from "../keys/KeyProvider";
import { setKeyPreferences, useKeyPreferences } from "../keys/preferences";
import { screenFirst } from "./actions";
import { Overlay } from "./Overlay";

export function CheatSheet(props: { onClose: () => void }) {
  const { actions } = useKeys();
  const { singleKeys } = useKeyPreferences();
  const bound = actions.filter((spec) => spec.keys.length > 0);
  // Actions of this page come first.
  const groups = [...new Set([...screenFirst(bound)].map((spec) => spec.group))];
  return (
    <Overlay label="Keys" wide onClose={props.onClose}>
      <header className="flex items-center justify-between border-b border-line px-4 py-2">
        <Heading slot="title" level={2} className="text-base font-semibold text-ink">
          Keys
        </Heading>
        <Button slot="close" className="btn btn-small" onPress={props.onClose}>
          Close
        </Button>
      </header>
      <div className="gap-8 overflow-y-auto p-4 sm:columns-2">
        {groups.map((group) => (
          <section key={group} className="mb-4 break-inside-avoid-column">
            <h3 className="mb-1 text-xs font-semibold text-soft">{group}</h3>
            <dl>
              {bound
                .filter((spec) => spec.group === group)
                .map((spec) => (
                  <div key={spec.action} className="flex items-baseline justify-between gap-3 py-0.5">
                    <dt>{spec.label}</dt>
                    <dd className="flex shrink-0 gap-1">
                      {spec.keys.map((key) => (
                        <kbd key={key} className="kbd">
                          {keyLabel(key)}
                        </kbd>
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <footer className="flex items-center justify-between gap-4 border-t border-line px-4 py-2 text-sm">
        <span>
          Single-letter keys are {singleKeys ? "on" : "off"}. Key combinations such as {keyLabel("Mod+k")}{" "}
          always work.
        </span>
        <Button className="btn btn-small" onPress={() => setKeyPreferences({ singleKeys: !singleKeys })}>
          Turn them {singleKeys ? "off" : "on"}
        </Button>
      </footer>
    </Overlay>
  );
}
