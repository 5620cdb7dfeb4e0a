import { describe, it } from "@effect/vitest"
import { secretVerdict } from "./barbican.ts"
import { agrees, patience } from "./compared.ts"
import { refuses } from "./decided.ts"
import { imageVerdict } from "./glance.ts"
import { pathCalls, portCalls, routerCalls, ruleCalls } from "./networkCalls.ts"
import { networkVerdict } from "./neutron.ts"
import { computeVerdict } from "./nova.ts"
import { addressGroups } from "./openings.ts"
import { computeCalls, imageCalls, secretCalls } from "./otherCalls.ts"
import { namesLocationsInCapitals, namesProtocolZero, resemblesNetworkOwner } from "./stricter.ts"
import type { Arriving, Verdict } from "./verdict.ts"
import { ifWellFormed } from "./wellFormed.ts"

const show = ({ body, headers, method, segments }: Arriving): string =>
  `${method} ${segments.join("/")} ${JSON.stringify(headers)} ${body === undefined ? "" : Buffer.from(body).toString("utf8")}`

const onNetwork = ifWellFormed((call) => networkVerdict(call, (id) => addressGroups.get(String(id))))

describe("the rules refuse what the upstream reads as forbidden, and nothing else", () => {
  it("rules of security groups that open SSH to the world", patience, () => {
    agrees(ruleCalls, {
      verdict: onNetwork,
      refuses: refuses("network"),
      stricter: { "protocol 0": namesProtocolZero },
      show
    })
  })

  it("external gateways of routers", patience, () => {
    agrees(routerCalls, { verdict: onNetwork, refuses: refuses("network"), show })
  })

  it("ports that belong to the network itself", patience, () => {
    agrees(portCalls, {
      verdict: onNetwork,
      refuses: refuses("network"),
      stricter: { "owners that a database holds for the same": resemblesNetworkOwner },
      show
    })
  })

  it("paths of the network service that change a gateway, with any body", patience, () => {
    agrees(pathCalls, { verdict: onNetwork, refuses: refuses("network"), show })
  })

  it("the compute service's paths to the network", patience, () => {
    agrees(computeCalls, { verdict: ifWellFormed(computeVerdict), refuses: refuses("compute"), show })
  })

  it("image locations", patience, () => {
    agrees(imageCalls, {
      verdict: ifWellFormed(imageVerdict),
      refuses: refuses("image"),
      stricter: { "locations in capitals": namesLocationsInCapitals },
      show
    })
  })

  it("payloads of secrets, for callers other than people", patience, () => {
    agrees(secretCalls, {
      verdict: ifWellFormed((_) => secretVerdict(_, false)),
      refuses: refuses("key-manager"),
      show
    })
  })
})

/** What would be dangerous is let through, and what is harmless anyway. */
const reversed = (verdict: (call: Arriving) => Verdict) => (call: Arriving) =>
  verdict(call) === "dangerous" ? "harmless" : "either"

describe("callers exempt from a rule", () => {
  it("people can read payloads of secrets", patience, () => {
    agrees(
      secretCalls,
      {
        verdict: reversed(ifWellFormed((_) => (isPlain(_) ? secretVerdict(_, false) : "either"))),
        refuses: refuses("key-manager", { caller: { admin: false, human: true, tier: 2 } }),
        show
      },
      { usual: 1_000, outcomes: ["harmless"] }
    )
  })

  it("allow_ssh_from_anywhere=true permits SSH from the world", patience, () => {
    agrees(
      ruleCalls,
      {
        verdict: reversed(readable(onNetwork)),
        refuses: refuses("network", { query: "allow_ssh_from_anywhere=true" }),
        show
      },
      { usual: 2_000, outcomes: ["harmless"] }
    )
  })

  for (const query of [
    "",
    "allow_ssh_from_anywhere",
    "allow_ssh_from_anywhere=",
    "allow_ssh_from_anywhere=false",
    "allow_ssh_from_anywhere=true&allow_ssh_from_anywhere=false",
    "allow_ssh=true",
    "description=allow_ssh_from_anywhere=true"
  ]) {
    it(`"${query}" does not permit SSH from the world`, patience, () => {
      agrees(
        ruleCalls,
        {
          verdict: (_) => (onNetwork(_) === "dangerous" ? "dangerous" : "either"),
          refuses: refuses("network", { query }),
          show
        },
        { usual: 500, outcomes: ["dangerous"] }
      )
    })
  }
})

const isPlain = ({ segments }: Arriving): boolean => !segments.some((_) => _ === "" || _.includes("."))

/** A dangerous call that is refused for its path or its body is no matter of the rule. */
const readable =
  (verdict: (call: Arriving) => Verdict) =>
  (call: Arriving): Verdict =>
    isPlain(call) && ifWellFormed(() => "harmless")(call) === "harmless" ? verdict(call) : "either"
