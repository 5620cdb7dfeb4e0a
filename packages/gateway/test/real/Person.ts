import { Effect } from "effect"
import { jsonOf } from "../harness/TestGateway.ts"
import { Administrator } from "./Administrator.ts"

/** The roles of a project's ordinary member, and of one who looks on, as the services' stock policies name them. */
export const roles = { member: ["member", "load-balancer_member", "creator"], reader: ["reader"] } as const

/** A user of Keystone with these roles in the project, who needs no gateway. Goes with the scope. */
export const person = Effect.fnUntraced(function* (projectId: string, name: string, wanted: ReadonlyArray<string>) {
  const { ask, read } = yield* Administrator
  const password = `of ${name}.Aa1`
  const made = yield* ask("POST", "identity", "/users", { body: { user: { name, password, domain_id: "default" } } })
  if (made.status !== 201) return yield* Effect.die(`no user was made: ${made.text}`)
  const id = String(jsonOf(made).user.id)
  yield* Effect.addFinalizer(() => ask("DELETE", "identity", `/users/${id}`))
  const { roles } = yield* read("identity", "/roles")
  for (const role of roles) {
    // Not every cloud has the roles of each service: an operator creates them.
    if (!wanted.includes(role.name)) continue
    yield* ask("PUT", "identity", `/projects/${projectId}/users/${id}/roles/${role.id}`)
  }
  return { id, name, password }
})
