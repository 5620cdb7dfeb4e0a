import { gatewaySettings } from "@portico/simulator/settings"
import * as MemoryStore from "@portico/testing/store/MemoryStore"
import { assert, describe, it } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, Exit, Layer, Option, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Gateway from "../../src/Gateway.ts"
import { sentencesOf } from "../../src/launch.ts"
import { table } from "../../src/settings/table.ts"
import { repository, spawned } from "../processes/children.ts"
import { settings, story } from "../processes/harness.ts"

interface Listed {
  readonly name: string
  readonly required: boolean
  readonly usual: string
  readonly sentence: string
}

const lines = readFileSync(join(repository, "docker/env.example"), "utf8").split("\n")

/** What the file lists: a sentence, and below it the name. */
const listed: ReadonlyArray<Listed> = lines.flatMap((line, index) => {
  const found = /^(#?)([A-Z][A-Z0-9_]*)=(.*)$/.exec(line)
  if (found === null) return []
  const [, off = "", name = "", usual = ""] = found
  return [{ name, required: off === "", usual, sentence: lines[index - 1] ?? "" }]
})

/** All source files of the gateway in production, by package; `npm start` is not one of them. */
const sources = ["contract", "upstream", "store", "domain", "agent", "gateway"].flatMap((name) => {
  const directory = join(repository, "packages", name, "src")
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/^start[./]/.test(file))
    .map((file) => readFileSync(join(directory, file), "utf8"))
})

const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((_) => _[1] ?? "")

