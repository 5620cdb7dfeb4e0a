import { type Answer, empty } from "../Wire.ts"
import { type Request, lockedFor, wrongState } from "./request.ts"
import { type Server, serverDelay, type VmState } from "./state.ts"

/** The handler of an action, keyed by the only key of the body; the third argument is the key's value. */
export type Action = (request: Request, server: Server, value: unknown) => Answer

export const begin = ({ now }: Request, server: Server, task: string, to: VmState): void => {
  server.task_state = task
  server.due = { at: now + serverDelay, vm_state: to }
}

/** A task that takes the server from one of some states to another: 202 now, done after a delay. */
export const change =
  (name: string, from: ReadonlyArray<VmState>, task: string, to: VmState): Action =>
  (request, server) => {
    const refused = lockedFor(request, server) ?? wrongState(name, server, from)
    if (refused !== undefined) return refused
    begin(request, server, task, to)
    return empty(202)
  }
