import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { addressOf, authoritiesOf } from "../src/address.ts"

const plain = { host: "db.example", port: 5432, isEncrypted: false, authorities: undefined }

const rows: ReadonlyArray<readonly [url: string, expected: object | undefined]> = [
  ["postgres://portico:a+b@db.example/portico", plain],
  ["postgres://db.example:6432/portico?sslmode=disable", { ...plain, port: 6432 }],
  ["postgres://[::1]/portico?sslmode=prefer", { ...plain, host: "::1" }],
  ["postgres://db.example/portico?sslmode=require", { ...plain, isEncrypted: true }],
  [
    "postgres://db.example/portico?sslrootcert=/etc/a+b.pem",
    { ...plain, isEncrypted: true, authorities: "/etc/a+b.pem" }
  ],
  [
    "postgres://db.example/portico?sslrootcert=/etc/a%20b.pem",
    { ...plain, isEncrypted: true, authorities: "/etc/a b.pem" }
  ],
  ["postgres://db.example/portico?sslmode=verify-full&sslrootcert=system", { ...plain, isEncrypted: true }],
  ["postgres://db.example/portico?sslmode=disable&sslrootcert=/ca.pem", { ...plain, authorities: "/ca.pem" }],
  ["postgres://db.example/portico?sslrootcert=", plain],
  ["postgres://db.example/portico?sslmode=disable&sslmode=require", { ...plain, isEncrypted: true }],
  ["postgres://other.example:1/portico?host=db.example&port=5432", plain],
  ["postgres:///portico?host=/run/postgresql", { ...plain, host: "/run/postgresql" }],
  ["postgres://db.example/portico?port=many&sslmode=require", undefined],
  ["postgres://db.example/portico?port=70000", undefined],
  ["nonsense", undefined]
]

describe("the address of a database", () => {
  for (const [url, expected] of rows) it(url, () => assert.deepStrictEqual(addressOf(url), expected))
})

it.effect("certificate authorities come from a file, which must have a certificate", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-address-"))),
      (_) => Effect.sync(() => rmSync(_, { recursive: true }))
    )
    const file = join(folder, "ca.pem")
    const read = (options: string) =>
      authoritiesOf(Redacted.make(`postgres://portico:hunter2@db.example/portico?${options}`))
    const pem = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"
    writeFileSync(file, pem)
    assert.strictEqual(yield* read(`sslrootcert=${file}`), pem)
    for (const none of ["", "sslmode=require", "sslmode=require&sslrootcert=system", "sslmode=disable&sslrootcert=/no"])
      assert.isUndefined(yield* read(none), none)
    for (const text of ["", "none"]) {
      writeFileSync(file, text)
      const { message } = yield* Effect.flip(read(`sslmode=require&sslrootcert=${file}`))
      assert.include(message, "the file that sslrootcert in DATABASE_URL names has no certificate in PEM")
      assert.notInclude(message, "hunter2")
    }
    assert.include((yield* Effect.flip(read("sslrootcert=/nowhere/ca.pem"))).message, "cannot be read: ENOENT")
  })
)
