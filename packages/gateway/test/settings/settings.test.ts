import { assert, describe, it } from "@effect/vitest"
import { check } from "@portico/gateway/settings/check"
import { table } from "@portico/gateway/settings/table"
import { warningsAbout } from "@portico/gateway/settings/unknown"
import { gatewaySettings } from "@portico/simulator/settings"
import { ConfigProvider, Effect } from "effect"

const required = Object.entries(table).flatMap(([name, { needed }]) => (needed === true ? [name] : []))

/** Of what a gateway in front of the simulated cloud is told, what no gateway can do without. */
const minimal: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(gatewaySettings("http://127.0.0.1:1")).filter(([name]) => required.includes(name))
  ),
  ...Object.fromEntries(required.filter((_) => _.startsWith("SELLABLE_")).map((_) => [_, "1000"])),
  DATABASE_URL: "postgres://portico@127.0.0.1:1/portico"
}

/** What the check before a start says. */
const complaints = (settings: Readonly<Record<string, string>>) =>
  check().pipe(
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catchTag("IllSet", ({ sentences }) => Effect.succeed(sentences)),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: settings })))
  )

const bytes = "at least 32 random bytes, in hexadecimal, in base64 or as they are: openssl rand -hex 32 makes some"
const http = "an address that begins with http:// or https://"

const malformed: ReadonlyArray<readonly [name: string, value: string, expected: string]> = [
  ["SELLABLE_CORES", "many", "a whole number, at least 0"],
  ["SELLABLE_CORES", "-1", "a whole number, at least 0"],
  ["CUSTOMER_PORT", "70000", "a whole number from 0 to 65535"],
  ["SWEEP_SECONDS", "0", "a whole number, at least 1"],
  ["SWEEP_SECONDS", "1e3", "a whole number, at least 1"],
  ["RATE_LIMIT", "maybe", "true or false"],
  ["LOG_LEVEL", "loud", "one of All, Fatal, Error, Warn, Info, Debug, Trace, None"],
  ["IAAS_COMPUTE_URL", "compute.internal", http],
  ["IAAS_COMPUTE_URL", "ftp://compute.internal", http],
  ["DATABASE_URL", "mysql://hunter2@db", "postgres://user:password@host:port/database"],
  ["REDIS_URL", "hunter2", "redis://user:password@host:port, or rediss:// for TLS"],
  ["RGW_SECRET_KEY", "hunter2 ", "one line without white space at its ends"],
  ["TENANT_MAP", "hunter2", 'JSON that names projects by user ids: {"<user id>": "<project id>"}'],
  ["WEBHOOK_ALLOW_ADDRESSES", "inside", "networks such as 192.0.2.0/24, separated by commas"],
  ["KAFKA_BROKERS", "kafka", "brokers as host:port, separated by commas"],
  ["TENANT_PASSWORD_KEY", "a", bytes],
  ["TENANT_PASSWORD_KEY", "hunter2", bytes],
  ["TENANT_PASSWORD_KEY", "a passphrase of 31 letters, not", bytes],
  // 62 hexadecimal digits and 44 letters of base64 with padding are 31 bytes; what repeats itself is no key.
  ["TENANT_PASSWORD_KEY", "0123456789abcdef".repeat(4).slice(2), bytes],
  ["TENANT_PASSWORD_KEY", Buffer.from("0123456789abcdefghijklmnopqrstu").toString("base64"), bytes],
  ["TENANT_PASSWORD_KEY", "a".repeat(64), bytes],
  ["TENANT_PASSWORD_KEY", "changeme".repeat(8), bytes]
]

