import { type JsonObject, objectAt, stringAt } from "../../../Json.ts"
import { defaultImage, specOf } from "./names.ts"

/** `app` and its owner `app` where neither is named; an owner alone is left to the validation. */
const application = (given: JsonObject): JsonObject => {
  const owner = stringAt(given, "owner") ?? ""
  const database = stringAt(given, "database") || (owner === "" ? "app" : "")
  return { ...given, ...(database === "" ? {} : { database, owner: owner || database }) }
}

const bootstrap = (given: JsonObject): JsonObject => {
  if (given["recovery"] !== undefined) return { ...given, recovery: application(objectAt(given, "recovery")) }
  if (given["pg_basebackup"] !== undefined) return given
  const initdb = application(objectAt(given, "initdb"))
  return { ...given, initdb: { encoding: "UTF8", localeCollate: "C", localeCType: "C", ...initdb } }
}

/** What the operator's webhook `mcluster.cnpg.io` fills in. The settings of PostgreSQL itself stay as they are. */
export const defaultedCluster = (cluster: JsonObject): JsonObject => {
  const spec = specOf(cluster)
  const slots = objectAt(spec, "replicationSlots")
  const synchronous = objectAt(spec, "postgresql", "synchronous")
  const named = spec["imageName"] !== undefined || spec["imageCatalogRef"] !== undefined
  return {
    ...cluster,
    spec: {
      logLevel: "info",
      primaryUpdateStrategy: "unsupervised",
      ...spec,
      ...(named ? {} : { imageName: defaultImage }),
      bootstrap: bootstrap(objectAt(spec, "bootstrap")),
      affinity: { podAntiAffinityType: "preferred", ...objectAt(spec, "affinity") },
      replicationSlots: {
        synchronizeReplicas: { enabled: true },
        ...slots,
        highAvailability: { enabled: true, slotPrefix: "_cnpg_", ...objectAt(slots, "highAvailability") }
      },
      ...(spec["backup"] === undefined ? {} : { backup: { target: "prefer-standby", ...objectAt(spec, "backup") } }),
      ...((objectAt(spec, "postgresql")["synchronous"] ?? undefined) === undefined
        ? {}
        : {
            postgresql: {
              ...objectAt(spec, "postgresql"),
              synchronous: { dataDurability: "required", ...synchronous }
            }
          })
    }
  }
}
