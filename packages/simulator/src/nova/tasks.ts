import { type Answer, empty } from "../Wire.ts"
import { type Asked, lockedFor, wrongState } from "./asked.ts"
import { type Server, serverDelay, type VmState } from "./state.ts"

/** What a server does when the one key of an action's body names it; the key's value is the third argument. */
export type Action = (asked: Asked, server: Server, value: unknown) => Answer

export const begin = ({ now }: Asked, server: Server, task: string, to: VmState): void => {
  server.task_state = task
  server.due = { at: now + serverDelay, vm_state: to }
}

/** A task that takes the server from one of some states to another: 202 now, done later. */
export const change =
  (name: string, from: ReadonlyArray<VmState>, task: string, to: VmState): Action =>
  (asked, server) => {
    const refused = lockedFor(asked, server) ?? wrongState(name, server, from)
    if (refused !== undefined) return refused
    begin(asked, server, task, to)
    return empty(202)
  }
