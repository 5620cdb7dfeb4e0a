import type { Engine } from "@portico/contract/Databases"

/**
 * The one image of each major version of PostgreSQL. A tag is pinned whole:
 * CloudNativePG refuses `latest`, and a tag that moves would upgrade databases
 * unasked.
 */
const postgresImages = {
  "16": "ghcr.io/cloudnative-pg/postgresql:16.10-system-trixie",
  "17": "ghcr.io/cloudnative-pg/postgresql:17.6-system-trixie",
  "18": "ghcr.io/cloudnative-pg/postgresql:18.0-system-trixie"
} as const

/** What the Strimzi operator of this platform runs. */
const kafkaVersions = ["4.2.0", "4.2.1", "4.3.0", "4.3.1"] as const

/** What `version` can be, by engine. The only table of it. */
export const versions: Readonly<Record<Engine, ReadonlyArray<string>>> = {
  postgres: Object.keys(postgresImages),
  kafka: kafkaVersions
}

/** Undefined for a version that the platform does not run. */
export const postgresImage = (version: string): string | undefined =>
  Object.entries(postgresImages).find(([major]) => major === version)?.[1]

/** The major version of an image that somebody runs, ours or not; empty when its tag does not say. */
export const majorOf = (image: string): string => /:(\d+)[^/]*$/.exec(image)?.[1] ?? ""
