/** What all instances of a database have. */
export interface Size {
  readonly size_gb: number
  readonly replicas: number
}

/** A limit of the project, with what is used of it; null where nobody could count. */
interface Room {
  readonly used: number | null
  readonly limit: number
}

export interface Rooms {
  readonly gigabytes: Room
  readonly claims: Room
}

/** One of the limits that a database has to fit under. */
export interface Check {
  readonly limitOf: "instance" | "database" | "storage" | "volumes"
  /** What would be used with it; undefined where what is used is not known. */
  readonly after: number | undefined
  /** What is used now; 0 for limits of one database. */
  readonly before: number
  /** What this adds to `before`; negative when it becomes less. */
  readonly adds: number
  readonly limit: number
  readonly fits: boolean
}

/** Ceilings of one database, in GiB: the same for every tenant. */
export const ceilings = { instance: 250, database: 300 } as const

const checkOf = (limitOf: Check["limitOf"], { limit, used }: Room, adds: number): Check => {
  const after = used === null ? undefined : used + adds
  return {
    limitOf,
    limit,
    before: used ?? 0,
    adds,
    after,
    // What does not grow passes, as it does at the gateway.
    fits: adds <= 0 || limit < 0 || after === undefined || after <= limit
  }
}

const none: Size = { size_gb: 0, replicas: 0 }

const total = ({ replicas, size_gb }: Size): number => size_gb * replicas

/**
 * The arithmetic by which the gateway decides about a database of a size.
 *
 * @param held what the database has already
 */
export const checksOf = (wanted: Size, rooms: Rooms, held: Size = none): ReadonlyArray<Check> => [
  checkOf("instance", { used: 0, limit: ceilings.instance }, wanted.size_gb),
  checkOf("database", { used: 0, limit: ceilings.database }, total(wanted)),
  checkOf("storage", rooms.gigabytes, total(wanted) - total(held)),
  checkOf("volumes", rooms.claims, wanted.replicas - held.replicas)
]

/** A whole number that somebody typed; 0 for anything else. */
export const wholeOf = (text: string): number => (/^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : 0)
