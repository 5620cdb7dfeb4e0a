import type { ServiceQuotas } from "@portico/contract/Tiers"
import { Config, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Stamp } from "../keystone/Keystone.ts"
import { controlled, ttlOnSuccess } from "../openstack/openstack.ts"
import { postJson, putJson } from "../requests.ts"
import { UpstreamError } from "../UpstreamError.ts"

const Id = Schema.Struct({ id: Schema.String })
const Usage = Schema.Struct({ limit: Schema.Int, used: Schema.Int })
const Detail = Schema.Struct({ network: Usage, router: Usage, floatingip: Usage })
const External = Schema.Struct({ id: Schema.String, is_default: Schema.optionalKey(Schema.NullOr(Schema.Boolean)) })

/** The limits outside the tiers, by resource. A response may also contain the project's id, which is no number. */
const others = (limits: ReadonlyArray<readonly [resource: string, limit: unknown]>) =>
  Object.fromEntries(limits.filter(([name, limit]) => !(name in Detail.fields) && typeof limit === "number"))

/** A tenant's resource. The stamp goes into its description, which Neutron can filter by. */
export interface Named extends Stamp {
  readonly projectId: string
  readonly name: string
}

/**
 * The tenant's basic network and its quotas, under the control identity. Names
 * are not unique in Neutron: every created resource carries a stamp in its
 * description, and every removal goes by the stamp.
 */
export class Neutron extends Context.Service<
  Neutron,
  {
    /** The platform's external network: the configured one, else the default one, else the only one. */
    readonly externalNetwork: Effect.Effect<string, UpstreamError>
    createNetwork(options: Named): Effect.Effect<string, UpstreamError>
    createSubnet(options: Named & { readonly networkId: string }): Effect.Effect<string, UpstreamError>
    /** Creates the router with a gateway to the external network and SNAT on. */
    createRouter(options: Named & { readonly externalNetworkId: string }): Effect.Effect<string, UpstreamError>
    addInterface(options: { readonly routerId: string; readonly subnetId: string }): Effect.Effect<void, UpstreamError>
    /**
     * The resource that carries the stamp in this project, else the one with
     * the name: the tenant can change the description.
     */
    find(kind: "network" | "subnet" | "router", options: Named): Effect.Effect<string | undefined, UpstreamError>
    hasInterface(options: {
      readonly routerId: string
      readonly subnetId: string
    }): Effect.Effect<boolean, UpstreamError>
    /** Adds a gateway with SNAT to a router that has none. An existing gateway stays unchanged. */
    ensureUplink(options: {
      readonly routerId: string
      readonly externalNetworkId: string
    }): Effect.Effect<void, UpstreamError>
    removeNetworks(stamp: Stamp): Effect.Effect<void, UpstreamError>
    removeSubnets(stamp: Stamp): Effect.Effect<void, UpstreamError>
    removeRouters(stamp: Stamp): Effect.Effect<void, UpstreamError>
    removeInterfaces(stamp: Stamp): Effect.Effect<void, UpstreamError>
    /** The `default` group that Neutron creates when a project first uses the network. */
    removeDefaultSecurityGroup(projectId: string): Effect.Effect<void, UpstreamError>
    writeQuotas(projectId: string, quotas: ServiceQuotas["neutron"]): Effect.Effect<void, UpstreamError>
    /** Writes limits even below the usage, in the way that this release supports. */
    forceQuotas(projectId: string, quotas: ServiceQuotas["neutron"]): Effect.Effect<void, UpstreamError>
    /**
     * Freezes the quotas outside the tiers, such as ports, security groups and
     * their rules, at the current usage, so that a replacement still fits.
     */
    closeOthers(projectId: string): Effect.Effect<void, UpstreamError>
    /** Restores the defaults of the quotas that {@link closeOthers} writes. */
    resetOthers(projectId: string): Effect.Effect<void, UpstreamError>
    readQuotas(projectId: string): Effect.Effect<typeof Detail.Type, UpstreamError>
    removeQuotas(projectId: string): Effect.Effect<void, UpstreamError>
  }
