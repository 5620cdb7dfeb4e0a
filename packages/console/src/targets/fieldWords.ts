import { wordsOf } from "../words/words.ts"

/** The fields of forms. */
export const words = wordsOf(
  {
    email: "E-mail",
    emailHelp: "To up to ten addresses, each of which has to be confirmed first.",
    slack: "Slack",
    slackHelp: "A message in a channel of Slack, Mattermost or Rocket.Chat.",
    generic: "Generic",
    genericHelp: "JSON to any address, with headers of your own that prove who sends it.",
    name: "Name",
    to: "Addresses",
    toHelp: "One a line, up to ten. Each new address gets a mail with a code.",
    url: "Address",
    urlHelpSlack: "That of the incoming webhook. It is a secret: it is never shown whole again.",
    urlHelpGeneric: "An https:// address on the public internet. It is never shown whole again.",
    urlStays: "Empty: the address stays.",
    headers: "Headers",
    headersHelp: "Such as Authorization. The values are never shown again.",
    headersStay: "None: the headers stay, unless the address changes.",
    headerName: (n: number) => `Header ${n}`,
    headerValue: (n: number) => `Value ${n}`,
    addHeader: "Add a header",
    removeHeader: (n: number) => `Remove header ${n}`,
    urlHelp: "An https:// address on the public internet.",
    description: "Description"
  },
  {
    email: "E-Mail",
    emailHelp: "An bis zu zehn Adressen, die zuerst bestätigt werden müssen.",
    slack: "Slack",
    slackHelp: "Eine Nachricht in einem Kanal von Slack, Mattermost oder Rocket.Chat.",
    generic: "Allgemein",
    genericHelp: "JSON an eine beliebige Adresse, mit eigenen Headern, die den Absender beweisen.",
    name: "Name",
    to: "Adressen",
    toHelp: "Eine je Zeile, bis zu zehn. Jede neue Adresse erhält eine Mail mit einem Code.",
    url: "Adresse",
    urlHelpSlack: "Die des eingehenden Webhooks. Sie ist geheim und wird nie wieder ganz gezeigt.",
    urlHelpGeneric: "Eine https://-Adresse im öffentlichen Internet. Sie wird nie wieder ganz gezeigt.",
    urlStays: "Leer: Die Adresse bleibt.",
    headers: "Header",
    headersHelp: "Etwa Authorization. Die Werte werden nie wieder gezeigt.",
    headersStay: "Keine: Die Header bleiben, sofern sich die Adresse nicht ändert.",
    headerName: (n: number) => `Header ${n}`,
    headerValue: (n: number) => `Wert ${n}`,
    addHeader: "Header hinzufügen",
    removeHeader: (n: number) => `Header ${n} entfernen`,
    urlHelp: "Eine https://-Adresse im öffentlichen Internet.",
    description: "Beschreibung"
  }
)
