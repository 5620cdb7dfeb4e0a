import { Neutron } from "@portico/upstream/neutron/Neutron"
import { Effect } from "effect"
import { type Answer, at, idOf, seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const made = (created: Answer, key: string) => ({ [key]: seen(created) })

const network = Effect.fnUntraced(function* (word: string) {
  const { ask, named } = yield* Systems
  return yield* ask("tenant", "POST network/networks", { json: { network: { name: named(word) } } })
})

const subnet = (network_id: string, cidr: string) =>
  Effect.flatMap(Systems, ({ ask }) =>
    ask("tenant", "POST network/subnets", { json: { subnet: { network_id, cidr, ip_version: 4 } } })
  )

const names =
  (key: string) =>
  (answer: Answer): unknown => {
    const items = at(answer.json, key)
    return Array.isArray(items)
      ? {
          status: answer.status,
          names: items.map((_) => at(_, "name")),
          links: at(answer.json, `${key}_links`) ?? null
        }
      : seen(answer)
  }

/** What the gateway only forwards to Neutron. */
export const forwarded: Cases = {
  "a network in the raw: created, shown, changed, tagged, removed twice": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const created = yield* network("raw")
    const own = `network/networks/${idOf(created, "network")}`
    return yield* answers({
      created: Effect.succeed(created),
      again: Effect.map(network("raw"), (_) => ({ ..._, json: undefined, text: "names are not unique" })),
      shown: ask("tenant", `GET ${own}`),
      byAnother: ask("other", `GET ${own}`),
      changedByAnother: ask("other", `PUT ${own}`, { json: { network: { name: "theirs" } } }),
      removedByAnother: ask("other", `DELETE ${own}`),
      renamed: ask("tenant", `PUT ${own}`, { json: { network: { name: named("renamed") } } }),
      stale: ask("tenant", `PUT ${own}`, {
        json: { network: { name: "stale" } },
        headers: { "if-match": "revision_number=1" }
      }),
      longName: ask("tenant", `PUT ${own}`, { json: { network: { name: "x".repeat(256) } } }),
      shared: ask("tenant", `PUT ${own}`, { json: { network: { shared: true } } }),
      external: ask("tenant", `PUT ${own}`, { json: { network: { "router:external": true } } }),
      tagged: Effect.map(ask("tenant", `PUT ${own}/tags`, { json: { tags: ["b", "a"] } }), sortedTags),
      taggedOne: ask("tenant", `PUT ${own}/tags/c`),
      taggedAgain: ask("tenant", `PUT ${own}/tags/c`),
      tags: Effect.map(ask("tenant", `GET ${own}/tags`), sortedTags),
      tagChecked: ask("tenant", `GET ${own}/tags/c`),
      tagMissing: ask("tenant", `GET ${own}/tags/missing`),
      longTag: ask("tenant", `PUT ${own}/tags`, { json: { tags: ["x".repeat(256)] } }),
      tagsOfNothing: ask("tenant", `PUT ${own}/tags`, { json: {} }),
      untagged: ask("tenant", `DELETE ${own}/tags/c`),
      untaggedAgain: ask("tenant", `DELETE ${own}/tags/c`),
      byTag: ask("tenant", "GET network/networks?tags=a,b&fields=name"),
      tagsCleared: ask("tenant", `DELETE ${own}/tags`),
      removed: ask("tenant", `DELETE ${own}`),
      removedAgain: ask("tenant", `DELETE ${own}`),
      shownAfter: ask("tenant", `GET ${own}`)
    })
  }),

  "networks come in pages": Effect.gen(function* () {
    const { ask } = yield* Systems
    const created = [yield* network("page-one"), yield* network("page-two")]
    const [one = "", two = ""] = created.map((_) => idOf(_, "network"))
    const list = (query: string, who: "tenant" | "other" = "tenant") =>
      ask(who, `GET network/networks?sort_key=name&router:external=False${query}`)
    const pages = yield* answers(
      {
        all: list(`&id=${one}&id=${two}`),
        first: list(`&id=${one}&id=${two}&limit=1`),
        second: list(`&id=${one}&id=${two}&limit=1&marker=${one}`),
        third: list(`&id=${one}&id=${two}&limit=1&marker=${two}`),
        backwards: list(`&id=${one}&id=${two}&limit=1&marker=${two}&page_reverse=True`),
        descending: list(`&id=${one}&id=${two}&sort_dir=desc`),
        noMarker: list(`&limit=1&marker=${absent.uuid}`),
        badLimit: list("&limit=many"),
        negative: list("&limit=-1"),
        badSort: ask("tenant", "GET network/networks?sort_key=colour&limit=1"),
        badDirection: ask("tenant", "GET network/networks?sort_key=name&sort_dir=sideways&limit=1"),
        unknownFilter: list("&colour=green"),
        ofOthers: list(`&id=${one}`, "other"),
        fields: ask("tenant", `GET network/networks?id=${one}&fields=name&fields=id`)
      },
      names("networks")
    )
    for (const id of [one, two]) yield* ask("tenant", `DELETE network/networks/${id}`)
    return pages
  }),

  "resources in use": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const inside = yield* network("used")
    const networkId = idOf(inside, "network")
    const range = yield* subnet(networkId, "10.9.0.0/24")
    const subnetId = idOf(range, "subnet")
    const router = yield* ask("tenant", "POST network/routers", { json: { router: { name: named("used") } } })
    const own = `network/routers/${idOf(router, "router")}`
    const port = yield* ask("tenant", "POST network/ports", {
      json: { port: { network_id: networkId, fixed_ips: [{ ip_address: "10.9.0.9" }] } }
    })
    const join = (body: unknown) => ask("tenant", `PUT ${own}/add_router_interface`, { json: body })
    const leave = (body: unknown) => ask("tenant", `PUT ${own}/remove_router_interface`, { json: body })
    const during = yield* answers({
      router: Effect.succeed(router),
      subnet: Effect.succeed(range),
      port: Effect.succeed(port),
      joined: join({ subnet_id: subnetId }),
      joinedAgain: join({ subnet_id: subnetId }),
      joinedToNothing: join({ subnet_id: absent.uuid }),
      joinedNothing: join({}),
      joinedBoth: join({ subnet_id: subnetId, port_id: idOf(port, "port") }),
      networkInUse: ask("tenant", `DELETE network/networks/${networkId}`),
      subnetInUse: ask("tenant", `DELETE network/subnets/${subnetId}`),
      routerInUse: ask("tenant", `DELETE ${own}`),
      addressTaken: ask("tenant", "POST network/ports", {
        json: { port: { network_id: networkId, fixed_ips: [{ ip_address: "10.9.0.9" }] } }
      }),
      addressOutside: ask("tenant", "POST network/ports", {
        json: { port: { network_id: networkId, fixed_ips: [{ ip_address: "10.10.0.9" }] } }
      }),
      overlap: subnet(networkId, "10.9.0.0/25"),
      leftNothing: leave({ subnet_id: absent.uuid }),
      left: leave({ subnet_id: subnetId }),
      leftAgain: leave({ subnet_id: subnetId }),
      portRemoved: ask("tenant", `DELETE network/ports/${idOf(port, "port")}`),
      portRemovedAgain: ask("tenant", `DELETE network/ports/${idOf(port, "port")}`),
      routerRemoved: ask("tenant", `DELETE ${own}`),
      routerRemovedAgain: ask("tenant", `DELETE ${own}`),
      subnetRemoved: ask("tenant", `DELETE network/subnets/${subnetId}`),
      subnetRemovedAgain: ask("tenant", `DELETE network/subnets/${subnetId}`),
      networkRemoved: ask("tenant", `DELETE network/networks/${networkId}`)
    })
    return { ...made(inside, "network"), ...during }
  }),

  "router interfaces of members, and gateways that are not theirs": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const external = yield* Effect.flatMap(Neutron, (_) => _.externalNetwork)
    const router = (attributes: object) =>
      ask("tenant", "POST network/routers", { json: { router: { name: named("gateway"), ...attributes } } })
    const plain = yield* router({})
    const own = `network/routers/${idOf(plain, "router")}`
    const put = (external_gateway_info: unknown) =>
      ask("tenant", `PUT ${own}`, { json: { router: { external_gateway_info } } })
    return yield* answers({
      snat: router({ external_gateway_info: { network_id: external, enable_snat: true } }),
      addresses: router({ external_gateway_info: { network_id: external, external_fixed_ips: [] } }),
      distributed: router({ distributed: true }),
      ha: router({ ha: true }),
      set: put({ network_id: external }),
      setAgain: put({ network_id: external }),
      snatOff: put({ network_id: external, enable_snat: false }),
      cleared: put(null),
      toNothing: put({ network_id: absent.uuid }),
      removed: ask("tenant", `DELETE ${own}`)
    })
  }),

  "floating addresses": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const neutron = yield* Neutron
    const external = yield* neutron.externalNetwork
    const inside = yield* network("floating")
    const networkId = idOf(inside, "network")
    const subnetId = idOf(yield* subnet(networkId, "10.8.0.0/24"), "subnet")
    const port = idOf(
      yield* ask("tenant", "POST network/ports", {
        json: { port: { network_id: networkId, fixed_ips: [{ ip_address: "10.8.0.9" }] } }
      }),
      "port"
    )
    const router = yield* ask("tenant", "POST network/routers", {
      json: { router: { name: named("floating"), external_gateway_info: { network_id: external } } }
    })
    const own = `network/routers/${idOf(router, "router")}`
    const post = (floatingip: object) => ask("tenant", "POST network/floatingips", { json: { floatingip } })
    const address = yield* post({ floating_network_id: external })
    const ip = `network/floatingips/${idOf(address, "floatingip")}`
    const put = (port_id: unknown) => ask("tenant", `PUT ${ip}`, { json: { floatingip: { port_id } } })
    return yield* answers({
      made: Effect.succeed(address),
      shown: ask("tenant", `GET ${ip}`),
      byAnother: ask("other", `GET ${ip}`),
      unreachable: put(port),
      joined: ask("tenant", `PUT ${own}/add_router_interface`, { json: { subnet_id: subnetId } }),
      associated: put(port),
      routerInUse: ask("tenant", `PUT ${own}`, { json: { router: { external_gateway_info: null } } }),
      interfaceInUse: ask("tenant", `PUT ${own}/remove_router_interface`, { json: { subnet_id: subnetId } }),
      second: post({ floating_network_id: external, port_id: port }),
      associatedToNothing: put(absent.uuid),
      disassociated: put(null),
      ofNothing: post({ floating_network_id: absent.uuid }),
      ofInside: post({ floating_network_id: networkId }),
      ofNone: post({}),
      removed: ask("tenant", `DELETE ${ip}`),
      removedAgain: ask("tenant", `DELETE ${ip}`),
      left: ask("tenant", `PUT ${own}/remove_router_interface`, { json: { subnet_id: subnetId } }),
      routerRemoved: ask("tenant", `DELETE ${own}`),
      portRemoved: ask("tenant", `DELETE network/ports/${port}`),
      networkRemoved: ask("tenant", `DELETE network/networks/${networkId}`)
    })
  }),

  "security groups and their rules": Effect.gen(function* () {
    const { ask, named, tenant } = yield* Systems
    const group = yield* ask("tenant", "POST network/security-groups", {
      json: { security_group: { name: named("group"), description: "d" } }
    })
    const id = idOf(group, "security_group")
    const post = (rule: object) =>
      ask("tenant", "POST network/security-group-rules", {
        json: { security_group_rule: { security_group_id: id, direction: "ingress", protocol: "tcp", ...rule } }
      })
    const web = { port_range_min: 443, port_range_max: 443, remote_ip_prefix: "192.0.2.0/24" }
    const rule = yield* post(web)
    return yield* answers({
      group: Effect.succeed(sortedRules(group)),
      rule: Effect.succeed(rule),
      ruleAgain: post(web),
      openRule: post({ port_range_min: 80, port_range_max: 80, remote_ip_prefix: "0.0.0.0/0" }),
      openAgain: post({ port_range_min: 80, port_range_max: 80 }),
      portsBackwards: post({ port_range_min: 2, port_range_max: 1 }),
      portTooHigh: post({ port_range_min: 1, port_range_max: 65_536 }),
      portsOfNoProtocol: post({ protocol: null, port_range_min: 1, port_range_max: 2 }),
      oddProtocol: post({ protocol: "nonsense" }),
      protocolTooHigh: post({ protocol: 256 }),
      oddPrefix: post({ remote_ip_prefix: "nonsense" }),
      hostBits: post({ port_range_min: 81, port_range_max: 81, remote_ip_prefix: "192.0.2.1/24" }),
      wrongFamily: post({ ethertype: "IPv6", remote_ip_prefix: "192.0.2.0/24" }),
      oddDirection: post({ direction: "sideways" }),
      noGroup: post({ security_group_id: absent.uuid }),
      noRemoteGroup: post({ remote_group_id: absent.uuid }),
      bothRemotes: post({ remote_group_id: id, remote_ip_prefix: "192.0.2.0/24" }),
      unknownField: post({ colour: "green" }),
      byAnother: ask("other", `GET network/security-groups/${id}`),
      ruleByAnother: ask("other", `GET network/security-group-rules/${idOf(rule, "security_group_rule")}`),
      secondDefault: ask("tenant", "POST network/security-groups", { json: { security_group: { name: "default" } } }),
      ruleRemoved: ask("tenant", `DELETE network/security-group-rules/${idOf(rule, "security_group_rule")}`),
      ruleRemovedAgain: ask("tenant", `DELETE network/security-group-rules/${idOf(rule, "security_group_rule")}`),
      removed: ask("tenant", `DELETE network/security-groups/${id}`),
      removedAgain: ask("tenant", `DELETE network/security-groups/${id}`),
      default: ask("tenant", `GET network/security-groups?name=default&project_id=${tenant}&fields=name`)
    })
  }),

  "many at once": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const many = yield* ask("tenant", "POST network/networks", {
      json: { networks: [{ name: named("many-one") }, { name: named("many-two") }] }
    })
    const oneBad = yield* ask("tenant", "POST network/networks", {
      json: { networks: [{ name: named("many-three") }, { name: "x".repeat(256) }] }
    })
    const networks = at(many.json, "networks")
    const ids = Array.isArray(networks) ? networks.map((_) => String(at(_, "id"))) : []
    for (const id of ids) yield* ask("tenant", `DELETE network/networks/${id}`)
    const left = yield* ask("tenant", `GET network/networks?name=${named("many-three")}`)
    return { many: names("networks")(many), oneBad: seen(oneBad), left: left.json }
  }),

  "invalid requests for networks": Effect.gen(function* () {
    const { ask, other } = yield* Systems
    const post = (network: unknown) => ask("tenant", "POST network/networks", { json: { network } })
    return yield* answers({
      ofAnother: post({ project_id: other }),
      shared: post({ shared: true }),
      external: post({ "router:external": true }),
      nameNumber: post({ name: 7 }),
      unknownField: post({ colour: "green" }),
      upWords: post({ admin_state_up: "maybe" }),
      noNetwork: ask("tenant", "POST network/networks", { json: {} }),
      otherBody: ask("tenant", "POST network/networks", { json: { router: {} } }),
      noJson: ask("tenant", "POST network/networks", { text: "{" }),
      noBody: ask("tenant", "POST network/networks"),
      badRange: subnet(absent.uuid, "nonsense"),
      bareRange: subnet(absent.uuid, "10.3.0.0"),
      subnetOfNothing: subnet(absent.uuid, "10.0.0.0/24"),
      portOfNothing: ask("tenant", "POST network/ports", { json: { port: { network_id: absent.uuid } } })
    })
  }),

  "missing resources, and requests that tenants may not make": Effect.gen(function* () {
    const { ask, other, tenant } = yield* Systems
    return yield* answers({
      network: ask("tenant", `GET network/networks/${absent.uuid}`),
      subnet: ask("tenant", `GET network/subnets/${absent.uuid}`),
      port: ask("tenant", `GET network/ports/${absent.uuid}`),
      router: ask("tenant", `GET network/routers/${absent.uuid}`),
      floatingIp: ask("tenant", `GET network/floatingips/${absent.uuid}`),
      group: ask("tenant", `GET network/security-groups/${absent.uuid}`),
      rule: ask("tenant", `GET network/security-group-rules/${absent.uuid}`),
      addressGroup: ask("tenant", `GET network/address-groups/${absent.uuid}`),
      removed: ask("tenant", `DELETE network/networks/${absent.uuid}`),
      path: ask("tenant", "GET network/nothing-here"),
      quota: ask("tenant", `PUT network/quotas/${tenant}`, { json: { quota: { network: 99 } } }),
      ownQuota: ask("tenant", `GET network/quotas/${tenant}`),
      ownDetails: Effect.map(ask("tenant", `GET network/quotas/${tenant}/details.json`), withoutUsage),
      otherQuota: ask("tenant", `GET network/quotas/${other}`),
      otherDetails: ask("tenant", `GET network/quotas/${other}/details.json`),
      quotaWords: ask("control", `PUT network/quotas/${tenant}`, { json: { quota: { network: "many" } } }),
      quotaUnknown: ask("control", `PUT network/quotas/${tenant}`, { json: { quota: { colours: 7 } } }),
      quotaNone: ask("control", `PUT network/quotas/${tenant}`, { json: {} }),
      agents: ask("tenant", "GET network/agents"),
      nobody: ask("nobody", "GET network/networks"),
      nonsense: ask({ token: "nonsense" }, "GET network/networks")
    })
  }),

  "address groups": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const group = yield* ask("tenant", "POST network/address-groups", {
      json: { address_group: { name: named("addresses"), addresses: ["192.0.2.0/24"] } }
    })
    const own = `network/address-groups/${idOf(group, "address_group")}`
    const body = (...addresses: ReadonlyArray<string>) => ({ json: { addresses } })
    return yield* answers({
      made: Effect.succeed(group),
      shown: ask("tenant", `GET ${own}`),
      byAnother: ask("other", `GET ${own}`),
      added: ask("tenant", `PUT ${own}/add_addresses`, body("198.51.100.0/24")),
      addedAgain: ask("tenant", `PUT ${own}/add_addresses`, body("198.51.100.0/24")),
      addedNonsense: ask("tenant", `PUT ${own}/add_addresses`, body("nonsense")),
      taken: ask("tenant", `PUT ${own}/remove_addresses`, body("198.51.100.0/24")),
      takenAgain: ask("tenant", `PUT ${own}/remove_addresses`, body("198.51.100.0/24")),
      removed: ask("tenant", `DELETE ${own}`),
      removedAgain: ask("tenant", `DELETE ${own}`)
    })
  })
}

/** Other clients' cases use the same tenant. */
const withoutUsage = (answer: Answer): Answer => ({
  ...answer,
  json: JSON.parse(JSON.stringify(answer.json).replaceAll(/"used":\d+/g, '"used":"number"'))
})

/** Their order is the database's. */
const sortedTags = (answer: Answer): Answer => {
  const tags = at(answer.json, "tags")
  return Array.isArray(tags) ? { ...answer, json: { tags: tags.toSorted() } } : answer
}

/** Theirs is too. */
const sortedRules = (answer: Answer): Answer => {
  const rules = at(answer.json, "security_group", "security_group_rules")
  if (!Array.isArray(rules)) return answer
  const sorted = rules
    // A number of the database's, which only the answer to a create lets out.
    .map((_): unknown => Object.fromEntries(Object.entries(_).filter(([key]) => key !== "standard_attr_id")))
    .toSorted((a, b) => (String(at(a, "ethertype")) < String(at(b, "ethertype")) ? -1 : 1))
  const group = { ...Object(at(answer.json, "security_group")), security_group_rules: sorted }
  return { ...answer, json: { security_group: group } }
}
