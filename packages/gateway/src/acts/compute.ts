import { type Act, actsOf, catalogue, limits, writing } from "./Act.ts"
import { memberOf } from "./reading.ts"

/** The Compute API, whose sections are anchors of one page. */
const { actions, never } = actsOf("compute", "https://docs.openstack.org/api-ref/compute/#")

const gone = "the server is gone, with what its own disks held"
const platforms = "it is about the hosts behind the cloud, which are the platform's"
const writesToHost = "it writes to the host that the server runs on"
const moves = "where servers run is the platform's to say"
const networks = "it is about the networks behind the cloud, which are the platform's"

/** Server actions, at the current path and at the deprecated boot-from-volume path, which has them too. */
const serverActions = ["servers/*/action", "os-volumes_boot/*/action"].flatMap((path) =>
  actions(path, "servers-run-an-action-servers-action", {
    operates: [
      ["os-start", "server.start"],
      ["os-stop", "server.stop"],
      ["reboot", "server.reboot"],
      ["pause", "server.pause"],
      ["unpause", "server.unpause"],
      ["suspend", "server.suspend"],
      ["resume", "server.resume"],
      ["shelve", "server.shelve"],
      ["shelveOffload", "server.shelve_offload"],
      ["unshelve", "server.unshelve"],
      ["rescue", "server.rescue"],
      ["unrescue", "server.unrescue"],
      // A resize stays pending until one of the two ends it; both are part of scaling.
      ["resize", "server.resize"],
      ["confirmResize", "server.confirm_resize"],
      ["revertResize", "server.revert_resize"],
      ["restore", "server.restore"],
      "createImage",
      "lock",
      "unlock",
      "changePassword",
      "trigger_crash_dump",
      "os-getConsoleOutput",
      "os-getVNCConsole",
      "os-getSPICEConsole",
      "os-getRDPConsole",
      "os-getSerialConsole",
      // A removed one can be added again: the server, the address, the port and the group still exist.
      "addFloatingIp",
      "removeFloatingIp",
      "addFixedIp",
      "removeFixedIp",
      "addSecurityGroup",
      "removeSecurityGroup"
    ],
    destroys: {
      forceDelete: [gone, "force-delete-server-forcedelete-action", "server.delete"],
      rebuild: ["the disk is written over with an image", "rebuild-server-rebuild-action"],
      // Compute chooses the images to delete when the copy is complete: all that have its backup type by then,
      // wherever they came from. A count that is taken earlier cannot show that it deletes none.
      createBackup: [
        "it deletes the images of its type beyond the rotation; createImage makes a copy and deletes none",
        "create-server-back-up-createbackup-action"
      ]
    },
    never: {
      "os-resetState": [
        "a state that is not the true one makes the platform act on the wrong one",
        "reset-server-state-os-resetstate-action"
      ],
      migrate: [moves, "migrate-server-migrate-action"],
      "os-migrateLive": [moves, "live-migrate-server-os-migratelive-action"],
      evacuate: [moves, "evacuate-server-evacuate-action"],
      injectNetworkInfo: [writesToHost, "servers-run-an-administrative-action-servers-action"],
      resetNetwork: [writesToHost, "servers-run-an-administrative-action-servers-action"]
    }
  })
)

/** The update replaces the attached volume with the one that the body names, and overwrites that one. */
const swapsVolume = (body: unknown, segments: ReadonlyArray<string>): boolean => {
  const volume = memberOf(body, "volumeAttachment", "volumeId")
  return volume !== undefined && volume !== segments[3]
}

export const compute: ReadonlyArray<Act> = [
  ...serverActions,
  {
    ...never(
      "servers/*/os-volume_attachments/*",
      "one volume is put in the place of another for the block storage's own migrations, and written over",
      "update-a-volume-attachment",
      ["PUT", "PATCH"]
    ),
    inBody: swapsVolume
  },
  never(
    "os-server-external-events/**",
    "other services report to compute with it",
    "create-external-events-os-server-external-events"
  ),
  never(
    "os-assisted-volume-snapshots/**",
    "the block storage has snapshots made with it, of files on the hosts",
    "assisted-volume-snapshots-os-assisted-volume-snapshots"
  ),
  never(
    "os-console-auth-tokens/**",
    "it tells the host and port behind a console",
    "show-console-connection-information"
  ),
  never("servers/*/migrations/**", moves, "server-migrations-servers-migrations"),
  never("servers/*/diagnostics/**", platforms, "servers-diagnostics-servers-diagnostics"),
  never("os-migrations/**", platforms, "migrations-os-migrations"),
  never("os-hypervisors/**", platforms, "hypervisors-os-hypervisors"),
  never("os-hosts/**", platforms, "hosts-os-hosts-deprecated"),
  never("os-services/**", platforms, "compute-services-os-services"),
  never("os-aggregates/**", platforms, "host-aggregates-os-aggregates"),
  never("os-agents/**", platforms, "guest-agents-os-agents-deprecated"),
  never("os-baremetal-nodes/**", platforms, "bare-metal-nodes-os-baremetal-nodes-deprecated"),
  never("os-cells/**", platforms, "cells-os-cells-capacities-deprecated"),
  never("os-availability-zone/detail/**", platforms, "get-detailed-availability-zone-information"),
  never("os-instance_usage_audit_log/**", platforms, "server-usage-audit-log-os-instance-usage-audit-log"),
  never("os-cloudpipe/**", networks, "cloudpipe-os-cloudpipe"),
  never("os-fixed-ips/**", networks, "fixed-ips-os-fixed-ips-deprecated"),
  never("os-floating-ips-bulk/**", networks, "floating-ips-bulk-os-floating-ips-bulk-deprecated"),
  never("os-networks/add/**", networks, "networks-os-networks-deprecated"),
  never("os-networks/*/action/**", networks, "networks-os-networks-deprecated"),
  never("os-quota-sets/**", limits, "quota-sets-os-quota-sets", writing),
  never("os-quota-class-sets/**", limits, "quota-class-sets-os-quota-class-sets", writing),
  never("flavors/**", catalogue, "flavors", writing)
]
