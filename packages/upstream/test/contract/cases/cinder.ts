import { Cinder } from "@portico/upstream/cinder/Cinder"
import { Effect } from "effect"
import { type Answer, at, idOf, only, seen, shapeSeen } from "../Answer.ts"
import type { Cases } from "../Case.ts"
import { absent, answers, attempt, until } from "../outcome.ts"
import { Systems } from "../Systems.ts"

const quotas = { volumes: 8, gigabytes: 80, backups: 3, backup_gigabytes: 30 }

const statusOf =
  (key: string) =>
  ({ json }: Answer) =>
    at(json, key, "status")

const volume = Effect.fnUntraced(function* (word: string, size: unknown = 1) {
  const { ask, named } = yield* Systems
  return yield* ask("tenant", "POST volume/volumes", { json: { volume: { name: named(word), size } } })
})

const ready = (path: string, key: string) =>
  Effect.flatMap(Systems, ({ ask }) =>
    until(ask("tenant", `GET volume/${path}`), (_) => statusOf(key)(_) === "available")
  )

const gone = (path: string) =>
  Effect.flatMap(Systems, ({ ask }) => until(ask("tenant", `GET volume/${path}`), (_) => _.status === 404))

const names = (answer: Answer): unknown => {
  const volumes = at(answer.json, "volumes")
  return Array.isArray(volumes)
    ? {
        status: answer.status,
        names: volumes.map((_) => at(_, "name")),
        links: at(answer.json, "volumes_links") ?? null
      }
    : seen(answer)
}

