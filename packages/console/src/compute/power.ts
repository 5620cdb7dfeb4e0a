import type { PlatformWrite } from "../platform/usePlatform.ts"
import type { Server } from "./server.ts"

export type PowerAct = "start" | "stop" | "reboot" | "hardReboot"

const bodies: Readonly<Record<PowerAct, object>> = {
  start: { "os-start": null },
  stop: { "os-stop": null },
  reboot: { reboot: { type: "SOFT" } },
  hardReboot: { reboot: { type: "HARD" } }
}

export const powerWrite = (id: string, act: PowerAct): PlatformWrite => ({
  method: "POST",
  path: `compute/servers/${encodeURIComponent(id)}/action`,
  body: bodies[act]
})

const states: Readonly<Record<PowerAct, ReadonlyArray<string>>> = {
  start: ["SHUTOFF"],
  stop: ["ACTIVE", "ERROR"],
  reboot: ["ACTIVE"],
  hardReboot: ["ACTIVE", "SHUTOFF", "PAUSED", "SUSPENDED", "ERROR"]
}

/** Whether compute does it in the server's state. */
export const can = (act: PowerAct, { status, task }: Pick<Server, "status" | "task">): boolean =>
  task === "" && states[act].includes(status)
