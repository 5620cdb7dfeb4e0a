import { roles } from "../../../packages/gateway/test/real/Person.ts"
import { Effect } from "effect"
import { authUrlOf } from "../cloud.ts"
import { project } from "../projects.ts"
import type { Target } from "../Target.ts"
import { type Account, accountsText, settingsFor } from "./settings.ts"
import { workspace } from "./tempest.ts"

/** Two workers take up to four projects at a time each, and up to two whose members the plugins take for administrators. */
const projects = { ordinary: 8, pretended: 4 }

/** The plugin of load balancers asks for those who look on by roles of its own. */
const observers = [...roles.reader, "load-balancer_observer", "load-balancer_global_observer"]

/** New projects, and a folder in which Tempest logs in to them. */
export const prepared = Effect.fnUntraced(function* (target: Target, folder: string) {
  const [first, ...others] = yield* Effect.replicateEffect(project(target, "tempest"), projects.ordinary)
  const pretended = yield* Effect.replicateEffect(project(target, "tempest"), projects.pretended)
  if (first === undefined) return yield* Effect.die("there is no project")
  const where = {
    authUrl: yield* authUrlOf(target),
    folder,
    byApplicationCredential: target !== "direct",
    // The real cloud never comes to some states. The simulated one does, however slow the machine is.
    patience: target === "simulated" ? 900 : 60
  }
  yield* workspace(folder, {
    settings: yield* settingsFor(where, first),
    accounts: accountsText([
      ...[first, ...others].flatMap((project): ReadonlyArray<Account> => [
        { project, login: project.member, roles: roles.member },
        { project, login: project.reader, roles: observers }
      ]),
      // Some plugins do not start without an administrator, whom their tests for everybody do not use.
      ...pretended.map((project) => ({ project, login: project.member, roles: ["admin"] }))
    ])
  })
})
