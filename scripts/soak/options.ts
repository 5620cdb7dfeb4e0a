import { parseArgs } from "node:util"

export interface Options {
  readonly what: "soak" | "overload"
  /** Of the load, without the start and the checks at the end. */
  readonly minutes: number
  readonly seed: number
  /** Tenants that live from the beginning to the end. */
  readonly tenants: number
  /** Kinds of faults that are left out. */
  readonly without: ReadonlySet<string>
  /** For trying the checks: makes one of them fail. */
  readonly sabotage: string | undefined
}

export const usage = `Usage: npm run soak -- [overload] [--minutes 60] [--seed 1] [--tenants 6] [--without clock,disk,…]`

/** What was asked for on the command line, or undefined where it cannot be understood. */
export const optionsOf = (args: ReadonlyArray<string>, anySeed: number): Options | undefined => {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: false,
    options: {
      minutes: { type: "string" },
      seed: { type: "string" },
      tenants: { type: "string" },
      without: { type: "string" },
      sabotage: { type: "string" }
    }
  })
  const [what = "soak"] = positionals
  const numberOf = (value: string | boolean | undefined, usual: number) =>
    typeof value === "string" ? Number(value) : usual
  const minutes = numberOf(values["minutes"], what === "overload" ? 5 : 60)
  const seed = numberOf(values["seed"], anySeed)
  const tenants = numberOf(values["tenants"], 6)
  const known = new Set(["minutes", "seed", "tenants", "without", "sabotage"])
  if (
    (what !== "soak" && what !== "overload") ||
    Object.keys(values).some((_) => !known.has(_)) ||
    !(minutes > 0) ||
    !Number.isInteger(seed) ||
    !(tenants >= 2)
  ) {
    return undefined
  }
  return {
    what,
    minutes,
    seed,
    tenants,
    without: new Set(typeof values["without"] === "string" ? values["without"].split(",") : []),
    sabotage: typeof values["sabotage"] === "string" ? values["sabotage"] : undefined
  }
}
