import { wordsOf } from "../words/words.ts"

export const words = wordsOf(
  {
    title: "Events",
    about: "What happens in the account, as it happens, and for the last 30 days.",
    none: "No events",
    noneText:
      "An event comes when something begins, changes or ends: a volume is created, an alarm changes its state, a credential is revoked.",
    when: "When",
    topic: "Topic",
    anyTopic: "All topics",
    kind: "Kind",
    kindHelp: "Such as volume.create",
    key: "Key",
    keyHelp: "Among the shown events",
    pause: "Pause",
    goOn: (count: number) => (count === 0 ? "Go on" : `Go on (${count} new)`),
    payload: "Payload"
  },
  {
    title: "Ereignisse",
    about: "Was im Konto geschieht, im Augenblick und in den letzten 30 Tagen.",
    none: "Keine Ereignisse",
    noneText:
      "Ein Ereignis kommt, wenn etwas beginnt, sich ändert oder endet: ein Volume entsteht, ein Alarm wechselt den Zustand, Zugangsdaten werden widerrufen.",
    when: "Wann",
    topic: "Thema",
    anyTopic: "Alle Themen",
    kind: "Art",
    kindHelp: "Etwa volume.create",
    key: "Schlüssel",
    keyHelp: "Unter den gezeigten Ereignissen",
    pause: "Anhalten",
    goOn: (count: number) => (count === 0 ? "Fortsetzen" : `Fortsetzen (${count} neue)`),
    payload: "Inhalt"
  }
)
