import { NodeFileSystem } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { rehearse as rehearseHere } from "@portico/testing/rehearse/rehearse"
import { Report } from "@portico/testing/rehearse/Report"
import { Effect, FileSystem, Schema } from "effect"
import { execFile } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const bin = fileURLToPath(import.meta.resolve("@portico/testing/rehearse/bin"))
const examples = fileURLToPath(new URL("../../../examples", import.meta.url))
const steps = join(examples, "onboarding-steps")

const rehearse = (...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number | string; readonly out: string; readonly err: string }>((resume) => {
    execFile(process.execPath, [bin, "rehearse", ...args], { maxBuffer: 2 ** 26 }, (error, out, err) =>
      resume(Effect.succeed({ code: error?.code ?? 0, out, err }))
    )
  })

const decodeReport = Schema.decodeUnknownSync(Schema.fromJsonString(Report))

/** A file of steps for one test. It is below the repository, where it finds the packages. */
const fileWith = (content: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped({ directory: steps, prefix: ".rehearse-" })
    const file = join(folder, "steps.ts")
    yield* files.writeFileString(file, content)
    return file
  })

it.live("the example is clean when the process dies, at every call", () =>
  Effect.gen(function* () {
    const { code, err, out } = yield* rehearse(join(steps, "rehearsal.ts"), "--json", "--fault", "death")
    assert.strictEqual(code, 0, err + out)
    const report = decodeReport(out)
    assert.isAbove(report.calls, 20)
    assert.deepStrictEqual([report.cases, report.failures], [report.calls * 5, 0])
    assert.includeMembers(
      report.rows.map((_) => _.step),
      ["project", "cmdb entry", "default zone", "tier tag"]
    )
    assert.isTrue(report.rows.some((_) => _.ms === 253_000))
  })
)

it.live("an undo that is empty is found: which call, what is left, and which step makes it", () =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const broken = join(examples, `.broken-${process.pid}`)
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(broken, { recursive: true, force: true })))
    cpSync(steps, broken, { recursive: true, filter: (_) => !/\.rehearse-|package\.json/.test(_) })
    const undo = "undo: (attempt) => Effect.flatMap(Dns, (_) => _.removeZone(zoneOf(attempt)))"
    const source = yield* files.readFileString(join(broken, "steps.ts"))
    assert.include(source, undo)
    yield* files.writeFileString(join(broken, "steps.ts"), source.replace(undo, "undo: () => Effect.void"))
    const page = join(broken, "report.html")

    const only = ["--step", "default zone", "--fault", "reset", "--fault", "hang-up"]
    const { code, err, out } = yield* rehearse(join(broken, "rehearsal.ts"), ...only, "--html", page)

    assert.strictEqual(code, 1, err + out)
    assert.match(out, /^default zone +designate POST \/v2\/zones +.* left behind +designate\.zones acme-gmbh\.tenants/m)
    assert.match(out, /^Left behind in 2 cases:\n {2}designate\.zones acme-gmbh\.tenants\.example\.org\.$/m)
    assert.include(out, 'The step "default zone" makes this with designate POST /v2/zones.')
    assert.match(out, /^26 calls, 4 cases, 2 failures, /m)
    assert.notInclude(out, "\u001b", "no colours where nobody looks")
    const html = yield* files.readFileString(page)
    assert.match(html, /<tr data-outcome="left behind" class="bad"><th scope="row">default zone<\/th>/)
    assert.notMatch(html, /(src|href)=/, "it loads nothing")
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
)

/** Nobody looks. */
const unseen = { begin: () => Effect.void, played: () => {}, end: Effect.void }

const step = (body: string) => `
import { OnboardingSteps, step } from "@portico/domain/onboarding/Step"
import { Config, Effect } from "effect"
export const onboarding = OnboardingSteps.layer(step({ name: "greeting", ${body}, undo: () => Effect.void }))
`

it.live.each([
  { what: "exports nothing of use", content: "export const steps = []", words: "exports no `onboarding`, but steps." },
  { what: "exports no layer", content: "export const onboarding = []", words: "is not a layer" },
  { what: "cannot be parsed", content: "export const = ", words: "cannot be loaded: " },
  {
    what: "has a step that throws",
    content: step('do: () => Effect.sync(() => { throw new Error("no greeting today") })'),
    words: "The onboarding does not even work when nothing fails: the step 'greeting' threw: no greeting today"
  },
  {
    what: "lacks a setting",
    content: `${step("do: () => Effect.void").replace("export const onboarding =", "const own =")}
import { Layer } from "effect"
export const onboarding = Layer.provide(own, Layer.effectDiscard(Config.String("GREETING_URL")))`,
    words: "GREETING_URL"
  },
  { what: "ends the process", content: "process.exit(0)", words: "ended the process." }
])("a file that $what is refused with a message and no stack", ({ content, words }) =>
  Effect.gen(function* () {
    const file = yield* fileWith(content)
    const { message } = yield* Effect.flip(rehearseHere({ file, steps: [], faults: [], jobs: 1 }, unseen))
    assert.include(message, words)
    assert.notMatch(message, /^ {4}at /m, "no stack")
  }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
)

it.live("a missing file, a step without calls and an unknown fault are refused with a message", () =>
  Effect.gen(function* () {
    const missing = yield* rehearse("/nowhere/steps.ts")
    assert.deepStrictEqual([missing.code, missing.out], [2, ""])
    assert.include(missing.err, "There is no file /nowhere/steps.ts.")
    const unknown = yield* rehearse(join(steps, "rehearsal.ts"), "--step", "defualt zone")
    assert.strictEqual(unknown.code, 2)
    assert.match(unknown.err, /No call is made by a step named defualt zone\. Steps with calls: .*default zone/)
    const fault = yield* rehearse(join(steps, "rehearsal.ts"), "--fault", "explosion")
    assert.strictEqual(fault.code, 2)
    assert.include(fault.err, "--fault")
  })
)
