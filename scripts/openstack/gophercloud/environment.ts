import { Effect } from "effect"
import { authUrlOf } from "../cloud.ts"
import type { Project } from "../projects.ts"
import { seenBy } from "../seen.ts"
import type { Target } from "../Target.ts"

/** The variables by which the acceptance tests log in, and of what they make servers. */
export const environmentFor = Effect.fnUntraced(function* (target: Target, project: Project) {
  const { external, flavors, images, own } = yield* seenBy(project)
  const [image = ""] = images
  const [flavor = "", another = ""] = flavors
  return {
    ...login(target, project),
    OS_AUTH_URL: yield* authUrlOf(target),
    OS_REGION_NAME: "RegionOne",
    // The release that the real cloud has; some tests are for others.
    OS_BRANCH: "stable/zed",
    OS_IMAGE_ID: image,
    OS_FLAVOR_ID: flavor,
    OS_FLAVOR_ID_RESIZE: another,
    OS_POOL_NAME: external.name,
    OS_EXTGW_ID: external.id,
    OS_NETWORK_NAME: own.name,
    OS_NETWORK_ID: own.id,
    OS_SUBNET_ID: own.subnets[0] ?? ""
  }
})

/** A member of Keystone names the project; an application credential has one alone. */
const login = (target: Target, { member: { password, username }, name }: Project) =>
  target === "direct"
    ? { OS_USERNAME: username, OS_PASSWORD: password, OS_DOMAIN_NAME: "Default", OS_PROJECT_NAME: name }
    : { OS_APPLICATION_CREDENTIAL_ID: username, OS_APPLICATION_CREDENTIAL_SECRET: password }
