import { type Call, partsOf, resolved, targetOf, terminalJson } from "./Call.ts"
import type { Shape } from "./Catalogue.ts"
import { quoted } from "./shell.ts"
import { hasSecrets, withStandIns } from "./standIns.ts"

// The token is that of the variable PORTICO_TOKEN, whatever the page itself is signed in with.

interface Request {
  readonly method: string
  readonly url: string
  readonly isOpen?: boolean
  readonly isStream?: boolean
  /** The options that give the body. */
  readonly body: ReadonlyArray<string>
  /** What goes to the standard input. */
  readonly stdin?: string
}

const addressOf = (base: string, target: string): string => `${base.replace(/\/+$/, "")}${target}`

const jsonBody = (body: unknown, type = "application/json"): ReadonlyArray<string> =>
  body === undefined ? [] : [`--header ${quoted(`content-type: ${type}`)}`, `--data-raw ${quoted(terminalJson(body))}`]

/** A secret of a form is that of a variable: curl encodes it. */
const formBody = (body: unknown, { body: fields }: Shape): ReadonlyArray<string> =>
  Object.entries(Object(body)).map(([key, value]) => {
    const isSecret = fields.some(({ name, secret }) => name === key && secret === true)
    return isSecret
      ? `--data-urlencode "${key}=$${key.toUpperCase()}"`
      : `--data-urlencode ${quoted(`${encodeURIComponent(key.toWellFormed())}=${String(value).toWellFormed()}`)}`
  })

/** With secrets it comes from standard input, because everybody on a machine sees the arguments of its processes. */
const bodyOf = (operation: Shape, body: unknown): Pick<Request, "body" | "stdin"> => {
  if (body === undefined) return { body: [] }
  if (operation.takes === "form") return { body: formBody(body, operation) }
  if (!hasSecrets(operation.body, body)) return { body: jsonBody(body) }
  const shown = withStandIns(operation.body, body, ({ name }) => `<${name}>`)
  return {
    body: [`--header "content-type: application/json"`, "--data-binary @-"],
    stdin: terminalJson(shown, 2)
  }
}

const requestOf = (call: Call): Request => {
  if (!("operation" in call)) {
    const { base, body, contentType, method, path } = call
    return { method, url: addressOf(base, path), body: jsonBody(body, contentType) }
  }
  const { base, input, operation } = call
  const parts = partsOf(operation, input)
  return {
    method: operation.method,
    url: addressOf(base, targetOf(operation, parts)),
    isOpen: operation.open === true,
    isStream: operation.stream !== undefined,
    ...bodyOf(operation, parts.body)
  }
}

/** With GET and HEAD curl has options of its own; the request of a HEAD would wait for a body. */
const methodOf = (method: string): ReadonlyArray<string> =>
  method === "GET" ? [] : method === "HEAD" ? ["--head"] : [`--request ${quoted(method)}`]

/** curl reads ranges in brackets, and resolves dots. */
const literally = (url: string): ReadonlyArray<string> => {
  const [path = ""] = url.split(/[?#]/, 1)
  const hasDots = path.split("/").some((_) => /^(\.|%2e){1,2}$/i.test(_))
  return [...(/[[\]{}]/.test(url) ? ["--globoff"] : []), ...(hasDots ? ["--path-as-is"] : [])]
}

/** A call as a command of curl. A secret of the caller's is a placeholder, such as `<url>`. */
export const asCurl = (call: Call): string => {
  const { body, isOpen, isStream, method, stdin, url } = requestOf(resolved(call))
  const options = [
    ...methodOf(method),
    ...literally(url),
    ...(isStream === true ? ["--no-buffer"] : []),
    ...(isOpen === true ? [] : [`--header "authorization: Bearer $PORTICO_TOKEN"`]),
    ...body
  ]
  const text = [`curl ${quoted(url)}`, ...options].join(" \\\n  ")
  // No line of indented JSON is the delimiter: each text of it is in quotes.
  return stdin === undefined ? text : `${text} <<'END'\n${stdin}\nEND`
}
