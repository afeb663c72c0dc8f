import type { Texts } from "../../en";

export const keyActions: Texts["settings"]["keyActions"] = {
  revoke: {
    title: (label) => `${label} widerrufen?`,
    submit: "API-Schlüssel widerrufen",
    revoked: (label) => `${label} wurde widerrufen.`,
    warning: (lastUsed, isMaster) => (
      <>
        Programme, die diesen oder einen damit erstellten API-Schlüssel verwenden, funktionieren innerhalb von
        5 Sekunden nicht mehr. Das lässt sich nicht rückgängig machen.{" "}
        {lastUsed === null ? "Er wurde noch nie verwendet." : <>Er wurde zuletzt {lastUsed} verwendet.</>}
        {isMaster ? " Er gilt in allen Projekten, daher sind Programme aller Projekte betroffen." : ""}
      </>
    ),
    noLonger: "Diese Rechte entfallen:",
    stays: "Damit erstellte Läufe, Bewertungen und Lektionen bleiben erhalten.",
  },
  rotate: {
    title: (label) => `${label} rotieren?`,
    about:
      "Sie erhalten einen neuen API-Schlüssel mit denselben Rechten, demselben Vertrauen und denselben erlaubten Adressen. Der alte funktioniert noch 24 Stunden. Hinterlegen Sie den neuen in dieser Zeit im Programm.",
    submit: "Neuen API-Schlüssel erstellen",
    done: "Fertig",
    created: (label) => `Neuer API-Schlüssel „${label}“`,
  },
};
