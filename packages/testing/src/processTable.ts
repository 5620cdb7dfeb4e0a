import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"

export interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** All running processes, from `/proc` where it exists, because a minimal system has no `ps`. */
export const processTable = (): ReadonlyArray<Process> =>
  (existsSync("/proc/self/stat") ? fromProc() : fromPs()).filter((_) => _.command !== "")

const fromProc = (): ReadonlyArray<Process> =>
  readdirSync("/proc")
    .filter((_) => /^\d+$/.test(_))
    .flatMap((pid) => {
      try {
        // The second field is the process name, which may contain anything. So the fields after its last bracket are
        // parsed.
        const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ")
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()
        return state === "Z" ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
      } catch {
        return [] // The process ended during the read.
      }
    })

const fromPs = (): ReadonlyArray<Process> =>
  execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent, state = "", command = ""] = /^ *(\d+) +(\d+) +(\S+) +(.*)$/.exec(line) ?? []
      return state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent), command }]
    })