/** Where a name is passed on to `Config` or `ceiling`, as in `Config.URL(variables[service])`, it stands elsewhere in the file. */
const passesOn = /\b(?:Config\.\w+|ceiling)\((?:\w+, )?[a-z]\w*[.[]/

const read = new Set(
  sources.flatMap((text) => [
    ...namesIn(text, /\bConfig\.(?!withDefault|succeed)\w+\((?:\w+,\s*)?"(\w+)"/g),
    // By helpers of one kind of value.
    ...namesIn(text, /\b(?:ceiling|ceilingOf|names|seconds|rangesIn|exactRangesIn)\("([A-Z]\w+)"/g),
    ...(passesOn.test(text) ? namesIn(text, /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"/g) : [])
  ])
)

/** The defaults that stand beside a name in the sources, as they are written there. */
const usual = sources.flatMap((text) =>
  [
    ...text.matchAll(/\b(?:ceiling|seconds)\("([A-Z_]+)", (\d+)\)/g),
    ...text.matchAll(
      /"([A-Z0-9_]+)"\)\.pipe\(\s*Config\.withDefault\(\s*("[^"]*"|[\d_]+|true|false)(?: as const)?\s*\)/g
    )
  ].map(
    ([, name = "", value = ""]) =>
      [name, value.startsWith('"') ? value.slice(1, -1) : value.replaceAll("_", "")] as const
  )
)

/** Their defaults are made of something else than a text, a number or a word beside the name. */
const elsewhere = [
  "AGENT_CONNECTIONS",
  "AGENT_HOST",
  "AGENT_PORT",
  "CUSTOMER_CONNECTIONS",
  "CUSTOMER_HOST",
  "CUSTOMER_PORT",
  "DATABASE_STATEMENT_SECONDS",
  "EDGE_TARGET_NETWORKS",
  "KUBERNETES_ALLOWED_NETWORKS",
  "KUBERNETES_API_NETWORKS",
  "KUBERNETES_DENIED_NETWORKS",
  "KUBERNETES_DNS_NAMESPACES",
  "KUBERNETES_PLATFORM_NAMESPACES",
  "OPERATOR_CONNECTIONS",
  "OPERATOR_HOST",
  "OPERATOR_PORT",
  "RATE_LIMIT_RPM_DISCOVERY",
  "RATE_LIMIT_RPM_STANDARD",
  "RATE_LIMIT_RPM_EXTENSION",
  "TENANT_MAP",
  "TRUSTED_PROXIES",
  "WEBHOOK_REFUSE_ADDRESSES",
  "WEBHOOK_ALLOW_ADDRESSES"
]

describe("docker/env.example", () => {
  it("lists every setting of the sources, once, and no others", () => {
    assert.isAbove(read.size, 30)
    assert.deepStrictEqual(listed.map((_) => _.name).toSorted(), [...read].toSorted())
  })

  it("has a sentence for each, with whether it is required", () => {
    for (const { name, required, sentence } of listed) {
      assert.match(sentence, /^# [A-Z].*[^.]\.$/, name)
      assert.strictEqual(sentence.startsWith("# Required. "), required, name)
    }
  })

  it("has the sources' defaults, like the table that a start checks", () => {
    assert.isAbove(usual.length, 50)
    for (const [name, value] of usual) assert.strictEqual(table[name]?.usual, value, name)
    for (const { name, usual } of listed) assert.strictEqual(usual, table[name]?.usual ?? "", name)
    assert.sameMembers(
      Object.entries(table).flatMap(([name, { usual }]) => (usual === undefined ? [] : [name])),
      [...new Set([...usual.map(([name]) => name), ...elsewhere])]
    )
  })

  it("and the table have the same settings, and the same required ones", () => {
    assert.deepStrictEqual(Object.keys(table).toSorted(), listed.map((_) => _.name).toSorted())
    for (const { name, required } of listed) assert.strictEqual(table[name]?.needed === true, required, name)
  })

  it("has defaults that pass a start's check", () => {
    for (const [name, { usual = "", value }] of Object.entries(table)) {
      if (usual !== "") assert.strictEqual(Schema.decodeUnknownExit(value)(usual)._tag, "Success", name)
    }
  })
})

const required = listed.filter((_) => _.required).map((_) => _.name)

const budget = Object.fromEntries(required.filter((_) => _.startsWith("SELLABLE_")).map((_) => [_, "1000"]))

/** Of what a gateway in front of the simulated cloud is told, what no gateway can do without. */
const minimal: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(gatewaySettings("http://127.0.0.1:1")).filter(([name]) => required.includes(name))
  ),
  ...budget,
  DATABASE_URL: "postgres://portico@127.0.0.1:1/portico"
}

/** The usual ports may be taken where the test runs. */
const anyPorts = { CUSTOMER_PORT: "0", OPERATOR_PORT: "0", AGENT_PORT: "0" }

/** Why a gateway with these settings does not start; its store is in memory, since a database would be asked first. */
const refusal = <A, E>(settings: Readonly<Record<string, string>>, layer: Layer.Layer<A, E>) =>
  Layer.build(Layer.fresh(layer)).pipe(
    Effect.scoped,
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...settings, ...anyPorts } }))),
    Effect.exit,
    Effect.map((exit) => (Exit.isFailure(exit) ? sentencesOf(exit.cause) : undefined))
  )

const withoutDatabase = Gateway.layer.pipe(Layer.provide(MemoryStore.layer))

describe("a required setting", () => {
  it.live("is enough for a gateway to start", () =>
    Effect.gen(function* () {
      assert.sameMembers(Object.keys(minimal), required)
      assert.isUndefined(yield* refusal(minimal, withoutDatabase))
    })
  )
})

/** Runs `main.ts` to its end. */
const run = Effect.fnUntraced(function* (settings: Readonly<Record<string, string>>) {
  const child = yield* spawned({ command: [process.execPath, "packages/gateway/src/main.ts"], settings })
  return { code: yield* child.ended, said: child.stdout(), complained: child.stderr() }
})

story("main.ts exits with code 1 and one line when it cannot start", () =>
  Effect.gen(function* () {
    const good = yield* settings
    const secret = "postgres://portico:hunter2@127.0.0.1:1/portico"
    const ill = [
      [
        { SELLABLE_CORES: "many" },
        "the setting SELLABLE_CORES is not what it should be: Expected a whole number, at least 0"
      ],
      [
        { CUSTOMER_PORT: "70000" },
        "the setting CUSTOMER_PORT is not what it should be: Expected a whole number from 0 to 65535"
      ],
      [
        { AGENT_TLS_CERT_FILE: "/nowhere/agent.pem" },
        "the setting AGENT_TLS_KEY_FILE is missing: it is required with AGENT_TLS_CERT_FILE"
      ],
      // One start names all of it, before anything is connected to.
      [
        { DATABASE_URL: secret, IAAS_COMPUTE_URL: "", ZITADEL_ORG_ID: "", TENANT_PASSWORD_KEY: "a" },
        "the setting IAAS_COMPUTE_URL is missing\nportico: the setting TENANT_PASSWORD_KEY is not what it should be: " +
          "Expected at least 32 random bytes, in hexadecimal, in base64 or as they are: openssl rand -hex 32 makes some" +
          "\nportico: the setting ZITADEL_ORG_ID is missing"
      ],
      [{ DATABASE_URL: secret }, "PostgreSQL (DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1"]
    ] as const
    for (const [setting, sentence] of ill) {
      assert.deepStrictEqual(yield* run({ ...good, ...setting }), {
        code: 1,
        said: "",
        complained: `portico: ${sentence}\n`
      })
    }
  })
)

it.live("main.ts warns of a misspelled setting before it names missing and invalid ones", () =>
  Effect.gen(function* () {
    const { KEYSTONE_USER: _, ...others } = minimal
    const { code, complained, said } = yield* run({
      ...others,
      KEYSTONE_USR: "hunter2",
      LOG_FORMAT: "xml",
      LOG_LEVEL: "loud"
    })
    const [warning = "", ...sentences] = complained.trimEnd().split("\n")
    assert.deepStrictEqual([code, said], [1, ""])
    assert.deepInclude(JSON.parse(warning), {
      level: "WARN",
      message: "KEYSTONE_USR is no setting: KEYSTONE_USER was meant?"
    })
    assert.sameMembers(sentences, [
      "portico: the setting KEYSTONE_USER is missing",
      'portico: the setting LOG_FORMAT is not what it should be: Expected "json" | "pretty"',
      "portico: the setting LOG_LEVEL is not what it should be: Expected one of All, Fatal, Error, Warn, Info, Debug, Trace, None"
    ])
  }).pipe(Effect.scoped)
)

it("a defect does not become a sentence for the operator", () => {
  assert.deepStrictEqual(sentencesOf(Cause.die(new Error("a bug"))), [])
  assert.deepStrictEqual(sentencesOf(Cause.fail(Option.none())), [])
})
