import { Effect } from "effect"
import { type Answer, at, idOf, seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers } from "../outcome.ts"
import { Systems } from "../Systems.ts"

type Who = "tenant" | "other"

const made = Effect.fnUntraced(function* (who: Who, collection: string, resource: string, body: object) {
  const { ask } = yield* Systems
  return yield* ask(who, `POST network/${collection}`, { json: { [resource]: body } })
})

const network = Effect.fnUntraced(function* (who: Who, word: string) {
  const { named } = yield* Systems
  return idOf(yield* made(who, "networks", "network", { name: named(word) }), "network")
})

const port = Effect.fnUntraced(function* (who: Who, network_id: string) {
  return idOf(yield* made(who, "ports", "port", { network_id }), "port")
})

/** How a refusal is called: its words name callbacks by numbers of the process. */
const typeSeen = ({ json, status }: Answer): unknown => ({ status, type: at(json, "NeutronError", "type") ?? null })

/** What of a network says whose it is. */
const sharingSeen = (answer: Answer): unknown =>
  answer.status >= 300
    ? seen(answer)
    : {
        status: answer.status,
        shared: at(answer.json, "network", "shared") ?? null,
        external: at(answer.json, "network", "router:external") ?? null
      }

/** Later releases count from another number. */
const unnumbered = (answer: Answer): unknown =>
  JSON.parse(JSON.stringify(seen(answer)).replaceAll(/"revision_number":\d+/g, '"revision_number":"number"'))

