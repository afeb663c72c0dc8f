import { counted, percent } from "../../../parts/time";
import type { Texts } from "../../en";

const VERDICTS = { pass: "Bestanden", fail: "Nicht bestanden", unclear: "Unklar" };

export const testJudge: Texts["settings"]["testJudge"] = {
  title: "Ausprobieren",
  about: "Sendet einen Lauf an das Modell und zeigt dessen Urteil. Es wird keine Bewertung gespeichert.",
  noModel: (provider, model) => (
    <>
      Dieser Server hat kein Sprachmodell, daher kann der Modellprüfer nicht arbeiten. Der Betreiber legt es
      mit {provider} und {model} fest.
    </>
  ),
  run: "Lauf",
  runHint: "Einer der neuesten Läufe.",
  noRuns: "Es ist noch kein Lauf gespeichert.",
  criteria: "Andere Kriterien",
  criteriaHint: "Leer lassen, um die gespeicherten zu verwenden.",
  submit: "Modellprüfer ausführen",
  result: (verdict, confidence, model, tokens) => (
    <>
      <strong>{VERDICTS[verdict]}</strong>
      {confidence === null ? "" : `, Konfidenz ${percent(confidence)}`} · {model} ·{" "}
      {counted(tokens, "Token", "Tokens")}
    </>
  ),
};