>()("portico/upstream/neutron/Neutron") {
  static readonly layer = Layer.effect(
    Neutron,
    Effect.gen(function* () {
      const system = yield* controlled("neutron", "network")
      const configured = yield* Config.option(Config.String("EXTERNAL_NETWORK_ID"))
      const cidr = yield* Config.String("TENANT_SUBNET_CIDR").pipe(Config.withDefault("10.0.0.0/24"))
      const nameservers = yield* Config.String("TENANT_DNS_NAMESERVERS").pipe(Config.withDefault(""))

      const externalNetwork = yield* Effect.cachedWithTTL(
        Effect.gen(function* () {
          const { networks } = yield* system.read(
            "find external network",
            HttpClientRequest.get("/networks", { urlParams: { "router:external": "true", status: "ACTIVE" } }),
            Schema.Struct({ networks: Schema.Array(External) })
          )
          const chosen = Option.match(configured, {
            onSome: (id) => networks.find((_) => _.id === id),
            onNone: () =>
              networks.find((_) => _.is_default === true) ?? (networks.length === 1 ? networks[0] : undefined)
          })
          if (chosen !== undefined) return chosen.id
          return yield* new UpstreamError({
            upstream: "neutron",
            call: "find external network",
            status: 404,
            detail: `${networks.length} external networks and none of them is the configured or the default one`
          })
        }),
        ttlOnSuccess(Duration.minutes(5))
      )

      // A hyphen in the path is an underscore in the body.
      const list = (call: string, path: string, filter: Readonly<Record<string, string>>) => {
        const collection = path.replaceAll("-", "_")
        return Effect.map(
          system.read(
            call,
            HttpClientRequest.get(`/${path}`, { urlParams: { ...filter, fields: "id" } }),
            Schema.Struct({ [collection]: Schema.Array(Id) })
          ),
          (_) => (_[collection] ?? []).map(({ id }) => id)
        )
      }

      // A create is sent once: names are not unique, so a retry could create a second resource. A resource whose
      // response was lost is removed by its stamp.
      const create = Effect.fnUntraced(function* (
        kind: string,
        { name, projectId, stamp }: Named,
        attributes: Readonly<Record<string, unknown>>
      ) {
        const body = { [kind]: { name, project_id: projectId, description: stamp, ...attributes } }
        const made = yield* system.write(`create ${kind}`, postJson(`/${kind}s`, body), Schema.Struct({ [kind]: Id }))
        const id = made[kind]?.id
        if (id !== undefined) return id
        return yield* new UpstreamError({ upstream: "neutron", call: `create ${kind}`, status: 201, detail: "no id" })
      })

      const removeEach = (kind: string, path: string, ids: ReadonlyArray<string>) =>
        Effect.forEach(ids, (id) => system.remove(`remove ${kind}`, HttpClientRequest.delete(`/${path}/${id}`)), {
          discard: true
        })

      const removeAll = Effect.fnUntraced(function* (kind: string, { stamp }: Stamp) {
        const ids = yield* list(`list ${kind}s`, `${kind}s`, { description: stamp })
        yield* removeEach(kind, `${kind}s`, ids)
      })

      const interfaceCall = (verb: "add" | "remove", routerId: string, subnetId: string) =>
        putJson(`/routers/${routerId}/${verb}_router_interface`, { subnet_id: subnetId })

      /** The subnets of the router's interfaces. */
      const interfacesOf = Effect.fnUntraced(function* (routerId: string) {
        const { ports } = yield* system.read(
          "list interfaces",
          HttpClientRequest.get("/ports", {
            urlParams: { device_id: routerId, device_owner: "network:router_interface", fields: "fixed_ips" }
          }),
          Schema.Struct({
            ports: Schema.Array(Schema.Struct({ fixed_ips: Schema.Array(Schema.Struct({ subnet_id: Schema.String })) }))
          })
        )
        return ports.flatMap((_) => _.fixed_ips.map((ip) => ip.subnet_id))
      })

      const removeInterfaces = Effect.fn("Neutron.removeInterfaces")(function* ({ stamp }: Stamp) {
        const routers = yield* list("list routers", "routers", { description: stamp })
        yield* Effect.forEach(
          routers,
          Effect.fnUntraced(function* (routerId) {
            yield* Effect.forEach(
              yield* interfacesOf(routerId),
              (subnetId) => system.remove("remove interface", interfaceCall("remove", routerId, subnetId)),
              { discard: true }
            )
          }),
          { discard: true }
        )
      })

      const find = Effect.fn("Neutron.find")(function* (
        kind: "network" | "subnet" | "router",
        { name, projectId, stamp }: Named
      ) {
        const by = (filter: Readonly<Record<string, string>>) =>
          list(`find ${kind}`, `${kind}s`, { project_id: projectId, ...filter })
        const [found] = yield* by({ description: stamp })
        return found ?? (yield* by({ name }))[0]
      })

      const ensureUplink = Effect.fn("Neutron.ensureUplink")(function* (options: {
        readonly routerId: string
        readonly externalNetworkId: string
      }) {
        const path = `/routers/${options.routerId}`
        const { router } = yield* system.read(
          "show router",
          HttpClientRequest.get(path),
          Schema.Struct({ router: Schema.Struct({ external_gateway_info: Schema.NullOr(Schema.Unknown) }) })
        )
        if (router.external_gateway_info !== null) return
        yield* system.send(
          "set uplink",
          putJson(path, { router: { external_gateway_info: uplinkTo(options.externalNetworkId) } })
        )
      })

      const url = (projectId: string) => `/quotas/${encodeURIComponent(projectId)}`
      const put = (projectId: string, quota: object) => system.send("write quotas", putJson(url(projectId), { quota }))

      // Newer releases reject a limit below the usage without `force`; older ones do not know `force`.
      const supportsForce = yield* Effect.cachedWithTTL(
        Effect.map(
          system.find(
            "find extension",
            HttpClientRequest.get("/extensions/quota-check-limit-default"),
            Schema.Struct({ extension: Schema.Struct({ alias: Schema.String }) })
          ),
          (_) => _ !== undefined
        ),
        ttlOnSuccess(Duration.hours(1))
      )

      const force = Effect.fnUntraced(function* (projectId: string, quota: Readonly<Record<string, unknown>>) {
        yield* put(projectId, (yield* supportsForce) ? { ...quota, force: true } : quota)
      })

      return Neutron.of({
        externalNetwork,
        createNetwork: (options) => create("network", options, { admin_state_up: true }),
        createSubnet: (options) =>
          create("subnet", options, {
            network_id: options.networkId,
            ip_version: 4,
            cidr,
            enable_dhcp: true,
            ...(nameservers === "" ? {} : { dns_nameservers: nameservers.split(",").map((_) => _.trim()) })
          }),
        createRouter: (options) =>
          create("router", options, { external_gateway_info: uplinkTo(options.externalNetworkId) }),
        find,
        ensureUplink,
        hasInterface: ({ routerId, subnetId }) =>
          Effect.map(interfacesOf(routerId), (subnets) => subnets.includes(subnetId)),
        addInterface: ({ routerId, subnetId }) =>
          system.send("add interface", interfaceCall("add", routerId, subnetId)),
        removeNetworks: (stamp) => removeAll("network", stamp),
        removeSubnets: (stamp) => removeAll("subnet", stamp),
        removeRouters: (stamp) => removeAll("router", stamp),
        removeInterfaces,
        removeDefaultSecurityGroup: Effect.fn("Neutron.removeDefaultSecurityGroup")(function* (projectId) {
          // Listing creates a missing group, so it is listed once and never after the removal.
          const ids = yield* list("list security groups", "security-groups", { project_id: projectId, name: "default" })
          yield* removeEach("security group", "security-groups", ids)
        }),
        writeQuotas: put,
        forceQuotas: Effect.fn("Neutron.forceQuotas")(force),
        closeOthers: Effect.fn("Neutron.closeOthers")(function* (projectId) {
          const { quota } = yield* system.read(
            "read other quotas",
            HttpClientRequest.get(`${url(projectId)}/details.json`),
            Schema.Struct({ quota: Schema.Record(Schema.String, Schema.Struct({ used: Schema.Int })) })
          )
          yield* force(projectId, others(Object.entries(quota).map(([name, { used }]) => [name, used] as const)))
        }),
        resetOthers: Effect.fn("Neutron.resetOthers")(function* (projectId) {
          const { quota } = yield* system.read(
            "read default quotas",
            HttpClientRequest.get(`${url(projectId)}/default`),
            Schema.Struct({ quota: Schema.Record(Schema.String, Schema.Unknown) })
          )
          yield* force(projectId, others(Object.entries(quota)))
        }),
        readQuotas: (projectId) =>
          Effect.map(
            system.read(
              "read quotas",
              HttpClientRequest.get(`${url(projectId)}/details.json`),
              Schema.Struct({ quota: Detail })
            ),
            (_) => _.quota
          ),
        removeQuotas: (projectId) => system.remove("remove quotas", HttpClientRequest.delete(url(projectId)))
      })
    })
  )
}

const uplinkTo = (networkId: string) => ({ network_id: networkId, enable_snat: true })
