import { Result } from "effect"
import type { JsonObject } from "../Json.ts"
import type { Answer, Step } from "../Wire.ts"
import { follow } from "./follow.ts"
import { apiVersionOf, resourceOf } from "./kinds.ts"
import { notAVersion, shownAs } from "./lists.ts"
import { type Format, formatOf } from "./negotiate.ts"
import { flag } from "./requestInfo.ts"
import type { Request } from "./request.ts"
import { selectionOf } from "./selectors.ts"
import type { Change, Thing } from "./state.ts"
import { checkListOptions } from "./listOptions.ts"
import { failureStatus, refuse } from "./status.ts"
import { objectsAt } from "./store.ts"

/** How long a watch lasts when the client does not say; upstream it is half an hour to an hour, by chance. */
const defaultSeconds = 1_800
const bookmarkMillis = 60_000

type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"

const line = (type: EventType, object: JsonObject): string => `${JSON.stringify({ type, object })}\n`

/** A watch: one event a line, from the version that the client names, or from everything that there is. */
export const watch = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, now } = request
    const { query } = incoming
    const format = yield* formatOf(incoming, request.kind.custom)
    const { matches } = yield* selectionOf(request.kind, query)
    const from = query.get("resourceVersion") ?? ""
    yield* checkListOptions(request)
    if (!/^\d*$/.test(from)) return yield* refuse(500, "", notAVersion(from))
    const ends = now + Number(query.get("timeoutSeconds") || defaultSeconds) * 1000
    const initial = flag(query, "sendInitialEvents")
    const fromState = initial || from === "" || from === "0"
    const bookmarks = flag(query, "allowWatchBookmarks")
    const watcher = watcherOf(request, format, matches, fromState ? null : Number(from), initial && bookmarks)
    let bookmark = now + bookmarkMillis
    const poll = (at: number) => {
      const events = watcher.read()
      if (watcher.failed || at >= ends) return { text: events, over: true }
      if (!bookmarks || at < bookmark) return { text: events, over: false }
      bookmark = at + bookmarkMillis
      return { text: events + watcher.bookmark(), over: false }
    }
    const stream = follow(incoming.world, poll, () => (bookmarks ? Math.min(ends, bookmark) : ends))
    return { status: 200, headers: { "content-type": "application/json" }, body: "", stream }
  })

const watcherOf = (
  request: Request,
  format: Format,
  matches: (thing: Thing) => boolean,
  from: number | null,
  /** Says when everything that there is was told. */
  marked: boolean
) => {
  const { info, kind, state } = request
  const resource = resourceOf(kind)
  const here = (thing: Thing | null): thing is Thing =>
    thing !== null &&
    (info.namespace === "" || !kind.namespaced || thing.metadata.namespace === info.namespace) &&
    matches(thing)
  let position = from ?? state.counters.version
  let first = true
  let failed = false

  const shown = (type: EventType, thing: Thing): string => {
    const { columnDefinitions, ...object } = shownAs(request, format, thing)
    const full = first && columnDefinitions !== undefined ? { ...object, columnDefinitions } : object
    first = false
    return line(type, full)
  }

  const event = ({ after, before, version }: Change): string => {
    if (here(after)) return shown(here(before) ? "MODIFIED" : "ADDED", after)
    if (!here(before)) return ""
    const last = after ?? before
    return shown("DELETED", { ...last, metadata: { ...last.metadata, resourceVersion: String(version) } })
  }

  const bookmark = (more: JsonObject = {}): string =>
    line("BOOKMARK", {
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
      metadata: { resourceVersion: String(position), ...more }
    })
  const all = from === null ? objectsAt(state, kind, position).filter(here) : []
  let pending =
    all.map((_) => shown("ADDED", _)).join("") +
    (marked ? bookmark({ annotations: { "k8s.io/initial-events-end": "true" } }) : "")
  return {
    get failed() {
      return failed
    },
    /** What has happened since the last reading. */
    read: (): string => {
      const { compacted, version } = state.counters
      if (position < compacted) {
        failed = true
        const why = `too old resource version: ${position} (${compacted + 1})`
        return line("ERROR", failureStatus(410, "Expired", why))
      }
      const events = state.history.filter((_) => _.version > position && _.resource === resource)
      position = Math.max(position, version)
      const text = pending + events.map(event).join("")
      pending = ""
      return text
    },
    bookmark
  }
}