export const cinder: Cases = {
  "limits are written, read back and removed, twice over": Effect.gen(function* () {
    const cinder = yield* Cinder
    const { tenant } = yield* Systems
    return {
      written: yield* attempt(cinder.writeQuotas(tenant, quotas)),
      again: yield* attempt(cinder.writeQuotas(tenant, quotas)),
      read: yield* attempt(cinder.readQuotas(tenant)),
      removed: yield* attempt(cinder.removeQuotas(tenant)),
      removedAgain: yield* attempt(cinder.removeQuotas(tenant)),
      defaults: yield* attempt(cinder.readQuotas(tenant))
    }
  }),

  "limits of a missing project, and invalid limits": Effect.gen(function* () {
    const cinder = yield* Cinder
    const { tenant } = yield* Systems
    const result = {
      noProject: yield* attempt(cinder.writeQuotas(absent.hex, quotas)),
      readOfNoProject: yield* attempt(cinder.readQuotas(absent.hex)),
      removedOfNoProject: yield* attempt(cinder.removeQuotas(absent.hex)),
      removedAgain: yield* attempt(cinder.removeQuotas(absent.hex)),
      unlimited: yield* attempt(cinder.writeQuotas(tenant, { ...quotas, volumes: -1 })),
      below: yield* attempt(cinder.writeQuotas(tenant, { ...quotas, volumes: -2 })),
      above: yield* attempt(cinder.writeQuotas(tenant, { ...quotas, volumes: 2 ** 31 })),
      fraction: yield* attempt(cinder.writeQuotas(tenant, { ...quotas, volumes: 1.5 }))
    }
    yield* cinder.removeQuotas(tenant)
    return result
  }),

  "limits below the usage: written as they are, or held at the usage": Effect.gen(function* () {
    const cinder = yield* Cinder
    const { ask, tenant } = yield* Systems
    const created = yield* volume("held")
    const path = `volumes/${idOf(created, "volume")}`
    yield* ready(path, "volume")
    const none = { volumes: 0, gigabytes: 0, backups: 0, backup_gigabytes: 0 }
    const result = {
      plainly: yield* attempt(cinder.writeQuotas(tenant, none)),
      afterwards: yield* attempt(cinder.readQuotas(tenant)),
      above: yield* attempt(cinder.writeQuotasAboveUsage(tenant, none)),
      thereafter: yield* attempt(cinder.readQuotas(tenant)),
      oneMore: seen(yield* volume("one-more"))
    }
    yield* ask("tenant", `DELETE volume/${path}`)
    yield* gone(path)
    yield* cinder.removeQuotas(tenant)
    return result
  }),

  "the life of a volume: in use by its snapshot, extended, removed twice": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const created = yield* volume("life")
    const id = idOf(created, "volume")
    const own = `volume/volumes/${id}`
    const available = yield* ready(`volumes/${id}`, "volume")
    const action = (body: unknown) => ask("tenant", `POST ${own}/action`, { json: body })
    const snapshot = yield* ask("tenant", "POST volume/snapshots", {
      json: { snapshot: { volume_id: id, name: named("snapshot") } }
    })
    const shot = `snapshots/${idOf(snapshot, "snapshot")}`
    const taken = yield* ready(shot, "snapshot")
    const during = yield* answers({
      removedWithSnapshot: ask("tenant", `DELETE ${own}`),
      byAnother: ask("other", `GET ${own}`),
      removedByAnother: ask("other", `DELETE ${own}`),
      snapshotByAnother: ask("other", `GET volume/${shot}`),
      smaller: action({ "os-extend": { new_size: 1 } }),
      growWords: action({ "os-extend": { new_size: "many" } }),
      unknownAction: action({ "os-nothing": {} }),
      noAction: action({}),
      attachment: action({ "os-detach": {} }),
      renamed: ask("tenant", `PUT ${own}`, { json: { volume: { name: named("renamed"), description: "d" } } }),
      longName: ask("tenant", `PUT ${own}`, { json: { volume: { name: "x".repeat(256) } } }),
      renamedToNothing: ask("tenant", `PUT ${own}`, { json: { volume: {} } }),
      metadata: ask("tenant", `POST ${own}/metadata`, { json: { metadata: { colour: "green" } } }),
      metadataOfNothing: ask("tenant", `GET ${own}/metadata/shade`)
    })
    const shotRemoved = yield* ask("tenant", `DELETE volume/${shot}`)
    const shotGone = yield* gone(shot)
    const grown = yield* action({ "os-extend": { new_size: 2 } })
    const growing = yield* ask("tenant", `GET ${own}`)
    yield* until(ask("tenant", `GET ${own}`), (_) => statusOf("volume")(_) !== "extending")
    const removed = yield* ask("tenant", `DELETE ${own}`)
    const last = yield* gone(`volumes/${id}`)
    return {
      created: seen(created),
      available: seen(available),
      snapshot: seen(snapshot),
      taken: seen(taken),
      during,
      shotRemoved: seen(shotRemoved),
      shotGone: seen(shotGone),
      grown: seen(grown),
      growing: only("volume", "name")(growing),
      removed: seen(removed),
      last: seen(last),
      removedAgain: seen(yield* ask("tenant", `DELETE ${own}`))
    }
  }),

  "volumes come in pages": Effect.gen(function* () {
    const { ask } = yield* Systems
    const [one, two] = [yield* volume("page-one"), yield* volume("page-two")]
    for (const created of [one, two]) yield* ready(`volumes/${idOf(created, "volume")}`, "volume")
    const list = (query: string, who: "tenant" | "other" | "control" = "tenant") =>
      ask(who, `GET volume/volumes?sort=name:asc${query}`)
    const pages = yield* answers(
      {
        all: list(""),
        first: list("&limit=1"),
        second: list(`&limit=1&marker=${idOf(one, "volume")}`),
        third: list(`&limit=1&marker=${idOf(two, "volume")}`),
        detail: ask("tenant", "GET volume/volumes/detail?sort=name:asc&limit=1"),
        none: list("&limit=0"),
        noMarker: list(`&marker=${absent.uuid}`),
        badLimit: list("&limit=many"),
        negative: list("&limit=-1"),
        badSort: ask("tenant", "GET volume/volumes?sort=colour"),
        ofOthers: list("", "other"),
        ofAllByTenant: list("&all_tenants=1")
      },
      names
    )
    for (const created of [one, two]) yield* ask("tenant", `DELETE volume/volumes/${idOf(created, "volume")}`)
    for (const created of [one, two]) yield* gone(`volumes/${idOf(created, "volume")}`)
    return pages
  }),

  "invalid requests for volumes": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const post = (volume: unknown) => ask("tenant", "POST volume/volumes", { json: { volume } })
    const name = named("wrong")
    return yield* answers({
      noSize: post({ name }),
      zero: post({ name, size: 0 }),
      negative: post({ name, size: -1 }),
      fraction: post({ name, size: 1.5 }),
      words: post({ name, size: "many" }),
      huge: post({ name, size: 2 ** 31 }),
      longName: post({ name: "x".repeat(256), size: 1 }),
      noType: post({ name, size: 1, volume_type: "nothing" }),
      noSnapshot: post({ name, size: 1, snapshot_id: absent.uuid }),
      noSource: post({ name, size: 1, source_volid: absent.uuid }),
      noImage: post({ name, size: 1, imageRef: absent.uuid }),
      noZone: post({ name, size: 1, availability_zone: "nowhere" }),
      unknownField: post({ name, size: 1, colour: "green" }),
      noVolume: ask("tenant", "POST volume/volumes", { json: {} }),
      noJson: ask("tenant", "POST volume/volumes", { text: "{" }),
      noBody: ask("tenant", "POST volume/volumes")
    })
  }),

  "missing resources": Effect.gen(function* () {
    const { ask, other } = yield* Systems
    return yield* answers({
      volume: ask("tenant", `GET volume/volumes/${absent.uuid}`),
      volumeByName: ask("tenant", "GET volume/volumes/no-such-id"),
      removed: ask("tenant", `DELETE volume/volumes/${absent.uuid}`),
      action: ask("tenant", `POST volume/volumes/${absent.uuid}/action`, { json: { "os-extend": { new_size: 2 } } }),
      snapshot: ask("tenant", `GET volume/snapshots/${absent.uuid}`),
      snapshotOf: ask("tenant", "POST volume/snapshots", { json: { snapshot: { volume_id: absent.uuid } } }),
      transfer: ask("tenant", `GET volume/os-volume-transfer/${absent.uuid}`),
      backup: ask("tenant", `GET volume/backups/${absent.uuid}`),
      type: ask("tenant", `GET volume/types/${absent.uuid}`),
      path: ask("tenant", "GET volume/nothing-here"),
      slash: ask("tenant", "GET volume/volumes/"),
      otherProject: ask("tenant", `GET volume/${other}/volumes`)
    })
  }),

  "requests that tenants may not make": Effect.gen(function* () {
    const { ask, other, tenant } = yield* Systems
    return yield* answers({
      quota: ask("tenant", `PUT volume/os-quota-sets/${tenant}`, { json: { quota_set: { volumes: 99 } } }),
      otherQuota: ask("tenant", `GET volume/os-quota-sets/${other}`),
      removedQuota: ask("tenant", `DELETE volume/os-quota-sets/${tenant}`),
      type: ask("tenant", "POST volume/types", { json: { volume_type: { name: "x" } } }),
      services: ask("tenant", "GET volume/os-services"),
      nobody: ask("nobody", "GET volume/volumes"),
      nonsense: ask({ token: "nonsense" }, "GET volume/volumes")
    })
  }),

  "limits in the raw": Effect.gen(function* () {
    const { ask, tenant } = yield* Systems
    const path = `volume/os-quota-sets/${tenant}`
    const put = (quota_set: unknown) => ask("control", `PUT ${path}`, { json: { quota_set } })
    return yield* answers(
      {
        own: ask("tenant", `GET ${path}`),
        text: put({ volumes: "7" }),
        unknown: put({ colours: 7 }),
        none: put({}),
        noSet: ask("control", `PUT ${path}`, { json: {} }),
        removed: ask("control", `DELETE ${path}`)
      },
      shapeSeen
    )
  }),

  "a transfer is offered, refused to a wrong key, accepted once": Effect.gen(function* () {
    const { ask, named } = yield* Systems
    const created = yield* volume("transfer")
    const id = idOf(created, "volume")
    yield* ready(`volumes/${id}`, "volume")
    const offered = yield* ask("tenant", "POST volume/os-volume-transfer", {
      json: { transfer: { volume_id: id, name: named("offer") } }
    })
    const own = `volume/os-volume-transfer/${idOf(offered, "transfer")}`
    const accept = (auth_key: unknown) => ask("other", `POST ${own}/accept`, { json: { accept: { auth_key } } })
    const result = yield* answers({
      offered: Effect.succeed({ ...offered, json: withoutKey(offered) }),
      offeredAgain: ask("tenant", "POST volume/os-volume-transfer", { json: { transfer: { volume_id: id } } }),
      removedMeanwhile: ask("tenant", `DELETE volume/volumes/${id}`),
      wrongKey: accept("0123456789abcde"),
      accepted: accept(at(offered.json, "transfer", "auth_key")),
      acceptedAgain: accept(at(offered.json, "transfer", "auth_key"))
    })
    yield* ask("other", `DELETE volume/volumes/${id}`)
    return result
  })
}

const withoutKey = ({ json }: Answer): unknown => {
  const transfer = at(json, "transfer")
  return typeof transfer === "object" ? { transfer: { ...transfer, auth_key: "<key>" } } : json
}
