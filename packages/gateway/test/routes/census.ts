import type { LoggedCall, State } from "@portico/simulator/SimulatedCloud"

/** The rows of a database in which a change of a tenant shows, by the columns that say it. */
export interface Rows {
  readonly accounts: ReadonlyArray<{ readonly state: string }>
  readonly credentials: ReadonlyArray<{
    readonly kind: string
    readonly state: string
    readonly rotated_to: string | null
  }>
  readonly exposures: ReadonlyArray<{ readonly removing: unknown }>
  readonly onboardings: ReadonlyArray<{ readonly state: string }>
  readonly purges: ReadonlyArray<{ readonly state: string; readonly cancelled: boolean }>
  readonly signups: ReadonlyArray<{ readonly state: string }>
  readonly targets: ReadonlyArray<{ readonly state: string }>
  readonly tenants: ReadonlyArray<{
    readonly tier: string
    readonly pending_tier: string | null
    readonly suspended: boolean
    readonly closing: ReadonlyArray<string>
  }>
}

/** How many there are of everything that is alike. */
export type Census = ReadonlyMap<string, number>

const counted = (kinds: Iterable<string>): Census => {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** What operators of the cluster make by themselves, in their own time. */
const byThemselves = /^kubernetes\.(backups|events|jobs|persistentvolumeclaims|pods|secrets|serviceaccounts|services)\b/

/** How many there are of everything, in what state: what an operation makes, changes or removes shows in it. */
export const censusOf = (state: State, rows: Rows): Census =>
  counted([
    ...Object.entries(state).flatMap(([kind, things]) => (byThemselves.test(kind) ? [] : things.map(() => kind))),
    ...rows.tenants.map((_) => `tenant ${_.tier} ${_.pending_tier} ${_.suspended} ${_.closing.join(" ")}`),
    ...rows.credentials.map((_) => `${_.kind} ${_.state} ${_.rotated_to !== null}`),
    ...rows.accounts.map((_) => `account ${_.state}`),
    ...rows.signups.map((_) => `signup ${_.state}`),
    ...rows.onboardings.map((_) => `onboarding ${_.state}`),
    ...rows.purges.map((_) => `purge ${_.state} ${_.cancelled}`),
    ...rows.exposures.map((_) => `exposure ${String(_.removing)}`),
    ...rows.targets.map((_) => `target ${_.state}`)
  ])

/** Names, ids, moments, counts and versions, which are others in every run. */
const chance = /[\w$.:+/=@-]*\d[\w$.:+/=@-]*/g

/** What goes on by itself: what runs, how much is stored, and who wrote when. */
const passing: ReadonlySet<string> = new Set(["managedFields", "status", "updated_at", "usage"])

/** What everything is, but for what differs by chance and what goes on by itself. */
export const contentsOf = (state: State, { exposures, tenants }: Rows): Census => {
  const things = [
    ...Object.entries(state).flatMap(([kind, things]) =>
      byThemselves.test(kind) || kind === "rgw.buckets" ? [] : things.map((_) => [kind, _] as const)
    ),
    ...exposures.map((_) => ["exposure", _] as const),
    ...tenants.map((_) => ["tenant", _] as const)
  ]
  const written = (thing: unknown) =>
    String(JSON.stringify(thing, (key, value: unknown) => (passing.has(key) ? undefined : value))).replaceAll(
      chance,
      "#"
    )
  return counted(things.map(([kind, thing]) => `${kind} ${written(thing)}`))
}

/** How many more there are afterwards, of what there are not as many. */
export const differenceOf = (before: Census, after: Census): Census => {
  const kinds = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return new Map(
    kinds
      .map((kind) => [kind, (after.get(kind) ?? 0) - (before.get(kind) ?? 0)] as const)
      .filter(([, count]) => count !== 0)
  )
}

export const textOf = (difference: Census): string =>
  [...difference].map(([kind, count]) => `${kind}: ${count}`).join(", ")

/** A call of the operation, by its ordinal among the calls of its kind since the operation began. */
export const writesOf = (calls: ReadonlyArray<LoggedCall>) =>
  calls.flatMap(({ method, route, service }, index) => {
    const nth = calls
      .slice(0, index + 1)
      .filter((_) => _.service === service && _.method === method && _.route === route).length
    const isRead = method === "GET" || method === "HEAD" || /_search$|\/auth\/tokens$|\/oauth\/v2\//.test(route)
    return isRead ? [] : [{ service, method, path: route, nth }]
  })

export type Write = ReturnType<typeof writesOf>[number]
