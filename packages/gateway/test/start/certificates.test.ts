import { assert, it } from "@effect/vitest"
import { ensured } from "@portico/gateway/start/certificates"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folderOf = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "portico-tls-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const filesIn = (folder: string) => ({
  ca: join(folder, "ca.pem"),
  cert: join(folder, "cert.pem"),
  key: join(folder, "key.pem")
})

it.effect("certificates last until 30 days before their end, and mismatched ones are renewed", () =>
  Effect.gen(function* () {
    const folder = yield* folderOf
    const files = filesIn(folder)
    const current = Effect.map(ensured(folder, files), () => Object.values(files).map((_) => readFileSync(_, "utf8")))
    const first = yield* current
    yield* TestClock.adjust(Duration.days(397 - 31))
    assert.deepStrictEqual(yield* current, first)
    yield* TestClock.adjust(Duration.days(1))
    const second = yield* current
    for (const [at, text] of second.entries()) assert.notStrictEqual(text, first[at])
    writeFileSync(files.ca, first[0] ?? "")
    const third = yield* current
    assert.notStrictEqual(third[0], first[0])
    assert.notStrictEqual(third[1], second[1])
  })
)

it.effect("the key is readable by its owner alone, and written through no leftover link", () =>
  Effect.gen(function* () {
    const directory = yield* folderOf
    const folder = join(directory, "tls")
    const files = filesIn(folder)
    mkdirSync(folder)
    const foreign = join(directory, "foreign")
    writeFileSync(foreign, "untouched")
    symlinkSync(foreign, `${files.key}.draft`)
    writeFileSync(`${files.cert}.draft`, "half", { mode: 0o644 })
    yield* ensured(folder, files)
    assert.strictEqual(readFileSync(foreign, "utf8"), "untouched")
    for (const file of Object.values(files)) {
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.match(readFileSync(file, "utf8"), /^-----BEGIN (CERTIFICATE|PRIVATE KEY)-----\n/)
    }
  })
)
