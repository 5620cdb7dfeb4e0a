import { Octavia } from "@portico/upstream/octavia/Octavia"
import { Effect } from "effect"
import { type Answer, at, idOf, seen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers, attempt, until } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const lb = "load-balancer/lbaas"

/** A subnet for the balancers' addresses. */
const subnet = Effect.fnUntraced(function* (word: string) {
  const { ask, named } = yield* Systems
  const network = yield* ask("tenant", "POST network/networks", { json: { network: { name: named(word) } } })
  const made = yield* ask("tenant", "POST network/subnets", {
    json: { subnet: { network_id: idOf(network, "network"), cidr: "10.7.0.0/24", ip_version: 4 } }
  })
  return idOf(made, "subnet")
})

const balancer = Effect.fnUntraced(function* (word: string, vip_subnet_id: string) {
  const { ask, named } = yield* Systems
  return yield* ask("tenant", `POST ${lb}/loadbalancers`, {
    json: { loadbalancer: { name: named(word), vip_subnet_id } }
  })
})

const settled = (id: string) =>
  Effect.flatMap(Systems, ({ ask }) =>
    until(
      ask("tenant", `GET ${lb}/loadbalancers/${id}`),
      ({ json, status }) =>
        status !== 200 || !String(at(json, "loadbalancer", "provisioning_status")).startsWith("PENDING")
    )
  )

const removed = (id: string) =>
  Effect.gen(function* () {
    const { ask } = yield* Systems
    yield* settled(id)
    yield* ask("tenant", `DELETE ${lb}/loadbalancers/${id}?cascade=true`)
    return yield* until(ask("tenant", `GET ${lb}/loadbalancers/${id}`), (_) => _.status === 404)
  })

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

