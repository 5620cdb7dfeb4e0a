import { objectAt, stringAt } from "../Json.ts"
import { empty, json, originOf } from "../Wire.ts"
import { lockedFor, wrongState } from "./request.ts"
import { consoleLog } from "./consoleLog.ts"
import { fault } from "./fault.ts"
import type { VmState } from "./state.ts"
import type { Action } from "./tasks.ts"

const changePassword: Action = (request, server) =>
  lockedFor(request, server) ?? wrongState("changePassword", server, ["active"]) ?? empty(202)

/** A server has a console while it has a host, in whatever state it is. */
const hostless: ReadonlyArray<VmState> = ["building", "shelved_offloaded"]

const consoleOutput: Action = ({ now }, server, value) =>
  hostless.includes(server.vm_state)
    ? fault(409, `Instance ${server.id} is not ready`)
    : json(200, {
        output: consoleLog(server, server.vm_state === "stopped" ? server.updated_at : now, objectAt(value))
      })

const crashDump: Action = (request, server) =>
  lockedFor(request, server) ?? wrongState("trigger_crash_dump", server, ["active", "paused"]) ?? empty(202)

/** Console URLs, up to microversion 2.5. */
const console: Action = (request, server, value) => {
  const type = stringAt(objectAt(value), "type")
  const url = `${originOf(request)}/console?token=${server.id}`
  return wrongState("get_console", server, ["active"]) ?? json(200, { console: { type, url } })
}

export const guestActions: Readonly<Record<string, Action>> = {
  changePassword,
  "os-getConsoleOutput": consoleOutput,
  trigger_crash_dump: crashDump,
  "os-getVNCConsole": console,
  "os-getSPICEConsole": console
}
