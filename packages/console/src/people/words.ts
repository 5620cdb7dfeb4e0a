import { wordsOf } from "../words/words.ts"

export const words = wordsOf(
  {
    person: "Person",
    title: "People",
    about: "Who is in the account. The role decides what a person may do; access to costs is given apart.",
    invite: "Invite a person",
    none: "Nobody is listed",
    noneText: "Invite the people who work with this account. Each gets a mail with a link.",
    noneFits: "Nobody fits the search",
    noneFitsText: "It looks at names, addresses and roles.",
    name: "Name",
    nameHelp: "Without it, it is derived from the address.",
    email: "E-mail address",
    role: "Role",
    state: "State",
    stateInitial: "invited",
    stateActive: "active",
    stateDeleted: "login is gone",
    costs: "Costs",
    seesCosts: "sees costs",
    noCosts: "no access",
    showCosts: "Show costs",
    hideCosts: "Hide costs",
    showCostsText: (name: string) =>
      `${name} will see what the account costs, its invoices and its budgets, within a minute.`,
    hideCostsText: (name: string) => `${name} will no longer see costs, invoices and budgets, within a minute.`,
    costsChanged: "Access to costs is changed.",
    remove: "Remove",
    removeTitle: (name: string) => `Remove ${name} from the account`,
    removeText:
      "The person loses all access at once. Every credential that the person made, directly or through others, is revoked: rotate as yourself first what machines still need. Webhooks and integrations stay.",
    madeByPerson: (count: number) =>
      count === 0
        ? "No credential was made by this person directly."
        : count === 1
          ? "1 credential was made by this person directly."
          : `${count} credentials were made by this person directly.`,
    removed: "The person is removed",
    removedText: (count: number) => (count === 1 ? "1 credential was revoked." : `${count} credentials were revoked.`),
    kept: "These stay. The person has seen their secrets: rotate them and check where they lead.",
    changeRole: "Change the role",
    invited: "The invitation is sent.",
    updated: "The role is changed.",
    capped: (count: number) =>
      count === 1
        ? "The role is changed. 1 credential of the person is now limited by it."
        : `The role is changed. ${count} credentials of the person are now limited by it.`,
    you: "you",
    account: "Account",
    project: "Project ID",
    search: "Name, address or role",
    scope: "Whose people",
    scopeAll: "All accounts",
    scopePlatform: "The platform's team",
    whyNot: "What the person may do",
    whatTheyDid: "What the person did",
    theirCredentials: "Credentials of the person",
    done: "Done"
  },
  {
    person: "Person",
    title: "Personen",
    about: "Wer zum Konto gehört. Die Rolle bestimmt, was jemand darf; den Zugang zu Kosten gibt es gesondert.",
    invite: "Person einladen",
    none: "Niemand aufgeführt",
    noneText: "Laden Sie die Personen ein, die mit diesem Konto arbeiten. Jede erhält eine E-Mail mit einem Link.",
    noneFits: "Niemand passt zur Suche",
    noneFitsText: "Gesucht wird in Namen, Adressen und Rollen.",
    name: "Name",
    nameHelp: "Ohne Angabe wird er aus der Adresse abgeleitet.",
    email: "E-Mail-Adresse",
    role: "Rolle",
    state: "Zustand",
    stateInitial: "eingeladen",
    stateActive: "aktiv",
    stateDeleted: "Anmeldung gelöscht",
    costs: "Kosten",
    seesCosts: "sieht Kosten",
    noCosts: "kein Zugang",
    showCosts: "Kosten zeigen",
    hideCosts: "Kosten verbergen",
    showCostsText: (name: string) =>
      `${name} sieht binnen einer Minute, was das Konto kostet, dazu Rechnungen und Budgets.`,
    hideCostsText: (name: string) => `${name} sieht binnen einer Minute keine Kosten, Rechnungen und Budgets mehr.`,
    costsChanged: "Der Zugang zu Kosten ist geändert.",
    remove: "Entfernen",
    removeTitle: (name: string) => `${name} aus dem Konto entfernen`,
    removeText:
      "Die Person verliert sofort jeden Zugang. Alle Zugangsdaten, die sie unmittelbar oder mittelbar ausgestellt hat, werden widerrufen: Was Maschinen weiter brauchen, erneuern Sie vorher selbst. Webhooks und Integrationen bleiben.",
    madeByPerson: (count: number) =>
      count === 0
        ? "Von dieser Person stammen unmittelbar keine Zugangsdaten."
        : `Von dieser Person stammen unmittelbar ${count} Zugangsdaten.`,
    removed: "Die Person ist entfernt",
    removedText: (count: number) => `${count} Zugangsdaten wurden widerrufen.`,
    kept: "Diese bleiben. Die Person kennt ihre Geheimnisse: Erneuern Sie sie und prüfen Sie, wohin sie führen.",
    changeRole: "Rolle ändern",
    invited: "Die Einladung ist verschickt.",
    updated: "Die Rolle ist geändert.",
    capped: (count: number) => `Die Rolle ist geändert. Sie begrenzt nun ${count} Zugangsdaten der Person.`,
    you: "Sie",
    account: "Konto",
    project: "Projekt-ID",
    search: "Name, Adresse oder Rolle",
    scope: "Wessen Personen",
    scopeAll: "Alle Konten",
    scopePlatform: "Team der Plattform",
    whyNot: "Was die Person darf",
    whatTheyDid: "Was die Person getan hat",
    theirCredentials: "Zugangsdaten der Person",
    done: "Fertig"
  }
)