describe("the check before a start", () => {
  it.effect("names every missing or empty required setting at once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* complaints(minimal), [])
      for (const name of required) {
        const { [name]: _, ...missing } = minimal
        for (const settings of [missing, { ...missing, [name]: "" }]) {
          assert.deepStrictEqual(yield* complaints(settings), [`the setting ${name} is missing`])
        }
      }
      assert.deepStrictEqual(
        yield* complaints({}),
        required.map((name) => `the setting ${name} is missing`)
      )
    })
  )

  it.effect("names every malformed setting at once with its valid form, without its value", () =>
    Effect.gen(function* () {
      for (const [name, value, expected] of malformed) {
        const said = yield* complaints({ ...minimal, [name]: value })
        assert.deepStrictEqual(said, [`the setting ${name} is not what it should be: Expected ${expected}`], value)
      }
      const all = yield* complaints({
        ...minimal,
        ...Object.fromEntries(malformed.map(([name, value]) => [name, value]))
      })
      assert.lengthOf(all, new Set(malformed.map(([name]) => name)).size)
      assert.notMatch(all.join("\n"), /hunter2|changeme/)
    })
  )

  it.effect("names settings that need another one, and checks files", () =>
    Effect.gen(function* () {
      const alone = {
        KAFKA_USERNAME: "portico",
        SMTP_URL: "smtp://mail.internal:587",
        KUBERNETES_URL: "https://kubernetes.internal",
        BILLING_URL: "https://billing.internal",
        CUSTOMER_TLS_CERT_FILE: "/nowhere/customer.pem",
        UPSTREAM_CA_FILE: "/nowhere/ca.pem"
      }
      assert.sameMembers(
        [...(yield* complaints({ ...minimal, ...alone }))],
        [
          "the setting KAFKA_PASSWORD is missing: it is required with KAFKA_USERNAME",
          "the setting MAIL_FROM is missing: it is required with SMTP_URL",
          "the setting KUBERNETES_TOKEN is missing: it is required with KUBERNETES_URL, unless KUBERNETES_TOKEN_FILE is set",
          "the setting BILLING_TOKEN is missing: it is required with BILLING_URL",
          "the setting CUSTOMER_TLS_KEY_FILE is missing: it is required with CUSTOMER_TLS_CERT_FILE",
          "the file that UPSTREAM_CA_FILE names cannot be read: ENOENT: no such file or directory, open '/nowhere/ca.pem'"
        ]
      )
      const { KUBERNETES_URL } = alone
      const instead = { KUBERNETES_URL, KUBERNETES_TOKEN_FILE: "/nowhere/token" }
      assert.deepStrictEqual(yield* complaints({ ...minimal, ...instead }), [])
      const mail = yield* complaints({ ...minimal, SMTP_URL: "https://a:hunter2@b", MAIL_FROM: "ops@acme.example" })
      assert.lengthOf(mail, 1)
      assert.notInclude(mail.join(""), "hunter2")
    })
  )

  it.effect("accepts valid values in their usual forms", () =>
    Effect.gen(function* () {
      const key = "0123456789abcdefghijklmnopqrstuv"
      const good: ReadonlyArray<readonly [name: string, value: string]> = [
        ["TENANT_PASSWORD_KEY", "0123456789abcdef".repeat(4)],
        ["TENANT_PASSWORD_KEY", Buffer.from(key).toString("base64")],
        ["TENANT_PASSWORD_KEY", Buffer.from(key).toString("base64url")],
        ["TENANT_PASSWORD_KEY", "a passphrase of 32 letters, good"],
        ["DELIVERIES_SECONDS", "0.5"],
        ["LOG_LEVEL", "Debug"],
        ["DATABASE_URL", "postgresql://portico:hunter2@db:5432/portico?sslmode=require"],
        ["TENANT_MAP", '{"a": "b"}'],
        ["RGW_SECRET_KEY", "with a space/and+more="]
      ]
      for (const [name, value] of good) {
        assert.deepStrictEqual(yield* complaints({ ...minimal, [name]: value }), [], name)
      }
      assert.deepStrictEqual(yield* complaints({ ...minimal, ...gatewaySettings("http://127.0.0.1:8090") }), [])
    })
  )
})

describe("an unknown variable", () => {
  it("is a warning when it resembles a setting", () => {
    assert.deepStrictEqual(
      warningsAbout(["KEYSTONE_PASWORD", "ZITADEL_TOKEN", "Rgw_Url", "PORTICO_HOST", "SWEEP_SECOND"]),
      [
        "KEYSTONE_PASWORD is no setting: KEYSTONE_PASSWORD was meant?",
        "ZITADEL_TOKEN is no setting: docker/env.example lists all of them",
        "Rgw_Url is no setting: RGW_URL was meant?",
        "PORTICO_HOST is no setting: docker/env.example lists all of them",
        "SWEEP_SECOND is no setting: SWEEP_SECONDS was meant?"
      ]
    )
  })

  it("is ignored when it belongs to the system, Kubernetes or Docker", () => {
    const others = [
      "PATH",
      "HOME",
      "NODE_ENV",
      "HOSTNAME",
      "npm_lifecycle_event",
      "KUBERNETES_SERVICE_HOST",
      "KUBERNETES_SERVICE_PORT_HTTPS",
      "KUBERNETES_PORT",
      "KUBERNETES_PORT_443_TCP_ADDR",
      "KAFKA_SERVICE_HOST",
      "KAFKA_PORT_9092_TCP",
      "BILLING_SERVICE_PORT",
      "DATABASE_PASSWORD",
      "PORTICO_DATA_DIR",
      ...Object.keys(table)
    ]
    assert.deepStrictEqual(warningsAbout(others), [])
  })
})
