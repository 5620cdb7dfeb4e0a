import { Effect, Option } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { callRaw, rawFlags } from "../derived/raw.ts"
import { Argument, Command, Flag } from "../effectCli.ts"

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const fields = Flag.String("raw-field").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("key=value"),
  Flag.withDescription(
    "A field with a text: of the query of a GET, and of a JSON body otherwise. Repeat it for more fields."
  ),
  Flag.atLeast(0)
)

const pairsOf = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const wrong = given.find((_) => !/^[^=]+=/.test(_))
  if (wrong !== undefined) {
    return yield* new CliFailure({
      exit: "usage",
      message: `--raw-field: '${wrong}' is not a key and a value, as in key=value`
    })
  }
  return given.map((_): [string, string] => [_.slice(0, _.indexOf("=")), _.slice(_.indexOf("=") + 1)])
})

/** `api /v1/whoami` is a GET, and a POST with a body. */
const targetOf = Effect.fnUntraced(function* (first: string, second: Option.Option<string>, sends: boolean) {
  const [method, path] = Option.match(second, {
    onNone: () => [sends ? "POST" : "GET", first] as const,
    onSome: (_) => [first.toUpperCase(), _] as const
  })
  if (methods.has(method)) return { method, path }
  return yield* new CliFailure({ exit: "usage", message: `'${first}' is no method, such as GET or POST` })
})

const withQuery = (path: string, pairs: ReadonlyArray<[string, string]>): string =>
  pairs.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams([...pairs]).toString()}`

export const api = Command.make(
  "api",
  {
    first: Argument.String("method").pipe(
      Argument.withDescription("The method. Without one, GET, and POST with a body or fields.")
    ),
    second: Argument.String("path").pipe(
      Argument.withDescription("The path below the plane's address, such as /v1/whoami, with a query if there is one."),
      Argument.optional
    ),
    fields,
    ...rawFlags
  },
  Effect.fnUntraced(function* ({ fields, first, second, ...given }) {
    const pairs = yield* pairsOf(fields)
    const { method, path } = yield* targetOf(first, second, pairs.length > 0 || Option.isSome(given.body))
    if (pairs.length === 0) return yield* callRaw(method, path, given)
    if (method === "GET" || method === "HEAD") return yield* callRaw(method, withQuery(path, pairs), given)
    if (Option.isSome(given.body)) {
      return yield* new CliFailure({
        exit: "usage",
        message: "--body and --raw-field both make the body: give one of them"
      })
    }
    return yield* callRaw(method, path, { ...given, body: Option.some(JSON.stringify(Object.fromEntries(pairs))) })
  })
).pipe(
  Command.withShortDescription("Call any path, and print the response as it is"),
  Command.withDescription(
    "Makes an authenticated call by method and path, and prints the body of the response as it is. The exit code follows " +
      "from the status: 0 for a success, 3 for 401, 4 for 404, 1 for another 4xx, 5 for 5xx."
  ),
  Command.withExamples([
    { command: "portico api /v1/whoami", description: "Read something" },
    { command: "portico api GET /v1/credentials -f limit=2 -f label=backup", description: "With a query" },
    {
      command: "portico api POST /v1/dns/zones --body @zone.json --include",
      description: "Send a file, and see the headers"
    }
  ])
)
