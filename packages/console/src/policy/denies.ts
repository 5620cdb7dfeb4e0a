export type Level = "read" | "operate" | "destroy"

/** The levels in order: a deny of one denies those after it. */
export const levels: ReadonlyArray<Level> = ["read", "operate", "destroy"]

export interface Deny {
  readonly area: string
  readonly level: Level
}

/** `compute` and `compute:read` deny everything of the area. */
export const denyOf = (text: string): Deny => {
  const [area = "", level] = text.split(":")
  return { area, level: levels.find((_) => _ === level) ?? "read" }
}

export const textOf = ({ area, level }: Deny): string => (level === "read" ? area : `${area}:${level}`)

export interface Decided {
  readonly deny: string
  /** The unit that states it, empty for the account. */
  readonly from: string
}

/** The deny that refuses calls of a level in an area, the one nearest to the account; undefined when none does. */
export const denying = (denies: ReadonlyArray<Decided>, area: string, level: Level): Decided | undefined =>
  denies.find((_) => {
    const deny = denyOf(_.deny)
    return deny.area === area && levels.indexOf(deny.level) <= levels.indexOf(level)
  })

/** Whether a unit is the other one or below it. */
export const isWithin = (unit: string, other: string): boolean =>
  other === "" || unit === other || unit.startsWith(`${other}.`)
