import { Effect, Option, Stream } from "effect"
import { Command, Flag } from "../../effectCli.ts"
import { type AuditRecord, auditTrail, endOfAudit } from "../../events/auditTrail.ts"
import { cursorFileFlag } from "../../events/cursorFile.ts"
import { lineOf } from "../../events/line.ts"
import { localTime } from "../../output/localTime.ts"
import { momentFlag } from "../../events/moment.ts"
import { flagsOf, placeIn } from "../../events/Place.ts"
import { printerOf } from "../../events/printer.ts"
import { harmless } from "../../output/sanitize.ts"
import { Screen, type Side } from "../../Screen.ts"
import { portico } from "../../Session.ts"

const only = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

const methods = ["POST", "PUT", "PATCH", "DELETE", "GET"] as const

const statusColor = (status: number | null): number =>
  status === null ? 2 : status >= 500 ? 31 : status >= 400 ? 33 : 32

const auditLine = (
  side: Side,
  { at, credential_id, method, resources, route, source, status, tool, user_id }: AuditRecord
) =>
  lineOf(side, [
    [localTime(at), 2],
    [harmless(method ?? "-").padEnd(6), 36],
    [status === null ? "-  " : String(status), statusColor(status)],
    [harmless(route ?? (tool === null ? "unknown path" : "-"))],
    [harmless(tool ?? ""), 36],
    [harmless(credential_id ?? user_id ?? "unknown caller"), 2],
    [harmless(source ?? ""), 2],
    [harmless(resources.join(" ")), 2]
  ])

/** Of the credential, the membership or the user behind it, or of callers of a kind such as `agent`. */
const isBy = (actor: string | undefined, record: AuditRecord): boolean =>
  actor === undefined || record.credential_id === actor || record.user_id === actor || record.actor === actor

export const tail = Command.make(
  "tail",
  {
    method: Flag.Literals("method", methods).pipe(
      Flag.withDescription("Only calls with this method"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    status: only("status", "Only calls with this status, such as 201, or of this class, such as 4xx"),
    actor: only("actor", "Only calls of this credential, membership or user, by its id; or agent for those of agents"),
    route: only("route", "Only calls of this route, such as /v1/credentials/:credential_id"),
    resource: only("resource", "Only calls with this id in their path"),
    since: momentFlag("since", "Begin with the calls since then, at most 30 days ago, such as 1h"),
    cursor: Flag.String("cursor").pipe(
      Flag.withDescription("Begin behind this place, from an earlier run or page"),
      Flag.optional
    ),
    cursorFile: cursorFileFlag,
    projectId: only("project-id", "The calls of this project; for platform administrators"),
    timeout: Flag.Int("timeout-seconds").pipe(
      Flag.withDescription("End after so many seconds; with 0, at the end of the log"),
      Flag.filter(
        (_) => _ >= 0,
        (_) => `Expected 0 or more seconds, got ${_}`
      ),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    )
  },
  Effect.fnUntraced(function* ({ actor, cursor, cursorFile, method, projectId, resource, route, status, ...flags }) {
    const gateway = yield* portico
    const { out } = yield* Screen
    const print = yield* printerOf((record: AuditRecord) => auditLine(out, record), "id")
    const filters = flagsOf({
      method,
      status,
      actor,
      route,
      resource,
      "project-id": projectId,
      "timeout-seconds": flags.timeout
    })
    const place = yield* placeIn(cursorFile)
    const given = Option.getOrUndefined(Option.orElse(place.kept, () => cursor))
    const since = given === undefined && Option.isSome(flags.since) ? yield* flags.since.value : undefined
    const query = { method, status, route, resource, since, project_id: projectId }
    const start = given ?? (since === undefined ? yield* endOfAudit(gateway, query) : undefined)
    yield* auditTrail(gateway, query, start, flags.timeout).pipe(
      Stream.runForEach(({ cursor, records }) => {
        const printed = Effect.forEach(
          records.filter((_) => isBy(actor, _)),
          print,
          { discard: true }
        )
        return Effect.uninterruptible(cursor === undefined ? printed : Effect.andThen(printed, place.keep(cursor)))
      }),
      Effect.onExit(() => place.farewell(`portico audit tail${filters}`))
    )
  })
).pipe(
  Command.withShortDescription("Follow the calls of the tenant's credentials and members as they end"),
  Command.withDescription(
    "Prints each call that is on the audit once, a few seconds after it ended, from now on or from --since or --cursor " +
      "on. It goes on while the gateway is away. Ctrl-C ends it with exit code 130, and says how to go on from there."
  ),
  Command.withExamples([
    { command: "portico audit tail --method DELETE", description: "Follow deletions" },
    {
      command: "portico audit tail --status 4xx --since 1h --timeout-seconds 0",
      description: "Print what was refused in the last hour"
    }
  ])
)
