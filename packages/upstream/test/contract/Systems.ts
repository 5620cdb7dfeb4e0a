import { Catalog } from "@portico/upstream/openstack/Catalog"
import { Sessions } from "@portico/upstream/openstack/Sessions"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Neutron } from "@portico/upstream/neutron/Neutron"
import type { Upstreams } from "@portico/upstream/Upstreams"
import { Config, Context, Effect, Layer, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type Answer, answered, type Asked } from "./Answer.ts"
import { emptied } from "./emptied.ts"
import { signed } from "./signed.ts"

/** Whose token goes with a call; `nobody` sends none, and a token may be given as it is. */
export type Who = "tenant" | "other" | "control" | "nobody" | { readonly token: string }

/**
 * The systems that the cases run on, simulated or real, with two tenants made
 * for the run and with words for asking what no client asks.
 */
export class Systems extends Context.Service<
  Systems,
  {
    /** Project ids. */
    readonly tenant: string
    readonly other: string
    /** Without a user. */
    readonly spare: string
    /** A name of this run, unlike any other run's. */
    named(word: string): string
    /**
     * One call in the raw.
     *
     * @param line `GET network/networks?limit=1`: the method, the service as the gateway's paths name it, and what
     * follows its address; `rgw` is signed as S3 wants it and its path begins behind the host
     */
    ask(who: Who, line: string, asked?: Asked): Effect.Effect<Answer>
    /** Lets what takes time happen. */
    readonly pause: Effect.Effect<void>
    /** What stands for the run's own in a normalised outcome, by what it is. */
    readonly known: ReadonlyArray<readonly [found: string, shown: string]>
  }
>()("portico/upstream/test/Systems") {
  /**
   * @param prefix of every name, in lower case; eight characters, so that words about lengths are the same
   * @param pause lets a moment pass in which the systems work
   */
  static readonly layerOf = (prefix: string, pause: Effect.Effect<void>) =>
    Layer.effect(
      Systems,
      Effect.gen(function* () {
        const context = yield* Effect.context<Upstreams | HttpClient.HttpClient>()
        const stamp = { stamp: `portico-attempt:${prefix}` }
        const tenant = yield* tenantOf(`${prefix}-tenant`, stamp)
        const other = yield* tenantOf(`${prefix}-other`, stamp)
        const { id: spare } = yield* projectOf(`${prefix}-spare`, stamp)
        const ask = asking({ tenant, other })
        yield* Effect.addFinalizer(() =>
          Effect.provideContext(emptied([ask("tenant"), ask("other")], pause), context).pipe(
            Effect.ignore({ log: true })
          )
        )
        return Systems.of({
          tenant,
          other,
          spare,
          named: (word) => `${prefix}-${word}`,
          ask: (who, line, asked) => Effect.provideContext(ask(who)(line, asked), context),
          pause,
          known: [
            ...(yield* addresses),
            [tenant, "<tenant>"],
            [other, "<other>"],
            [spare, "<spare>"],
            [yield* Effect.flatMap(Sessions, (_) => _.controlProjectId), "<control>"],
            [yield* Effect.flatMap(Neutron, (_) => _.externalNetwork), "<external>"],
            [prefix, "<run>"],
            [prefix.toUpperCase(), "<RUN>"],
            [prefix.replaceAll("-", ""), "<run>"],
            ["http://identity.internal:5000", "<identity>"]
          ]
        })
      })
    ).pipe(Layer.orDie)
}

/** Where the services are, without their versions: what their links begin with. */
const addresses = Effect.gen(function* () {
  const { find } = yield* Catalog
  const rgw = (yield* Config.URL("RGW_URL")).href.replace(/\/+$/, "")
  return [
    ...services.flatMap((service) => {
      const base = find(service)
      return base === undefined ? [] : [[base.replace(/\/v\d[.\d]*$/, ""), `<${service}>`] as const]
    }),
    [rgw, "<rgw>"] as const
  ]
})

const services = ["identity", "compute", "network", "volume", "image", "dns", "load-balancer", "key-manager"]

const projectOf = Effect.fnUntraced(function* (name: string, stamp: { readonly stamp: string }) {
  const keystone = yield* Keystone
  const neutron = yield* Neutron
  return yield* Effect.acquireRelease(keystone.createProject({ ...stamp, name, description: name }), ({ id }) =>
    Effect.ignore(Effect.andThen(Effect.ignore(neutron.removeDefaultSecurityGroup(id)), keystone.removeProject(id)), {
      log: true
    })
  )
})

const tenantOf = Effect.fnUntraced(function* (name: string, stamp: { readonly stamp: string }) {
  const keystone = yield* Keystone
  const { id: projectId } = yield* projectOf(name, stamp)
  yield* Effect.acquireRelease(keystone.createTenantUser({ ...stamp, projectId }), () =>
    Effect.ignore(keystone.removeTenantUser({ ...stamp, projectId }), { log: true })
  )
  return projectId
})

const asking = (projects: { readonly tenant: string; readonly other: string }) => (who: Who) =>
  Effect.fnUntraced(function* (line: string, asked: Asked = {}) {
    const client = yield* HttpClient.HttpClient
    const [method = "", target = ""] = line.split(" ")
    const url = yield* urlOf(target)
    const headers = { accept: "application/json", ...(yield* proof(who, projects)), ...asked.headers }
    const text = asked.text ?? (asked.json === undefined ? undefined : JSON.stringify(asked.json))
    const type = asked.type ?? "application/json"
    const request = HttpClientRequest.make(method as "GET")(url, { headers }).pipe((_) =>
      text === undefined ? _ : HttpClientRequest.bodyText(_, text, type)
    )
    const ready = target.startsWith("rgw/") && who !== "nobody" ? yield* signed(request, asked.key) : request
    return yield* client.execute(ready).pipe(
      Effect.flatMap((_) => Effect.map(_.text, (text) => answered(_.status, _.headers, text))),
      // A service that breaks over a request closes the connection, and says nothing.
      Effect.catch(() => Effect.succeed(answered(0, {}, "no answer")))
    )
  }, Effect.orDie)

const urlOf = Effect.fnUntraced(function* (target: string) {
  const slash = target.indexOf("/")
  const [service, rest] = [target.slice(0, slash), target.slice(slash)]
  if (service === "rgw") return `${(yield* Config.URL("RGW_URL")).href.replace(/\/+$/, "")}${rest}`
  const base = (yield* Catalog).find(service)
  return base === undefined ? yield* Effect.die(`no service ${service}`) : `${base}${rest}`
})

const proof = Effect.fnUntraced(function* (who: Who, projects: { readonly tenant: string; readonly other: string }) {
  if (who === "nobody") return {}
  if (typeof who === "object") return { "x-auth-token": who.token }
  const sessions = yield* Sessions
  const session = yield* who === "control" ? sessions.control : sessions.tenant(projects[who])
  return { "x-auth-token": Redacted.value(session.token) }
})
