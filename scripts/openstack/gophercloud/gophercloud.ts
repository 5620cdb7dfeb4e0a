import { spawned } from "../../../packages/gateway/test/processes/children.ts"
import { Console, Effect, FileSystem } from "effect"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { NotInstalled, type Result } from "../Result.ts"

/** Names the release of gophercloud, and vouches for its sources. */
const module = join(import.meta.dirname, "module")

const acceptance = "github.com/gophercloud/gophercloud/v2/internal/acceptance/openstack"

/** Where Go runs, and with which variables the tests do. */
export interface Place {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** Runs `go test -json` in the module, and returns the events that it wrote. */
const goTest = Effect.fnUntraced(function* ({ environment, folder }: Place, options: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const child = yield* spawned({
    command: ["/bin/sh", "-c", 'exec go test -json -tags acceptance -vet off "$@" >"$EVENTS" 2>&1', "go", ...options],
    cwd: module,
    group: true,
    settings: { PATH: `${process.env["PATH"] ?? ""}:/usr/local/go/bin`, EVENTS: join(folder, "events"), ...environment }
  })
  const code = yield* child.ended
  const text = yield* fs.readFileString(join(folder, "events"))
  if (code === 127) return yield* new NotInstalled({ message: "Go is not installed, by which gophercloud is built" })
  const lines = text.split("\n").filter((_) => _ !== "")
  const broken = lines.find((_) => !_.startsWith("{") || _.includes('"build-fail"'))
  return broken === undefined
    ? lines.map((_): Event => JSON.parse(_))
    : yield* Effect.die(new Error(text.slice(0, 2000)))
}, Effect.scoped)

/** What `go test -json` says of a package, a test, or a part of a test, whose name has a slash. */
interface Event {
  readonly Action: string
  readonly Package: string
  readonly Test?: string
  readonly Output?: string
}

/** The tests of packages, by the package below {@link acceptance}: `dns/v2.TestZonesCRUD`. */
export const testsOf = Effect.fnUntraced(function* (place: Place, packages: ReadonlyArray<string>) {
  const events = yield* goTest(place, ["-list", "^Test", ...packages.map((_) => `${acceptance}/${_}`)])
  return events.flatMap(({ Output = "", Package }) =>
    Output.startsWith("Test") ? [`${Package.slice(acceptance.length + 1)}.${Output.trim()}`] : []
  )
})

/** Runs tests, a package after the other. */
export const runTests = Effect.fnUntraced(function* (place: Place, tests: ReadonlyArray<string>) {
  yield* Console.log(`${tests.length} tests`)
  const byPackage = Map.groupBy(tests, (_) => _.slice(0, _.lastIndexOf(".")))
  const results = yield* Effect.forEach(byPackage, ([name, tests]) =>
    Effect.tap(untilTheEnd(place, name, tests), (results) => Console.log(`${name}: ${summary(results)}`))
  )
  return results.flat()
})

/** What panics ends its package: those behind it run again without it. */
const untilTheEnd = Effect.fnUntraced(function* (place: Place, name: string, tests: ReadonlyArray<string>) {
  const results: Array<Result> = []
  let left = tests
  while (left.length > 0) {
    const names = left.map((_) => _.slice(name.length + 1))
    const pattern = `^(${names.join("|")})$`
    const events = yield* goTest(place, ["-count", "1", "-timeout", "1h", "-run", pattern, `${acceptance}/${name}`])
    const more = resultsIn(events)
    results.push(...more)
    const before = left.length
    left = left.filter((test) => !more.some((_) => _.test === test))
    if (left.length === before) break
  }
  return results
})

const statuses = { pass: "success", fail: "fail", skip: "skip" } as const

const isStatus = (action: string): action is keyof typeof statuses => action in statuses

/** What began and did not end has ended its package. */
const resultsIn = (events: ReadonlyArray<Event>): ReadonlyArray<Result> =>
  events.flatMap(({ Action, Package, Test }): ReadonlyArray<Result> => {
    if (Test === undefined || Test.includes("/") || Action !== "run") return []
    const action = events.find((_) => _.Test === Test && isStatus(_.Action))?.Action ?? "fail"
    const said = events
      .flatMap((_) => (_.Action === "output" && _.Test?.split("/")[0] === Test ? [_.Output ?? ""] : []))
      .filter((_) => !/^\s*(===|---) /.test(_))
    const status = isStatus(action) ? statuses[action] : "fail"
    return [
      { test: `${Package.slice(acceptance.length + 1)}.${Test}`, status, said: stripVTControlCharacters(said.join("")) }
    ]
  })

const summary = (results: ReadonlyArray<Result>): string =>
  `${results.filter((_) => _.status === "success").length} of ${results.length} pass`
