import { Option, Result, Schema } from "effect"
import type { JsonObject } from "../Json.ts"
import { type Answer, json, type Step } from "../Wire.ts"
import { inVersion } from "./customResources.ts"
import { apiVersionOf, type Kind } from "./kinds.ts"
import { type Format, formatOf } from "./negotiate.ts"
import type { Request } from "./request.ts"
import { selectionOf } from "./selectors.ts"
import type { KubernetesState, Thing } from "./state.ts"
import { syntaxError } from "./jsonErrors.ts"
import { checkListOptions } from "./listOptions.ts"
import { badRequest, refuse } from "./status.ts"
import { keyOfThing, objectsAt, omit } from "./store.ts"
import { partialOf, tableOf } from "./table.ts"
import { current } from "./update.ts"

const Continue = Schema.fromJsonString(
  Schema.Struct({
    v: Schema.Literal("meta.k8s.io/v1"),
    /** The version of the list; -1 for the current one. */
    rv: Schema.Int,
    /** The key of the previous page's last object. */
    start: Schema.String
  })
)

const decodeContinue = Schema.decodeUnknownOption(Continue)

const encodeContinue = (rv: number, start: string): string =>
  Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv, start })).toString("base64url")

interface Position {
  readonly version: number
  readonly start: string
}

const expired = (start: string) =>
  refuse(
    410,
    "Expired",
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list.",
    {},
    { continue: encodeContinue(-1, start) }
  )

/** The start of the page, and the version of the store to read. */
const positionOf = ({ counters }: KubernetesState, query: URLSearchParams): Step<Position> => {
  const token = query.get("continue") ?? ""
  const wanted = query.get("resourceVersion") ?? ""
  if (token === "") return Result.map(versionOf(counters, wanted, query), (version) => ({ version, start: "" }))
  if (wanted !== "" && wanted !== "0") {
    return badRequest("specifying resource version is not allowed when using continue")
  }
  const decoded = Option.getOrUndefined(decodeContinue(Buffer.from(token, "base64url").toString()))
  if (decoded === undefined) {
    const why = syntaxError(Buffer.from(token, "base64url").toString("latin1")) ?? "unexpected end of JSON input"
    return badRequest(`invalid continue token: continue key is not valid: ${why}`)
  }
  const { rv, start } = decoded
  if (rv < 0) return Result.succeed({ version: counters.version, start })
  return rv < counters.compacted ? expired(start) : Result.succeed({ version: rv, start })
}

const versionOf = (counters: KubernetesState["counters"], wanted: string, query: URLSearchParams): Step<number> => {
  if (wanted === "" || wanted === "0") return Result.succeed(counters.version)
  if (!/^\d+$/.test(wanted)) return badRequest(`invalid resource version: ${notAVersion(wanted)}`)
  const version = Number(wanted)
  if (version > counters.version) {
    const message = `Too large resource version: ${version}, current: ${counters.version}`
    const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }]
    return refuse(504, "Timeout", `Timeout: ${message}`, { causes, retryAfterSeconds: 1 })
  }
  if (query.get("resourceVersionMatch") !== "Exact") return Result.succeed(counters.version)
  return version < counters.compacted
    ? refuse(410, "Expired", "The resourceVersion for the provided list is too old.")
    : Result.succeed(version)
}

export const notAVersion = (text: string): string =>
  `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`

export const list = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, info, kind, state } = request
    const format = yield* formatOf(incoming, kind.custom)
    const given = incoming.query.get("limit") ?? ""
    if (!/^(-?\d+)?$/.test(given)) return yield* badRequest(`strconv.ParseInt: parsing "${given}": invalid syntax`)
    yield* checkListOptions(request)
    const { all, matches } = yield* selectionOf(kind, incoming.query)
    const { start, version } = yield* positionOf(state, incoming.query)
    const within = (_: Thing) => info.namespace === "" || _.metadata.namespace === info.namespace || !kind.namespaced
    const found = objectsAt(state, kind, version).filter((_) => within(_) && matches(_))
    const rest = found.filter((_) => start === "" || keyOfThing(_) > start)
    const limit = Number(given)
    const page = limit > 0 ? rest.slice(0, limit) : rest
    const last = page.at(-1)
    // A page that is full ends the search: what is behind it may match or not.
    const behind = objectsAt(state, kind, version).filter(
      (_) => last !== undefined && within(_) && keyOfThing(_) > keyOfThing(last)
    )
    const more = last !== undefined && limit > 0 && page.length === limit && behind.length > 0
    const metadata = {
      resourceVersion: String(version),
      // Lists of custom kinds show that there is none.
      ...(more ? { continue: encodeContinue(version, keyOfThing(last)) } : kind.custom ? { continue: "" } : {}),
      // With a selector the number of remaining objects is unknown.
      ...(more && all ? { remainingItemCount: rest.length - page.length } : {})
    }
    return json(200, written(request, format, page, metadata))
  })

const written = (request: Request, format: Format, things: ReadonlyArray<Thing>, metadata: JsonObject): JsonObject => {
  const { incoming, kind } = request
  const shown = things.map((_) => inVersion(kind, _))
  if (format === "table") return tableOf(request, shown, metadata, incoming.query.get("includeObject"))
  if (format === "partial") {
    return { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items: shown.map(partialOf) }
  }
  return { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata, items: shown.map((_) => item(kind, _)) }
}

/** Items of built-in lists have no kind of their own. */
export const item = (kind: Kind, thing: Thing): JsonObject => (kind.custom ? thing : omit(thing, "apiVersion", "kind"))

/** One object in the representation that the client asks for. */
export const shownAs = (request: Request, format: Format, thing: Thing): JsonObject => {
  const shown = inVersion(request.kind, thing)
  if (format === "partial") return partialOf(shown)
  // The answer to a dry run has no version.
  if (format === "json" && thing.metadata.resourceVersion === "") {
    return { ...shown, metadata: omit(shown.metadata, "resourceVersion") }
  }
  if (format === "json") return shown
  const { resourceVersion } = thing.metadata
  return tableOf(request, [shown], { resourceVersion }, request.incoming.query.get("includeObject"))
}

export const get = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const format = yield* formatOf(request.incoming, request.kind.custom)
    return json(200, shownAs(request, format, yield* current(request)))
  })
