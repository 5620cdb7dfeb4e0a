import { Context, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { randomUUID } from "node:crypto"
import type { Entry } from "./Cmdb.ts"

/** Which call is answered with 503 once, and whether it has its effect all the same. */
export interface Fault {
  readonly call: string
  readonly when: "before" | "after"
}

/** What the simulated cloud does not have, in memory: the company's inventory. */
export class Company extends Context.Service<
  Company,
  {
    readonly entries: Map<string, Entry>
    /** What was asked, in order: `POST /entries`. */
    readonly calls: Array<string>
    readonly faults: Array<Fault>
  }
>()("example/Company") {
  static readonly layer = Layer.sync(Company, () => Company.of({ entries: new Map(), calls: [], faults: [] }))
}

/** Sends what goes to the inventory there, and everything else where it went before. */
export const reachable = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const others = yield* HttpClient.HttpClient
    const company = yield* Company
    return HttpClient.make((request, url) =>
      url.host === "cmdb.example"
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
  const answer = cmdb(company, request, url)
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
