import { Predicate } from "effect"
import { createHash } from "node:crypto"

/**
 * Replaces what is different in every run, and every secret, by values of the
 * same form. The same value is replaced by the same one wherever it stands, so
 * that an id of a request is the id in the response.
 */
export class Placeholders {
  private readonly known = new Map<string, string>()
  private readonly seeds = new Map<string, number>()

  /** @param group what the new values of this call are derived from, so that another group's calls do not change them */
  replace(group: string, value: unknown): unknown {
    for (const secret of secretsIn(value)) this.valueFor(group, secret, () => this.secret(group, secret))
    return this.within(group, value)
  }

  private within(group: string, value: unknown, key = ""): unknown {
    if (typeof value === "string") return this.text(group, value, key)
    if (Array.isArray(value)) return value.map((_) => this.within(group, _, key))
    if (!Predicate.isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, _]) => [this.text(group, name, ""), this.within(group, _, name)])
    )
  }

  private text(group: string, text: string, key: string): string {
    if (key === "resourceVersion") return "1042"
    if (/(?:^|_)cursor$/.test(key)) return this.cursor(group, text)
    const [secret] = [...this.known.keys()].filter((_) => isSecret(_) && text.includes(_))
    const shown = secret === undefined ? text : text.replaceAll(secret, this.known.get(secret) ?? "")
    const ids = [...this.known].filter(([_]) => _.length > 11 && shown.includes(_))
    return ids
      .reduce((_, [real, replaced]) => _.replaceAll(real, replaced), shown)
      .replaceAll(jwt, exampleJwt)
      .replaceAll(/^id: (\S+)$/gm, (_, id: string) => `id: ${this.cursor(group, id)}`)
      .replaceAll(volatile, (_) =>
        ids.some(([, made]) => made === _) ? _ : this.valueFor(group, _, () => this.id(group, _))
      )
  }

  private valueFor(group: string, real: string, make: () => string): string {
    const found = this.known.get(real) ?? make()
    this.known.set(real, found)
    return found
  }

  private hash(group: string): Buffer {
    const seed = this.seeds.get(group) ?? 0
    this.seeds.set(group, seed + 1)
    return createHash("sha512").update(`${group} ${seed}`).digest()
  }

  private secret(group: string, real: string): string {
    const mark = "EXAMPLE"
    const prefix = /^(?:portico_wi_|whsec_)/.exec(real)?.[0] ?? ""
    const length = real.length - prefix.length
    const text = this.hash(group)
      .toString("base64url")
      .repeat(Math.ceil(length / 86))
    return prefix + text.replaceAll(/[-_]/g, "x").slice(0, Math.max(0, length - mark.length)) + mark
  }

  private id(group: string, real: string): string {
    const whole = [...this.known].find(([_]) => _.length > real.length && _.startsWith(real))
    if (whole !== undefined) return whole[1].slice(0, real.length)
    if (userId.test(real)) return `2${BigInt(`0x${this.hash(group).toString("hex").slice(0, 20)}`)}`.slice(0, 18)
    const digits = this.hash(group).toString("hex")
    let next = 0
    const isUuid = real[8] === "-"
    return [...real]
      .map((_, at) => {
        if (_ === "-") return _
        // A UUID keeps its version, and has the variant of RFC 9562.
        return isUuid && at === 14 ? _ : isUuid && at === 19 ? "a" : digits[next++]
      })
      .join("")
  }

  /** A position in a log, such as `audit:17`, has a number that depends on what was done before. */
  private cursor(group: string, real: string): string {
    const position = Buffer.from(real, "base64url").toString()
    const name = /^([a-z_-]+):\d+$/.exec(position)?.[1]
    if (name === undefined) {
      // A time, a full stop, and the id.
      const shown = position.replace(/[^.]*$/, (id) => this.text(group, id, ""))
      return /^[ -~]+$/.test(position) ? Buffer.from(shown).toString("base64url") : real
    }
    return this.valueFor(group, real, () =>
      Buffer.from(`${name}:${1000 + this.hash(group).readUInt16BE()}`).toString("base64url")
    )
  }
}

const jwt = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g
const exampleJwt = [`{"alg":"RS256"}`, `{"sub":"example"}`, "signature"]
  .map((_) => Buffer.from(_).toString("base64url"))
  .join(".")

const userId = /^2000000000000\d{5}$/

/** Ids: UUIDs, hexadecimal numbers of the lengths in use, and the numbers of people. */
const volatile =
  /(?<![0-9A-Za-z.])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?!20\d{6}\b)(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32}|[0-9a-f]{24}|[0-9a-f]{12}|[0-9a-f]{8})|2000000000000\d{5})(?![0-9A-Za-z])/g

const secretNames = new Set([
  "client_secret",
  "n",
  "pat",
  "password",
  "secret",
  "secret_key",
  "access_token",
  "kid",
  "x5c"
])

const isSecret = (text: string): boolean => !new RegExp(`^${volatile.source}$`).test(text)

const secretsIn = (value: unknown): ReadonlyArray<string> =>
  Predicate.isObject(value)
    ? Object.entries(value).flatMap(([name, _]) =>
        typeof _ === "string"
          ? secretNames.has(name) && _.length > 15 && !_.startsWith("eyJ")
            ? [_]
            : []
          : secretNames.has(name) && Array.isArray(_)
            ? _.filter(Predicate.isString)
            : secretsIn(_)
      )
    : Array.isArray(value)
      ? value.flatMap(secretsIn)
      : []