/** What tenants seldom use, and could reach each other through. */
export const parts: Cases = {
  "trunks take no port of another's": Effect.gen(function* () {
    const { ask } = yield* Systems
    const [inside, outside] = [yield* network("tenant", "trunk"), yield* network("other", "trunk")]
    const parent = yield* port("tenant", inside)
    const child = yield* port("tenant", inside)
    const foreign = yield* port("other", outside)
    const trunk = yield* made("tenant", "trunks", "trunk", { port_id: parent })
    const own = `network/trunks/${idOf(trunk, "trunk")}`
    const ports = (port_id: string, segmentation_id = 7) => ({
      json: { sub_ports: [{ port_id, segmentation_type: "vlan", segmentation_id }] }
    })
    const outcome = yield* answers(
      {
        made: Effect.succeed(trunk),
        again: made("tenant", "trunks", "trunk", { port_id: parent }),
        ofNothing: made("tenant", "trunks", "trunk", {}),
        ofAnothers: made("other", "trunks", "trunk", { port_id: child }),
        ofAnothersChild: made("other", "trunks", "trunk", { port_id: foreign, ...ports(child).json }),
        addedForeign: ask("tenant", `PUT ${own}/add_subports`, ports(foreign)),
        addedAbsent: ask("tenant", `PUT ${own}/add_subports`, ports(absent.uuid)),
        addedByAnother: ask("other", `PUT ${own}/add_subports`, ports(foreign)),
        added: ask("tenant", `PUT ${own}/add_subports`, ports(child)),
        addedAgain: ask("tenant", `PUT ${own}/add_subports`, ports(child)),
        addedParent: ask("tenant", `PUT ${own}/add_subports`, ports(parent, 9)),
        addedVaguely: ask("tenant", `PUT ${own}/add_subports`, { json: { sub_ports: [{ port_id: child }] } }),
        addedNothing: ask("tenant", `PUT ${own}/add_subports`, { json: {} }),
        ports: ask("tenant", `GET ${own}/get_subports`),
        portsByAnother: ask("other", `GET ${own}/get_subports`),
        byAnother: ask("other", `GET ${own}`),
        changedByAnother: ask("other", `PUT ${own}`, { json: { trunk: { name: "theirs" } } }),
        removedByAnother: ask("other", `DELETE ${own}`),
        parentGoes: ask("tenant", `DELETE network/ports/${parent}`),
        childGoes: ask("tenant", `DELETE network/ports/${child}`),
        off: ask("tenant", `PUT ${own}`, { json: { trunk: { admin_state_up: false } } }),
        takenWhileOff: ask("tenant", `PUT ${own}/remove_subports`, { json: { sub_ports: [{ port_id: child }] } }),
        removedWhileOff: ask("tenant", `DELETE ${own}`),
        on: ask("tenant", `PUT ${own}`, { json: { trunk: { admin_state_up: true } } }),
        takenAbsent: ask("tenant", `PUT ${own}/remove_subports`, { json: { sub_ports: [{ port_id: absent.uuid }] } }),
        taken: ask("tenant", `PUT ${own}/remove_subports`, { json: { sub_ports: [{ port_id: child }] } }),
        removed: ask("tenant", `DELETE ${own}`),
        removedAgain: ask("tenant", `DELETE ${own}`)
      },
      unnumbered
    )
    yield* Effect.forEach([parent, child], (_) => ask("tenant", `DELETE network/ports/${_}`))
    yield* ask("other", `DELETE network/ports/${foreign}`)
    yield* ask("tenant", `DELETE network/networks/${inside}`)
    yield* ask("other", `DELETE network/networks/${outside}`)
    return outcome
  }),

  "a shared network is visible to its target at once, also as an external network": Effect.gen(function* () {
    const { ask, tenant } = yield* Systems
    const shared = yield* network("tenant", "shared")
    const own = `network/networks/${shared}`
    const theirs = yield* network("other", "target")
    const other = String(at((yield* ask("other", `GET network/networks/${theirs}`)).json, "network", "project_id"))
    const policy = (who: Who, more: object = {}) =>
      made(who, "rbac-policies", "rbac_policy", {
        object_type: "network",
        object_id: shared,
        action: "access_as_shared",
        target_tenant: other,
        ...more
      })
    const before = yield* answers({ byAnother: ask("other", `GET ${own}`) })
    const first = yield* policy("tenant")
    const during = yield* answers({
      made: Effect.succeed(first),
      again: policy("tenant"),
      withEverybody: policy("tenant", { target_tenant: "*" }),
      ofNoType: policy("tenant", { object_type: "nonsense" }),
      noAction: policy("tenant", { action: "nonsense" }),
      ofNothing: made("tenant", "rbac-policies", "rbac_policy", { object_type: "network" })
    })
    const refused = yield* answers(
      {
        ofAnothers: policy("other", { target_tenant: tenant, object_id: shared }),
        ofAbsent: policy("other", { object_id: absent.uuid })
      },
      typeSeen
    )
    const external = yield* policy("tenant", { action: "access_as_external" })
    const seenBy = yield* answers(
      { owner: ask("tenant", `GET ${own}`), target: ask("other", `GET ${own}`) },
      sharingSeen
    )
    const policies = [first, external].map((_) => `network/rbac-policies/${idOf(_, "rbac_policy")}`)
    const [one = ""] = policies
    const after = yield* answers({
      changedByTarget: ask("other", `PUT ${own}`, { json: { network: { name: "theirs" } } }),
      removedByTarget: ask("other", `DELETE ${own}`),
      taggedByTarget: ask("other", `PUT ${own}/tags/theirs`),
      tags: ask("tenant", `GET ${own}/tags`),
      policyByAnother: ask("other", `GET ${one}`),
      policyChangedByAnother: ask("other", `PUT ${one}`, { json: { rbac_policy: { target_tenant: tenant } } }),
      policyRemovedByAnother: ask("other", `DELETE ${one}`),
      widened: ask("tenant", `PUT ${one}`, { json: { rbac_policy: { target_tenant: "*" } } })
    })
    const guest = yield* port("other", shared)
    const inUse = yield* answers({ removed: ask("tenant", `DELETE ${one}`) }, typeSeen)
    yield* ask("other", `DELETE network/ports/${guest}`)
    const gone = yield* answers({
      removed: ask("tenant", `DELETE ${one}`),
      removedAgain: ask("tenant", `DELETE ${one}`)
    })
    yield* Effect.forEach(policies, (_) => ask("tenant", `DELETE ${_}`))
    yield* ask("tenant", `DELETE ${own}`)
    yield* ask("other", `DELETE network/networks/${theirs}`)
    return { before, during, refused, seenBy, after, inUse, gone }
  }),

  "every tenant can see and tag an external network, and none can change it": Effect.gen(function* () {
    const { ask } = yield* Systems
    const { json } = yield* ask("tenant", "GET network/networks?router:external=True&is_default=True")
    const id = String(at(json, "networks", 0, "id"))
    const own = `network/networks/${id}`
    const prefixed = `network/qos/networks/${id}`
    const outcome = yield* answers({
      changed: ask("tenant", `PUT ${own}`, { json: { network: { name: "theirs" } } }),
      removed: ask("tenant", `DELETE ${own}`),
      tagged: ask("tenant", `PUT ${own}/tags/contract`),
      untagged: ask("other", `DELETE ${own}/tags/contract`)
    })
    // The prefix of an extension in front of what is no part of it.
    const behindPrefix = yield* answers({
      shown: ask("tenant", `GET ${prefixed}`),
      changed: ask("tenant", `PUT ${prefixed}`, { json: { network: { name: "theirs" } } }),
      tagged: ask("tenant", `PUT ${prefixed}/tags/contract`),
      tags: ask("tenant", `GET ${prefixed}/tags`),
      untagged: ask("other", `DELETE ${prefixed}/tags/contract`),
      routers: ask("tenant", "GET network/qos/routers")
    })
    return { ...outcome, behindPrefix }
  }),

  "address scopes and subnet pools": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const scope = yield* made("tenant", "address-scopes", "address_scope", { name: named("scope"), ip_version: 4 })
    const scopeId = idOf(scope, "address_scope")
    const pool = yield* made("tenant", "subnetpools", "subnetpool", {
      name: named("pool"),
      prefixes: ["10.77.0.0/16"],
      default_prefixlen: 24,
      address_scope_id: scopeId
    })
    const poolId = idOf(pool, "subnetpool")
    const [ownScope, own] = [`network/address-scopes/${scopeId}`, `network/subnetpools/${poolId}`]
    const [inside, outside] = [yield* network("tenant", "pooled"), yield* network("other", "pooled")]
    const subnet = (who: Who, network_id: string, subnetpool_id: string) =>
      made(who, "subnets", "subnet", { network_id, ip_version: 4, subnetpool_id })
    const refused = yield* answers({
      scopeWithoutVersion: made("tenant", "address-scopes", "address_scope", { name: "x" }),
      scopeOfNoVersion: made("tenant", "address-scopes", "address_scope", { name: "x", ip_version: 5 }),
      scopeForAll: made("tenant", "address-scopes", "address_scope", { name: "x", ip_version: 4, shared: true }),
      scopeByAnother: ask("other", `GET ${ownScope}`),
      scopeRemovedByAnother: ask("other", `DELETE ${ownScope}`),
      scopeInUse: ask("tenant", `DELETE ${ownScope}`),
      poolInAnothersScope: made("other", "subnetpools", "subnetpool", {
        name: "x",
        prefixes: ["10.79.0.0/16"],
        address_scope_id: scopeId
      }),
      poolWithout: made("tenant", "subnetpools", "subnetpool", { name: "x" }),
      poolForAll: made("tenant", "subnetpools", "subnetpool", { name: "x", prefixes: ["10.80.0.0/16"], shared: true }),
      poolOverlaps: made("tenant", "subnetpools", "subnetpool", {
        name: "x",
        prefixes: ["10.77.0.0/16"],
        address_scope_id: scopeId
      }),
      poolByAnother: ask("other", `GET ${own}`),
      poolGrownByAnother: ask("other", `PUT ${own}/add_prefixes`, { json: { prefixes: ["10.78.0.0/16"] } }),
      poolRemovedByAnother: ask("other", `DELETE ${own}`),
      subnetOfAnothersPool: subnet("other", outside, poolId),
      subnetOfAbsentPool: subnet("other", outside, absent.uuid)
    })
    const taken = yield* subnet("tenant", inside, poolId)
    const grown = yield* answers({
      grown: ask("tenant", `PUT ${own}/add_prefixes`, { json: { prefixes: ["10.78.0.0/16"] } }),
      shrunk: ask("tenant", `PUT ${own}/remove_prefixes`, { json: { prefixes: ["10.78.0.0/16"] } }),
      shrunkInUse: ask("tenant", `PUT ${own}/remove_prefixes`, { json: { prefixes: ["10.77.0.0/16"] } }),
      inUse: ask("tenant", `DELETE ${own}`),
      subnetGoes: ask("tenant", `DELETE network/subnets/${idOf(taken, "subnet")}`),
      removed: ask("tenant", `DELETE ${own}`),
      removedAgain: ask("tenant", `DELETE ${own}`),
      scopeRemoved: ask("tenant", `DELETE ${ownScope}`)
    })
    yield* ask("tenant", `DELETE network/networks/${inside}`)
    yield* ask("other", `DELETE network/networks/${outside}`)
    return {
      scope: seen(scope),
      refused,
      cidr: at(taken.json, "subnet", "cidr"),
      ofPool: at(taken.json, "subnet", "subnetpool_id") === poolId,
      grown
    }
  }),

  "a floating address forwards to no port of another's": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const { json } = yield* ask("tenant", "GET network/networks?router:external=True&is_default=True")
    const external = String(at(json, "networks", 0, "id"))
    const [inside, outside] = [yield* network("tenant", "forwards"), yield* network("other", "forwards")]
    const subnetId = idOf(
      yield* made("tenant", "subnets", "subnet", { network_id: inside, cidr: "10.8.0.0/24", ip_version: 4 }),
      "subnet"
    )
    const router = `network/routers/${idOf(
      yield* made("tenant", "routers", "router", {
        name: named("forwards"),
        external_gateway_info: { network_id: external }
      }),
      "router"
    )}`
    yield* ask("tenant", `PUT ${router}/add_router_interface`, { json: { subnet_id: subnetId } })
    const own = yield* made("tenant", "ports", "port", {
      network_id: inside,
      fixed_ips: [{ subnet_id: subnetId, ip_address: "10.8.0.9" }]
    })
    const foreign = yield* port("other", outside)
    const floating = idOf(
      yield* made("tenant", "floatingips", "floatingip", { floating_network_id: external }),
      "floatingip"
    )
    const all = `network/floatingips/${floating}/port_forwardings`
    const forward = (who: Who, more: object = {}) =>
      ask(who, `POST ${all}`, {
        json: {
          port_forwarding: {
            protocol: "tcp",
            external_port: 80,
            internal_port: 80,
            internal_port_id: idOf(own, "port"),
            internal_ip_address: "10.8.0.9",
            ...more
          }
        }
      })
    const first = yield* forward("tenant")
    const one = `${all}/${idOf(first, "port_forwarding")}`
    const outcome = yield* answers({
      made: Effect.succeed(first),
      again: forward("tenant"),
      toAnothers: forward("tenant", { internal_port_id: foreign, external_port: 81 }),
      toAbsent: forward("tenant", { internal_port_id: absent.uuid, external_port: 81 }),
      byAnother: forward("other", { internal_port_id: foreign }),
      listedByAnother: ask("other", `GET ${all}`),
      shownByAnother: ask("other", `GET ${one}`),
      removedByAnother: ask("other", `DELETE ${one}`),
      absent: ask("tenant", `GET ${all}/${absent.uuid}`),
      changed: ask("tenant", `PUT ${one}`, { json: { port_forwarding: { external_port: 82 } } }),
      addressGoes: ask("tenant", `DELETE network/floatingips/${floating}`),
      removed: ask("tenant", `DELETE ${one}`),
      addressWent: ask("tenant", `DELETE network/floatingips/${floating}`)
    })
    yield* ask("tenant", `DELETE network/ports/${idOf(own, "port")}`)
    yield* ask("tenant", `PUT ${router}/remove_router_interface`, { json: { subnet_id: subnetId } })
    yield* ask("tenant", `DELETE ${router}`)
    yield* ask("tenant", `DELETE network/networks/${inside}`)
    yield* ask("other", `DELETE network/ports/${foreign}`)
    yield* ask("other", `DELETE network/networks/${outside}`)
    return outcome
  })
}
