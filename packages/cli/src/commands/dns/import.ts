import type { ZoneImported } from "@portico/contract/Dns"
import type { PorticoError } from "@portico/client/PorticoError"
import { Effect } from "effect"
import { Argument, Command, Flag } from "../../effectCli.ts"
import { readSource } from "../../derived/sources.ts"
import { confirm } from "../../output/confirm.ts"
import { errFrame, type Frame, outFrame } from "../../output/Frame.ts"
import { Output } from "../../output/Output.ts"
import { harmless } from "../../output/sanitize.ts"
import { Screen } from "../../Screen.ts"
import { portico } from "../../Session.ts"
import { yesFlag } from "../yesFlag.ts"
import { changesNothing, changesOf, diffText, sumText } from "./text.ts"
import { zoneOf } from "./zoneId.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export const importZone = Command.make(
  "import",
  {
    zone: Argument.String("zone").pipe(Argument.withDescription("The name of the zone, or its id")),
    file: Argument.String("file").pipe(Argument.withDescription("A zone file (RFC 1035), or - for standard input")),
    dryRun: flag("dry-run", "Show what would change, and change nothing"),
    prune: flag("prune", "Also delete the recordsets that the file lacks"),
    yes: yesFlag
  },
  Effect.fnUntraced(function* ({ dryRun, file, prune, yes, zone: given }) {
    const connected = yield* portico
    const { format, show } = yield* Output
    const { note } = yield* Screen
    const zonefile = yield* readSource(file)
    const zone = yield* zoneOf(connected, given)
    const ask = (dry_run: boolean) =>
      connected.use((_, signal) => _.dns.importZone({ zone_id: zone.zone_id, zonefile, prune, dry_run }, { signal }))
    const planned = yield* ask(true)
    const frame = yield* outFrame
    if (dryRun || changesNothing(planned))
      return yield* show(planned, { text: () => reportText(planned, zone.name, frame) })
    // Data on standard output is the answer alone.
    if (format === "table") yield* show(planned, { text: () => diffText(planned, frame) })
    else if (!yes) yield* note(diffText(planned, yield* errFrame))
    yield* confirm({ question: `Change ${zone.name} in this way?`, yes })
    const done = yield* ask(false).pipe(
      Effect.tapError((error) => note(stoppedText(error, planned))),
      Effect.onInterrupt(() => note(goesOn(zone.name)))
    )
    yield* show(done, { text: () => doneText(done, planned, zone.name, frame) })
  })
).pipe(
  // The name that the operation has in the document.
  Command.withAlias("import-zone"),
  Command.withShortDescription("Import a zone file, and see first what it changes"),
  Command.withDescription(
    "Compares a zone file with a zone, shows what an import would change, asks, and imports it. Recordsets that the " +
      "file lacks stay, unless --prune is given. An import that stopped half way goes on where it stopped when it is " +
      "run again."
  ),
  Command.withExamples([
    { command: "portico dns import acme.example. acme.zone --dry-run", description: "Show what would change" },
    { command: "portico dns import acme.example. acme.zone --prune --yes", description: "Make the zone like the file" }
  ])
)

const reportText = (planned: ZoneImported, zone: string, frame: Frame): string =>
  changesNothing(planned)
    ? [`${harmless(zone)} is like the file already.`, diffText(planned, frame)].filter(Boolean).join("\n")
    : diffText(planned, frame)

/** The zone may have changed while the question was open. */
const doneText = (done: ZoneImported, planned: ZoneImported, zone: string, frame: Frame): string => {
  const sum = `${harmless(zone)}: ${sumText(done)}.`
  const same = JSON.stringify(changesOf(done)) === JSON.stringify(changesOf(planned))
  return same ? sum : [`${sum} The zone changed meanwhile; this was done:`, diffText(done, frame)].join("\n")
}

const goesOn = (zone: string): string =>
  `The import into ${harmless(zone)} goes on without you, for 45 seconds at most.\n` +
  "Run the same command with --dry-run to see what is left."

/** What an import did before it stopped, and what it did not come to. */
const stoppedText = (error: PorticoError, planned: ZoneImported): string => {
  const applied: unknown = Reflect.get(Object(error.body), "applied")
  if (error.status >= 400 && error.status < 500) return "Nothing was changed."
  if (error.code !== "zone_import_failed" || !Array.isArray(applied)) {
    return "Whether anything was changed is not known. Run the same command with --dry-run to see what is left."
  }
  const all = changesOf(planned)
  const done = applied.map(String)
  const left = all.filter((_) => !done.includes(_))
  return [
    `The import stopped after ${done.length} of ${all.length} changes.`,
    ...done.map((_) => `  done: ${harmless(_)}`),
    ...left.map((_) => `  left: ${harmless(_)}`),
    "Run the same command again to continue."
  ].join("\n")
}
