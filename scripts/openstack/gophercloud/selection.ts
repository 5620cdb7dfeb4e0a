import type { Target } from "../Target.ts"

/** The packages of the acceptance tests for the services that Portico forwards to, below `openstack`. */
export const packages = [
  "blockstorage/v3",
  "compute/v2",
  "dns/v2",
  "identity/v3",
  "image/v2",
  "keymanager/v1",
  "loadbalancer/v2",
  "networking/v2",
  ...[
    "agents",
    "dns",
    "layer3",
    "mtu",
    "networkipavailabilities",
    "portsbinding",
    "qos/policies",
    "qos/rules",
    "qos/ruletypes",
    "quotas",
    "rbacpolicies",
    "segments",
    "subnetpools",
    "trunk_details",
    "trunks",
    "vlantransparent"
  ].map((name) => `networking/v2/extensions/${name}`),
  "networking/v2/extensions"
]

/** Tests that wait ten minutes for what a cloud does not have. */
const waitInVain = [
  // Nothing makes backups.
  "blockstorage/v3.TestBackupsCRUD",
  "blockstorage/v3.TestBackupsForceDelete",
  "blockstorage/v3.TestBackupsResetStatus",
  // A router's port becomes active by an agent.
  "networking/v2/extensions/layer3.TestLayer3PortForwardingsCreateDelete",
  "networking/v2/extensions/layer3.TestLayer3RouterScheduling"
]

/** A rebuild of the simulated cloud is over before the test, which looks each second, has seen it. */
const unseen = ["compute/v2.TestServersActionRebuild"]

export const ends = (target: Target, test: string): boolean =>
  !waitInVain.includes(test) && !(target === "simulated" && unseen.includes(test))
