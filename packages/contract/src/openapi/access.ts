import { Context, Predicate } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import {
  ActsOn,
  AnswersSecret,
  Authenticated,
  BillingAccess,
  isAllowedWhileClosing,
  OwnersAlways,
  PlatformAdmin,
  TenantScoped,
  tierNeeded,
  tierOf
} from "../Access.ts"
import { CustomerApi, OperatorApi } from "../Api.ts"
import { areaOf } from "../areas.ts"
import { Billed, LongRunning } from "../describe.ts"
import type { Waiting } from "../waiting.ts"
import { Creates } from "../Idempotency.ts"
import { denyLevels } from "../Policy.ts"
import { acts, isRefusedWhileSuspended } from "../Suspension.ts"
import { type Json, mapValues, type Spec, textAt, withPaths } from "./tree.ts"

/** Who may call an operation and what a call means, as far as the declarations say it. */
interface Access {
  /** The bullets of the description. */
  readonly lines: ReadonlyArray<readonly [topic: string, text: string]>
  /** The same for programs, as extensions of the operation. */
  readonly extensions: Readonly<Record<`x-portico-${string}`, unknown>>
}

interface Declared {
  readonly endpoint: HttpApiEndpoint.Top
  readonly has: (middleware: { readonly key: string }) => boolean
}

/** The endpoints of both planes by the document's method and path. The customers' are a part of the operators'. */
const declared: ReadonlyMap<string, Declared> = (() => {
  const found = new Map<string, Declared>()
  HttpApi.reflect(OperatorApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const keys = new Set([...middleware].map((_) => _.key))
      found.set(nameOf(endpoint), { endpoint, has: ({ key }) => keys.has(key) })
    }
  })
  return found
})()

/** Method and path of each operation by its id: a reader of the reference does not see ids. */
const requestOf: ReadonlyMap<string, string> = (() => {
  const found = new Map<string, string>()
  HttpApi.reflect(OperatorApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const [method, path] = nameOf(endpoint).split(" ")
      found.set(`${group.identifier}.${endpoint.identifier}`, `${method?.toUpperCase()} ${path}`)
    }
  })
  return found
})()

const ofCustomers: ReadonlySet<string> = (() => {
  const found = new Set<string>()
  HttpApi.reflect(CustomerApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => void found.add(nameOf(endpoint))
  })
  return found
})()

function nameOf({ method, path }: HttpApiEndpoint.Top): string {
  return `${method.toLowerCase()} ${path.replaceAll(/:([a-z_]+)/g, "{$1}")}`
}

/** Appends to each operation's description what follows from its declaration, and says it to programs too. */
export const withAccess = (spec: Spec): Spec =>
  withPaths(spec, (path, item) => [
    path,
    mapValues(item, (operation, method) => {
      const found = declared.get(`${method} ${path}`)
      return found !== undefined && Predicate.isObject(operation) ? withLines(operation, accessOf(found)) : operation
    })
  ])

const withLines = (operation: Json, { extensions, lines }: Access): object => {
  const own = textAt(operation, "description")
  const list = lines.map(([topic, text]) => `- ${topic}: ${text}`).join("\n")
  return {
    ...operation,
    description: [...(own === undefined ? [] : [own]), `**Access**\n\n${list}`].join("\n\n"),
    ...extensions
  }
}

type Part = (of: Declared) => Access | undefined

const said = (topic: string, text: string, extensions: Access["extensions"]): Access => ({
  lines: [[topic, text]],
  extensions
})

const plane: Part = ({ endpoint }) =>
  ofCustomers.has(nameOf(endpoint))
    ? said("Plane", "customer and operator.", { "x-portico-planes": ["customer", "operator"] })
    : said("Plane", "operator.", { "x-portico-planes": ["operator"] })

const tierNames = ["0 (read-only)", "1 (operate)", "2 (destructive)"] as const

const isCatchAll = ({ path }: HttpApiEndpoint.Top): boolean => path.endsWith("/*")

const authentication: Part = ({ has }) =>
  has(Authenticated) ? undefined : said("Authentication", "no Bearer credential.", {})

const tier: Part = ({ endpoint, has }) => {
  if (!has(Authenticated) || has(PlatformAdmin)) return undefined
  // A catch-all enforces the tier of the method itself, with exceptions.
  const needed = isCatchAll(endpoint) ? tierOf(endpoint.method) : tierNeeded(endpoint)
  const text = isCatchAll(endpoint)
    ? `${tierNames[needed]}, by the method; some calls need another.`
    : `${tierNames[needed]}.`
  return said("Tier", text, { "x-portico-tier": needed })
}

