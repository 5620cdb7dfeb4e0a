import { type Change, Lifecycle } from "@portico/domain/events/Lifecycle"
import { Reservations } from "@portico/upstream/nova/Reservations"
import { Cause, DateTime, Effect, Exit, Struct } from "effect"

/** Whether the servers of a create are more than its answer names. */
const namesTooFew = ({ data, kind }: Change): boolean =>
  kind === "server.create" && (data.resource_type === "reservation" || data.detail.max_count !== undefined)

/** The same change, of one of the servers. */
const ofServer = (change: Change, id: string): Change => {
  const { data } = change
  const detail = Struct.omit(data.detail, ["min_count", "max_count"])
  return { ...change, data: { ...data, resource_type: "server", resource_id: id, detail } }
}

/**
 * Records changes for the billing ledger, one a server. Servers that the answer of a create does not name are read from
 * compute, after the client has its answer: until the comparison of the ledger finds them, they would cost nothing.
 * Where they cannot be read in time, a change of the reservation is recorded, or else the one of the named server alone.
 */
export const changeRecorder = Effect.gen(function* () {
  const { record } = yield* Lifecycle
  const reservations = yield* Reservations
  const scope = yield* Effect.scope

  /** @param named the server that the answer names, which is recorded already; undefined for a reservation's */
  const recordOthers = (change: Change, named: string | undefined) => {
    const reservation =
      named === undefined ? Effect.succeed(change.data.resource_id) : reservations.of(change.data.resource_id)
    return Effect.flatMap(reservation, reservations.servers).pipe(
      Effect.filterOrFail((ids) => ids.length > 0),
      Effect.timeout("30 seconds"),
      Effect.onExit((exit) =>
        Exit.isSuccess(exit)
          ? Effect.forEach(
              exit.value.filter((_) => _ !== named),
              (_) => record(ofServer(change, _)),
              { discard: true }
            )
          : Effect.andThen(unread(change, exit.cause), named === undefined ? record(change) : Effect.void)
      ),
      Effect.exit
    )
  }

  return (change: Change): Effect.Effect<void> => {
    if (!namesTooFew(change)) return record(change)
    const { resource_id, resource_type } = change.data
    const named = resource_type === "server" ? resource_id : undefined
    return Effect.gen(function* () {
      const dated = { ...change, at: yield* DateTime.now }
      if (named !== undefined) yield* record(ofServer(dated, named))
      yield* Effect.forkIn(recordOthers(dated, named), scope)
    })
  }
})

const unread = ({ data: { detail, resource_id } }: Change, cause: Cause.Cause<unknown>) =>
  Effect.annotateLogs(Effect.logWarning("the servers of a create cannot be read: no event tells of them"), {
    ...detail,
    created: resource_id,
    why: Cause.pretty(cause)
  })
