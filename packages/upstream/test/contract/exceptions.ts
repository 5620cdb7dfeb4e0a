/** A difference that is known and stays. */
export interface Exception {
  readonly client: string
  readonly why: string
  /** Case and place within its outcome. */
  readonly patterns: ReadonlyArray<RegExp>
}

/** @param places `*` stands for one part, or for some of its letters; `**` for any number of parts */
const may = (client: string, why: string, ...places: ReadonlyArray<string>): Exception => ({
  client,
  why,
  patterns: places.map(
    (place) =>
      new RegExp(
        `^${place
          .split("**")
          .map((part) => part.split("*").map(RegExp.escape).join("[^/]*"))
          .join(".*")}$`
      )
  )
})

/** The list may only get shorter: a test fails when one of them is none any more. */
export const exceptions: ReadonlyArray<Exception> = [
  may(
    "nova",
    "the simulated Nova speaks newer versions of its API than the real one does",
    "versions that compute does not speak/too*/body/computeFault/message"
  ),
  may(
    "nova",
    "some actions look a server up in another way than all other calls, and word its absence in their own way",
    "missing resources/action/body/itemNotFound/message"
  ),
  may(
    "neutron",
    "the simulated Neutron refuses limits below the usage unless forced, as every release since 2025.1; this one does not",
    "limits below the usage/plainly"
  ),
  may(
    "neutron",
    "the simulated Neutron shows what later releases show as well",
    "**/router/external_gateways",
    "**/belongs_to_default_sg",
    "security groups and their rules/*/body/security_group_rule/tags",
    "address groups/*/body/address_group/created_at",
    "address groups/*/body/address_group/revision_number",
    "address groups/*/body/address_group/shared",
    "address groups/*/body/address_group/tags",
    "address groups/*/body/address_group/updated_at",
    "**/subnet/segment_id"
  ),
  may(
    "neutron",
    "extensions that are loaded there and not simulated: QoS, port forwarding, trunks",
    "**/qos_policy_id",
    "**/qos_network_policy_id",
    "**/port_forwardings",
    "**/quota/trunk"
  ),
  may(
    "neutron",
    "there are no agents there, and another overlay network",
    "**/availability_zones",
    "**/network/mtu",
    "floating addresses/associated/body/floatingip/status"
  ),
  may(
    "neutron",
    "revisions begin at 0 or 1, and grow by what the database does to parts; only that they grow is simulated",
    "**/revision_number"
  ),
  may(
    "neutron",
    "a quota without its body breaks the real service, which is not simulated",
    "missing resources, and requests that tenants may not make/quotaNone/**"
  ),
  may(
    "cinder",
    "the simulated Cinder refuses limits below the usage, as later releases do; this one does not",
    "limits below the usage: written as they are, or held at the usage/plainly",
    "limits below the usage: written as they are, or held at the usage/afterwards/*/limit"
  ),
  may(
    "octavia",
    "nothing looks after the balancers there, and their addresses come from a driver that does nothing",
    "**/operating_status",
    "**/vip_address"
  ),
  may("octavia", "the simulated Octavia shows what later releases show as well", "**/listener/hsts_max_age"),
  may(
    "octavia",
    "requests over which the real service breaks are refused by the simulated one",
    "balancers come in pages/negative/**",
    "invalid requests for balancers/noBalancer/**"
  ),
  may("rgw", "Ceph 16 prints an empty message with every refusal, later releases print none", "**/body/Message"),
  may(
    "rgw",
    "Ceph 16 shows two flags of a user as texts, and not whether a key is active; later releases do the contrary",
    "**/body/admin",
    "**/body/system",
    "keys: generated, given, conflicting, removed twice/*/names"
  ),
  may("glance", "more than one store is configured there", "**/body/stores"),
  may("designate", "the simulated Designate shows what later releases show as well", "**/body/shared"),
  may("designate", "the words are those of Python's JSON parser", "**/noJson/body/message"),
  may(
    "keystone",
    "a project that is renamed to a name that is taken breaks the real service: it closes the connection",
    "projects in the raw: create, show, change, list, remove twice/renamedToTaken/**"
  )
]
