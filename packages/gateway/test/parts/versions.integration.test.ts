import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { releases } from "../postgres/releases.ts"
import { textOf } from "../processes/Document.ts"
import { repository } from "../processes/children.ts"
import { isHere as hasKafka } from "../../../upstream/test/kafka/RealBrokers.ts"
import { isInstalled, named } from "./parts.ts"

/** The releases that the table names for each server. */
const table = new Map(
  [...textOf("docs/operators/README.md").matchAll(/^\| (\S[^|]*?) +\| ((?:\d[\d.]*(?:, )?)+) +\|/gm)].map(
    ([, server = "", listed = ""]) => [server, listed.split(", ")] as const
  )
)

/** Major and minor number of what a program says of itself. */
const said = (program: string, ...args: ReadonlyArray<string>): string => {
  const { stderr, stdout } = spawnSync(program, args, { encoding: "utf8" })
  return /\d+\.\d+/.exec(stdout + stderr)?.[0] ?? stdout + stderr
}

const lineOf = (file: string, pattern: RegExp): string => {
  const [, release = ""] = pattern.exec(readFileSync(join(repository, file), "utf8")) ?? []
  return release
}

const v3 = "/opt/portico-parts/registry/registry-3.0.0"

/** What the tests start, by its name in the table. */
const started: Readonly<Record<string, { readonly isHere: boolean; readonly releases: () => ReadonlyArray<string> }>> =
  {
    PostgreSQL: { isHere: releases.length === 4, releases: () => releases.map((_) => String(_.version)) },
    PgBouncer: { isHere: isInstalled("pgbouncer", "--version"), releases: () => [said("pgbouncer", "--version")] },
    "Apache Kafka": {
      isHere: hasKafka,
      releases: () =>
        readdirSync("/opt/portico-parts/kafka/lib").flatMap((_) => /^kafka-clients-(\d+\.\d+)/.exec(_)?.[1] ?? [])
    },
    "Redis, with Sentinel": {
      isHere: isInstalled("redis-server", "--version"),
      releases: () => [said("redis-server", "--version")]
    },
    Prometheus: { isHere: isInstalled("prometheus", "--version"), releases: () => [said("prometheus", "--version")] },
    "CNCF Distribution": {
      isHere: isInstalled("docker-registry", "--version") && isInstalled(v3, "--version"),
      releases: () => [said("docker-registry", "--version"), said(v3, "--version")]
    },
    Exim: { isHere: isInstalled("exim4", "--version"), releases: () => [said("exim4", "--version")] },
    Kubernetes: {
      isHere: true,
      releases: () => [lineOf("scripts/parts/kubernetes/go.mod", /k8s\.io\/kubernetes v(\d+\.\d+)/)]
    },
    "`oidc-provider`, for sign-in": {
      isHere: true,
      releases: () => [lineOf("package.json", /"oidc-provider": "(\d+\.\d+)/)]
    }
  }

describe("docs/operators/README.md", () => {
  it("names the started programs, and no others", () => {
    assert.sameMembers([...table.keys()], Object.keys(started))
  })

  for (const [server, { isHere, releases }] of Object.entries(started)) {
    it.skipIf(!isHere)(named(`names the releases of ${server}`, server, isHere), () => {
      assert.deepStrictEqual(table.get(server), releases())
    })
  }
})
