import { Effect, FileSystem } from "effect"
import { cpus as processors } from "node:os"
import { installed } from "./processes.ts"

/** Which CPUs do what, as `taskset -c` spells them. */
export interface Cpus {
  /** All contenders, of which one at a time has work. */
  readonly contenders: string | undefined
  /** The origin, the identity provider and the generator. */
  readonly load: string | undefined
}

/** The contenders share the last CPU, and whatever feeds them has the others; where that cannot be held, nothing is. */
export const dividedCpus = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const status = yield* Effect.orElseSucceed(fs.readFileString("/proc/self/status"), () => "")
  const allowed = numbersOf(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "")
  const last = allowed.at(-1)
  if (last === undefined || allowed.length < 2 || (yield* installed("taskset")) === undefined) {
    return { contenders: undefined, load: undefined } satisfies Cpus
  }
  return { contenders: String(last), load: allowed.slice(0, -1).join(",") } satisfies Cpus
})

/** `0-2,5` */
const numbersOf = (list: string): ReadonlyArray<number> =>
  list
    .split(",")
    .filter((_) => _ !== "")
    .flatMap((range) => {
      const [from = 0, to = from] = range.split("-").map(Number)
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    })

export const words = ({ contenders, load }: Cpus): string => {
  const machine = `${processors()[0]?.model.trim()}, ${processors().length} CPUs, Node ${process.version}`
  return contenders === undefined
    ? `${machine}; no process is held on a CPU`
    : `${machine}; contenders on CPU ${contenders}, origin, identity provider and generator on ${load}`
}

/** What a process holds of the main memory, in MiB; not a number where the system has no /proc. */
export const memoryOf = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  const status = yield* Effect.orElseSucceed(fs.readFileString(`/proc/${pid}/status`), () => "")
  const field = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status)?.[1]) / 1024
  return { now: field("VmRSS"), peak: field("VmHWM") }
})

/** How many microseconds of a CPU, on all its threads, a process used while this ran. */
export const cpuDuring = Effect.fnUntraced(function* <A, E, R>(pid: number, effect: Effect.Effect<A, E, R>) {
  const before = yield* cpuOf(pid)
  const value = yield* effect
  return { value, micros: (yield* cpuOf(pid)) - before }
})

/** Microseconds of CPU that a process has used. proc(5): fields 14 and 15 of stat, in hundredths of a second. The second field may hold blanks, and ends with a bracket. */
export const cpuOf = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  const stat = yield* Effect.orElseSucceed(fs.readFileString(`/proc/${pid}/stat`), () => "")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10_000
})

/** By how many MiB a process was at most larger, while this ran, than before it. */
export const growthDuring = Effect.fnUntraced(function* <A, E, R>(pid: number, effect: Effect.Effect<A, E, R>) {
  const fs = yield* FileSystem.FileSystem
  // Sets the peak to what is held now.
  yield* Effect.ignore(fs.writeFileString(`/proc/${pid}/clear_refs`, "5"))
  const before = yield* memoryOf(pid)
  const value = yield* effect
  const { peak } = yield* memoryOf(pid)
  return { value, before: before.now, mib: Math.max(0, peak - before.now) }
})
