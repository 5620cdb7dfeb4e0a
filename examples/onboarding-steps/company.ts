import { Context, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Entry } from "./Cmdb.ts"

interface Zone {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly project_id: string
  status: "PENDING" | "ACTIVE"
  action: "CREATE" | "DELETE" | "NONE"
}

/** Which call is answered with 503 once, and whether it has its effect all the same. */
export interface Fault {
  readonly call: string
  readonly when: "before" | "after"
}

/** What the simulated cloud does not have, in memory: the company's inventory, and Designate as far as the step asks it. */
export class Company extends Context.Service<
  Company,
  {
    readonly entries: Map<string, Entry>
    readonly zones: Map<string, Zone>
    /** What was asked, in order: `POST /zones`. */
    readonly calls: Array<string>
    readonly faults: Array<Fault>
  }
>()("example/Company") {
  static readonly layer = Layer.sync(Company, () =>
    Company.of({ entries: new Map(), zones: new Map(), calls: [], faults: [] })
  )
}

const hosts: ReadonlyArray<string> = ["cmdb.example", "dns.example"]

/** Sends what goes to the company's hosts there, and everything else where it went before. */
export const reachable = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const others = yield* HttpClient.HttpClient
    const company = yield* Company
    return HttpClient.make((request, url) =>
      hosts.includes(url.host)
        ? Effect.sync(() => HttpClientResponse.fromWeb(request, answered(company, request, url)))
        : others.execute(request)
    )
  })
)

const answered = (company: Company["Service"], request: HttpClientRequest.HttpClientRequest, url: URL): Response => {
  const call = `${request.method} ${url.pathname.replace(/\/[0-9a-f-]{36}$/, "/*")}`
  company.calls.push(call)
  const at = company.faults.findIndex((_) => _.call === call)
  const [fault] = at < 0 ? [] : company.faults.splice(at, 1)
  const broken = () => Response.json({ message: "out of order" }, { status: 503 })
  if (fault?.when === "before") return broken()
  const answer = url.host === "dns.example" ? designate(company, request, url) : cmdb(company, request, url)
  return fault === undefined ? answer : broken()
}

const idIn = (url: URL): string => url.pathname.split("/")[2] ?? ""

const bodyOf = <A>(schema: Schema.Codec<A, unknown>, { body }: HttpClientRequest.HttpClientRequest): A =>
  Schema.decodeUnknownSync(Schema.fromJsonString(schema))(
    new TextDecoder().decode(body._tag === "Uint8Array" ? body.body : new Uint8Array())
  )

const NewEntry = Schema.Struct({ key: Schema.String, owner: Schema.String, origin: Schema.String })

const cmdb = ({ entries }: Company["Service"], request: HttpClientRequest.HttpClientRequest, url: URL): Response => {
  switch (request.method) {
    case "POST": {
      const entry = bodyOf(NewEntry, request)
      if ([...entries.values()].some((_) => _.key === entry.key)) {
        return Response.json({ message: `There is an entry ${entry.key}` }, { status: 409 })
      }
      const id = randomUUID()
      entries.set(id, { id, ...entry })
      return Response.json({ id, ...entry }, { status: 201 })
    }
    case "DELETE":
      return new Response(null, { status: entries.delete(idIn(url)) ? 204 : 404 })
    default: {
      const found = [...entries.values()].filter((_) => _.origin === url.searchParams.get("origin"))
      return Response.json({ entries: found })
    }
  }
}

const NewZone = Schema.Struct({
  name: Schema.String,
  email: Schema.String,
  description: Schema.optionalKey(Schema.String)
})

const refusal = (code: number, type: string, message: string): Response =>
  Response.json({ code, type, message, request_id: `req-${randomUUID()}` }, { status: code })

const designate = ({ zones }: Company["Service"], request: HttpClientRequest.HttpClientRequest, url: URL): Response => {
  const { headers } = request
  if (headers["x-auth-token"] === undefined) {
    return Response.json({ error: { code: 401, title: "Unauthorized" } }, { status: 401 })
  }
  const everywhere = headers["x-auth-all-projects"] === "true"
  switch (request.method) {
    case "POST": {
      const { description = null, name } = bodyOf(NewZone, request)
      if ([...zones.values()].some((_) => _.name === name)) return refusal(409, "duplicate_zone", "Duplicate Zone")
      const project_id = headers["x-auth-sudo-project-id"] ?? "admin"
      const zone: Zone = { id: randomUUID(), name, description, project_id, status: "PENDING", action: "CREATE" }
      zones.set(zone.id, zone)
      return Response.json(zone, { status: 202 })
    }
    case "DELETE": {
      const zone = zones.get(idIn(url))
      if (zone === undefined || !everywhere) return refusal(404, "zone_not_found", "Could not find Zone")
      zone.status = "PENDING"
      zone.action = "DELETE"
      return Response.json(zone, { status: 202 })
    }
    default: {
      const found = [...zones.values()].filter((_) => everywhere && _.name === url.searchParams.get("name"))
      const answer = Response.json({ zones: found, links: {}, metadata: { total_count: found.length } })
      // What was pending is done by the next time that somebody looks.
      for (const zone of found) {
        if (zone.action === "DELETE") zones.delete(zone.id)
        zone.status = "ACTIVE"
        zone.action = "NONE"
      }
      return answer
    }
  }
}
