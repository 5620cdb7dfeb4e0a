import type { Call } from "@portico/simulator/Wire"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Predicate } from "effect"

/** A value that the gateway wrote, and its place in the body or in the query: `Cluster spec.storage.size`. */
export interface Written {
  readonly at: string
  readonly value: string
}

/** The leaves of a body. The members of a list have one place, `[]`. */
const leavesOf = (value: unknown, path: string): ReadonlyArray<Written> => {
  if (Array.isArray(value)) return value.flatMap((_) => leavesOf(_, `${path}[]`))
  if (Predicate.isObject(value)) {
    return Object.entries(value).flatMap(([key, _]) => leavesOf(_, path === "" ? key : `${path}.${key}`))
  }
  return [{ at: path, value: String(value) }]
}

/** A merge patch does not say its kind; its path does. */
const kindOf = (path: string, body: unknown): string => {
  if (Predicate.isObject(body) && typeof body["kind"] === "string") return body["kind"]
  return path.split("/").at(-2) ?? ""
}

/** The elements of XML that hold text. */
const elementsIn = (text: string): ReadonlyArray<Written> =>
  [...text.matchAll(/<([A-Za-z]+)>([^<]*)<\/\1>/g)].map(([, at = "", value = ""]) => ({ at, value }))

const writtenBy = ({ body, method, path, query, service }: Call): ReadonlyArray<Written> => {
  if (method === "GET" || method === "HEAD") return []
  const text = Buffer.from(body).toString()
  switch (service) {
    case "kubernetes": {
      if (text === "") return []
      const parsed: unknown = JSON.parse(text)
      return leavesOf(parsed, "").map((_) => ({ ..._, at: `${kindOf(path, parsed)} ${_.at}` }))
    }
    case "designate": {
      const kind = path.includes("/recordsets") ? "recordset" : path.includes("/zones") ? "zone" : "quotas"
      return text === "" ? [] : leavesOf(JSON.parse(text), "").map((_) => ({ ..._, at: `${kind} ${_.at}` }))
    }
    case "rgw": {
      const parameters = [...query].map(([at, value]) => ({ at, value }))
      const all = path.startsWith("/admin/") ? parameters : elementsIn(text)
      return all.map((_) => ({ ..._, at: `${path.startsWith("/admin/") ? "admin" : "S3"} ${_.at}` }))
    }
    default:
      return []
  }
}

/** Runs an effect, and returns what it wrote to Kubernetes, Designate and the object gateway. */
export const writesOf = Effect.fnUntraced(function* <A, E, R>(run: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  const { answer } = cloud
  const written: Array<Written> = []
  yield* Effect.acquireUseRelease(
    Effect.sync(() =>
      Object.assign(cloud, {
        answer: (call: Call) => {
          written.push(...writtenBy(call))
          return answer(call)
        }
      })
    ),
    () => run,
    () => Effect.sync(() => Object.assign(cloud, { answer }))
  )
  return written
})
