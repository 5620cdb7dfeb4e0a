import { describe, it } from "@effect/vitest"
import { secretVerdict } from "./barbican.ts"
import { agrees, patience } from "./compared.ts"
import { refuses } from "./decided.ts"
import { imageVerdict } from "./glance.ts"
import { addressGroups, pathCalls, portCalls, routerCalls, ruleCalls } from "./networkCalls.ts"
import { networkVerdict } from "./neutron.ts"
import { computeVerdict } from "./nova.ts"
import { computeCalls, imageCalls, secretCalls } from "./otherCalls.ts"
import type { Arriving } from "./verdict.ts"
import { ifWellFormed } from "./wellFormed.ts"

const show = ({ body, headers, method, segments }: Arriving): string =>
  `${method} ${segments.join("/")} ${JSON.stringify(headers)} ${body === undefined ? "" : Buffer.from(body).toString("utf8")}`

const onNetwork = (call: Arriving) => networkVerdict(call, (id) => addressGroups.get(String(id)))

describe("the rules refuse what the upstream would understand as forbidden, and nothing else", () => {
  it("rules of security groups that open SSH to the world", patience, () => {
    agrees(ruleCalls, { verdict: ifWellFormed(onNetwork), refuses: refuses("network"), show })
  })

  it("external gateways of routers", patience, () => {
    agrees(routerCalls, { verdict: ifWellFormed(onNetwork), refuses: refuses("network"), show })
  })

  it("ports that belong to the network itself", patience, () => {
    agrees(portCalls, { verdict: ifWellFormed(onNetwork), refuses: refuses("network"), show })
  })

  it("paths of the network service that touch a gateway, whatever their body says", patience, () => {
    agrees(pathCalls, { verdict: ifWellFormed(onNetwork), refuses: refuses("network"), show })
  })

  it("the compute service's ways to the network", patience, () => {
    agrees(computeCalls, { verdict: ifWellFormed(computeVerdict), refuses: refuses("compute"), show })
  })

  it("image locations", patience, () => {
    agrees(imageCalls, { verdict: ifWellFormed(imageVerdict), refuses: refuses("image"), show })
  })

  it("payloads of secrets, for whoever is no person", patience, () => {
    agrees(secretCalls, {
      verdict: ifWellFormed((_) => secretVerdict(_, false)),
      refuses: refuses("key-manager"),
      show
    })
  })
})
