import { type Act, actsOf, bodied, limits, writing } from "./Act.ts"

/** The DNS API, whose sections are anchors of one page. */
const { act, never, on } = actsOf("dns", "https://docs.openstack.org/api-ref/dns/#")

const given = "whoever has the key of the offer takes the zone out of the project"
const servers = "it is about the name servers behind the cloud, which are the platform's"

/**
 * Not in the table: an import creates a zone and changes none, a transfer from the masters leaves a secondary zone
 * theirs, and records are attributes of their recordset.
 */
export const dns: ReadonlyArray<Act> = [
  {
    ...act("destroys", ["POST"], "zones/*/tasks/transfer_requests/**", given, "create-zone-transfer-request"),
    gives: true
  },
  {
    ...act(
      "destroys",
      ["PATCH", "PUT"],
      "zones/tasks/transfer_requests/*/**",
      "the zone is offered to another project than before",
      "update-a-zone-transfer-request"
    ),
    gives: true
  },
  // The record itself is a thing of this service.
  on({ network: 0 }, "reverse/floatingips/**", "it reads the project's addresses", "floatingips"),
  // As with RBAC policies of networks, the target project does not consent. Shares stay readable and can be deleted.
  never(
    "zones/*/shares/**",
    "what is shared appears among another project's own without its consent",
    "create-shared-zone",
    bodied
  ),
  never(
    "zones/*/tasks/abandon/**",
    "the zone leaves the platform's books and stays on its name servers",
    "abandon-zone"
  ),
  never("zones/*/tasks/pool_move/**", servers, "move-a-zone-to-another-pool"),
  never("pools/**", servers, "pools"),
  never("service_statuses/**", servers, "service-statuses"),
  never("tsigkeys/**", "the keys are those of the platform's name servers", "tsigkey"),
  never("blacklists/**", "which names are refused to everybody is the platform's to say", "blacklists"),
  never("tlds/**", "which names are refused to everybody is the platform's to say", "tld"),
  never("quotas/**", limits, "quotas", writing)
]