export const octavia: Cases = {
  "limits are written, read back and removed, twice over": Effect.gen(function* () {
    const octavia = yield* Octavia
    const { tenant } = yield* Systems
    return {
      written: yield* attempt(octavia.writeQuotas(tenant, { loadbalancer: 2 })),
      again: yield* attempt(octavia.writeQuotas(tenant, { loadbalancer: 2 })),
      read: yield* attempt(octavia.readQuotas(tenant)),
      removed: yield* attempt(octavia.removeQuotas(tenant)),
      removedAgain: yield* attempt(octavia.removeQuotas(tenant)),
      defaults: yield* attempt(octavia.readQuotas(tenant))
    }
  }),

  "limits of a missing project, and invalid limits": Effect.gen(function* () {
    const octavia = yield* Octavia
    const { tenant } = yield* Systems
    const result = {
      noProject: yield* attempt(octavia.writeQuotas(absent.hex, { loadbalancer: 2 })),
      readOfNoProject: yield* attempt(octavia.readQuotas(absent.hex)),
      removedOfNoProject: yield* attempt(octavia.removeQuotas(absent.hex)),
      removedAgain: yield* attempt(octavia.removeQuotas(absent.hex)),
      unlimited: yield* attempt(octavia.writeQuotas(tenant, { loadbalancer: -1 })),
      below: yield* attempt(octavia.writeQuotas(tenant, { loadbalancer: -2 })),
      above: yield* attempt(octavia.writeQuotas(tenant, { loadbalancer: 2 ** 31 })),
      fraction: yield* attempt(octavia.writeQuotas(tenant, { loadbalancer: 1.5 }))
    }
    yield* octavia.removeQuotas(tenant)
    return result
  }),

  "the life of a balancer: limits, one too many, immutable, with children, removed twice": Effect.gen(function* () {
    const octavia = yield* Octavia
    const { ask, named, tenant } = yield* Systems
    yield* octavia.writeQuotas(tenant, { loadbalancer: 1 })
    const subnetId = yield* subnet("balanced")
    const created = yield* balancer("life", subnetId)
    const id = idOf(created, "loadbalancer")
    const own = `${lb}/loadbalancers/${id}`
    const meanwhile = yield* ask("tenant", `PUT ${own}`, { json: { loadbalancer: { name: "too soon" } } })
    const settledOne = yield* settled(id)
    const post = (listener: object) => ask("tenant", `POST ${lb}/listeners`, { json: { listener } })
    const web = { name: named("web"), protocol: "HTTP", protocol_port: 80, loadbalancer_id: id }
    const used = yield* attempt(octavia.readQuotas(tenant))
    const below = yield* attempt(octavia.writeQuotas(tenant, { loadbalancer: 0 }))
    const second = yield* balancer("second", subnetId)
    const byAnother = yield* answers({
      shown: ask("other", `GET ${own}`),
      changed: ask("other", `PUT ${own}`, { json: { loadbalancer: { name: "theirs" } } }),
      removed: ask("other", `DELETE ${own}`)
    })
    const listener = yield* post(web)
    yield* settled(id)
    const during = yield* answers({
      portTaken: post(web),
      oddProtocol: post({ ...web, protocol: "NONSENSE", protocol_port: 82 }),
      portTooHigh: post({ ...web, protocol_port: 65_536 }),
      noPort: post({ ...web, protocol_port: undefined }),
      ofNothing: post({ ...web, loadbalancer_id: absent.uuid }),
      withChildren: ask("tenant", `DELETE ${own}`),
      status: ask("tenant", `GET ${own}/status`),
      renamed: ask("tenant", `PUT ${own}`, { json: { loadbalancer: { name: named("renamed") } } })
    })
    const gone = yield* removed(id)
    const again = yield* ask("tenant", `DELETE ${own}`)
    yield* octavia.removeQuotas(tenant)
    return {
      created: seen(created),
      settled: seen(settledOne),
      used,
      below,
      second: seen(second),
      byAnother,
      listener: seen(listener),
      meanwhile: seen(meanwhile),
      during,
      gone: seen(gone),
      again: seen(again)
    }
  }),

  "balancers come in pages": Effect.gen(function* () {
    const { ask } = yield* Systems
    const subnetId = yield* subnet("pages")
    const created = [yield* balancer("page-one", subnetId), yield* balancer("page-two", subnetId)]
    const [one = "", two = ""] = created.map((_) => idOf(_, "loadbalancer"))
    for (const id of [one, two]) yield* settled(id)
    const list = (query: string, who: "tenant" | "other" = "tenant") =>
      ask(who, `GET ${lb}/loadbalancers?sort=name:asc${query}`)
    const pages = yield* answers(
      {
        all: list(""),
        first: list("&limit=1"),
        second: list(`&limit=1&marker=${one}`),
        third: list(`&limit=1&marker=${two}`),
        noMarker: list(`&marker=${absent.uuid}`),
        badLimit: list("&limit=many"),
        negative: list("&limit=-1"),
        badSort: ask("tenant", `GET ${lb}/loadbalancers?sort=colour`),
        ofOthers: list("", "other"),
        unknownFilter: list("&colour=green")
      },
      names("loadbalancers")
    )
    for (const id of [one, two]) yield* removed(id)
    return pages
  }),

  "invalid requests for balancers": Effect.gen(function* () {
    const { ask, named, other } = yield* Systems
    const post = (loadbalancer: unknown) => ask("tenant", `POST ${lb}/loadbalancers`, { json: { loadbalancer } })
    const name = named("wrong")
    return yield* answers({
      noAddress: post({ name }),
      longName: post({ name: "x".repeat(256), vip_subnet_id: absent.uuid }),
      nameNumber: post({ name: 7, vip_subnet_id: absent.uuid }),
      oddSubnet: post({ name, vip_subnet_id: "nonsense" }),
      ofAnother: post({ name, vip_subnet_id: absent.uuid, project_id: other }),
      noProvider: post({ name, vip_subnet_id: absent.uuid, provider: "nothing" }),
      unknownField: post({ name, vip_subnet_id: absent.uuid, colour: "green" }),
      noBalancer: ask("tenant", `POST ${lb}/loadbalancers`, { json: {} }),
      noJson: ask("tenant", `POST ${lb}/loadbalancers`, { text: "{" }),
      noBody: ask("tenant", `POST ${lb}/loadbalancers`)
    })
  }),

  "missing resources, and requests that tenants may not make": Effect.gen(function* () {
    const { ask, other, tenant } = yield* Systems
    return yield* answers({
      balancer: ask("tenant", `GET ${lb}/loadbalancers/${absent.uuid}`),
      removed: ask("tenant", `DELETE ${lb}/loadbalancers/${absent.uuid}`),
      listener: ask("tenant", `GET ${lb}/listeners/${absent.uuid}`),
      pool: ask("tenant", `GET ${lb}/pools/${absent.uuid}`),
      path: ask("tenant", `GET ${lb}/nothing-here`),
      ownQuota: ask("tenant", `GET ${lb}/quotas/${tenant}`),
      otherQuota: ask("tenant", `GET ${lb}/quotas/${other}`),
      quota: ask("tenant", `PUT ${lb}/quotas/${tenant}`, { json: { quota: { loadbalancer: 99 } } }),
      quotaWords: ask("control", `PUT ${lb}/quotas/${tenant}`, { json: { quota: { loadbalancer: "many" } } }),
      quotaUnknown: ask("control", `PUT ${lb}/quotas/${tenant}`, { json: { quota: { colours: 7 } } }),
      quotaNone: ask("control", `PUT ${lb}/quotas/${tenant}`, { json: { quota: {} } }),
      amphorae: ask("tenant", "GET load-balancer/octavia/amphorae"),
      nobody: ask("nobody", `GET ${lb}/loadbalancers`),
      nonsense: ask({ token: "nonsense" }, `GET ${lb}/loadbalancers`)
    })
  })
}
