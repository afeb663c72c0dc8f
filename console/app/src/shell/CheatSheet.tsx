// The list of all keys of the page.
import { Button, Heading } from "react-aria-components";
import { keyLabel } from "../keys/labels";
import { useKeys } from "../keys/KeyProvider";
import { setKeyPreferences, useKeyPreferences } from "../keys/preferences";
import { t } from "../texts";
import { screenFirst } from "./actions";
import { Overlay } from "./Overlay";

export function CheatSheet(props: { onClose: () => void }) {
  const { cheatSheet: texts } = t.shell;
  const { actions } = useKeys();
  const { singleKeys } = useKeyPreferences();
  const bound = actions.filter((spec) => spec.keys.length > 0);
  // Actions of this page come first.
  const groups = [...new Set([...screenFirst(bound)].map((spec) => spec.group))];
  return (
    <Overlay label={texts.title} wide onClose={props.onClose}>
      <header className="flex items-center justify-between border-b border-line px-4 py-2">
        <Heading slot="title" level={2} className="section-title">
          {texts.title}
        </Heading>
        <Button slot="close" className="btn btn-small" onPress={props.onClose}>
          {texts.close}
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
      <footer className="flex flex-wrap items-center justify-between gap-4 border-t border-line px-4 py-2 text-sm">
        <span>{singleKeys ? texts.on(keyLabel("Mod+k")) : texts.off(keyLabel("Mod+k"))}</span>
        <Button className="btn btn-small" onPress={() => setKeyPreferences({ singleKeys: !singleKeys })}>
          {singleKeys ? texts.turnOff : texts.turnOn}
        </Button>
      </footer>
    </Overlay>
  );
}