const role: Part = ({ has }) => {
  if (has(PlatformAdmin)) {
    return said("Role", "platform administrator of any tier.", { "x-portico-role": "platform-administrator" })
  }
  return has(BillingAccess)
    ? said("Role", "billing access. The account's owner always has it.", { "x-portico-role": "billing" })
    : undefined
}

const tenant: Part = ({ has }) =>
  has(TenantScoped)
    ? said("Tenant", "the caller's own. A platform administrator has none and gets 409 `tenant_required`.", {})
    : undefined

const idempotency: Part = ({ has }) =>
  has(Creates) ? said("Repetition", "takes an `Idempotency-Key`.", { "x-portico-idempotency-key": true }) : undefined

const secrets = {
  new: "the response shows a new secret, this once.",
  stored: "the response has a stored secret, so the call is audited, and a credential of kind `mcp` gets 403.",
  grant: "the response has an address that works for a while without a credential, so the call is audited."
} as const

const secret: Part = ({ endpoint }) => {
  const kind = Context.get(endpoint.annotations, AnswersSecret)
  return kind === undefined ? undefined : said("Secret", secrets[kind], { "x-portico-secret": kind })
}

/** Writes of tenants; reads and what has no tenant are never refused for its state. */
const state: Part = ({ endpoint, has }) => {
  if (!has(Authenticated) || has(PlatformAdmin) || tierOf(endpoint.method) === 0) return undefined
  const { method, path } = endpoint
  const closing = isAllowedWhileClosing(endpoint)
  const act = acts[`${method} ${path}`]
  const partly = isCatchAll(endpoint) ? method !== "DELETE" : act === "grows"
  const suspended = partly ? "partly" : isRefusedWhileSuspended(endpoint) ? "refused" : "allowed"
  const sentences = {
    allowed: "works.",
    refused: "refused with 403.",
    partly: "works, except for a creation or an enlargement, which is refused with 403."
  }
  return {
    lines: [
      ["While the project or account is closing", closing ? "works." : "refused with 409."],
      ["While the tenant is suspended", sentences[suspended]]
    ],
    extensions: {
      "x-portico-while-closing": closing ? "allowed" : "refused",
      "x-portico-while-suspended": suspended
    }
  }
}

const levels = Object.keys(denyLevels)

const policy: Part = ({ endpoint, has }) => {
  if (!has(Authenticated) || has(PlatformAdmin) || !ofCustomers.has(nameOf(endpoint))) return undefined
  const needed = isCatchAll(endpoint) ? 0 : tierNeeded(endpoint)
  const level = levels[Math.max(needed, tierOf(endpoint.method))]
  const actsOn = Context.get(endpoint.annotations, ActsOn)
  const own = areaOf(endpoint.path)
  const areas = [own === "iaas" ? "{service}" : own, ...actsOn].map((_) => `${_}:${level}`)
  const text = choice(areas)
  const exempt = Context.get(endpoint.annotations, OwnersAlways) ? ", except to the account's owner" : ""
  return said("Policy", `an access policy can deny it as ${text}${exempt}.`, { "x-portico-policy": areas })
}

const billed: Part = ({ endpoint }) =>
  Context.get(endpoint.annotations, Billed)
    ? said("Billing", "the resource that the call creates or enlarges is billed.", { "x-portico-billed": true })
    : undefined

const completion: Part = ({ endpoint }) => {
  const waiting = Context.get(endpoint.annotations, LongRunning)
  return waiting === undefined
    ? undefined
    : said("Completion", completionText(waiting), { "x-portico-long-running": waiting })
}

const completionText = ({ done, failed, field, gone, read }: Waiting): string => {
  const end = gone === true ? "it is a 404" : `\`${field}\` is ${choice(done)}`
  const until = `the work continues after the response. Call \`${requestOf.get(read)}\` until ${end}`
  return failed.length === 0 ? `${until}.` : `${until}; with ${choice(failed)} it has stopped.`
}

const disjunction = new Intl.ListFormat("en-GB", { type: "disjunction" })

const choice = (values: ReadonlyArray<string>): string => disjunction.format(values.map((_) => `\`${_}\``))

const parts: ReadonlyArray<Part> = [
  plane,
  authentication,
  tier,
  role,
  tenant,
  idempotency,
  secret,
  state,
  policy,
  billed,
  completion
]

const accessOf = (of: Declared): Access => {
  const found = parts.flatMap((part) => part(of) ?? [])
  return { lines: found.flatMap((_) => _.lines), extensions: Object.assign({}, ...found.map((_) => _.extensions)) }
}
