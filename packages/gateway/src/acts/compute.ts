import { type Act, actsOf, bodied, catalogue, limits, writing } from "./Act.ts"
import { labelsOf } from "./imageProperties.ts"
import { devicesOf, isFalsy, isOn, memberOf, portsOf } from "./reading.ts"

/** The Compute API, whose sections are anchors of one page. */
const { actions, gives, never, on } = actsOf("compute", "https://docs.openstack.org/api-ref/compute/#")

const gone = "the server is gone, with what its own disks held"
const platforms = "it is about the hosts behind the cloud, which are the platform's"
const writesToHost = "it writes to the host that the server runs on"
const moves = "where servers run is the platform's to say"
const networks = "it is about the networks behind the cloud, which are the platform's"

/** The path of server actions, and the deprecated boot-from-volume path, which has them too. */
const actionPaths = ["servers/*/action", "os-volumes_boot/*/action"]

const serverActions = actionPaths.flatMap((path) =>
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
      // A resize stays pending until it is confirmed or reverted. Confirming keeps what the server has written.
      ["resize", "server.resize"],
      ["confirmResize", "server.confirm_resize"],
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
      // Nova keeps the disk of before the resize until one of the two ends it (libvirt driver, `finish_revert_migration`).
      revertResize: [
        "the disk goes back to what it held before the resize",
        "revert-resized-server-revertresize-action",
        "server.revert_resize"
      ],
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
    },
    actsOn: {
      // Of a server with volumes it makes snapshots of these, and the call does not tell whether it has any.
      createImage: { image: "as called", volume: "as called" },
      createBackup: { image: "as called" },
      // Of a server with a disk of its own, shelving makes an image, which unshelving deletes.
      shelve: { image: "as called" },
      unshelve: { image: "as called" },
      // A server whose disk is a volume has that written over, and the call does not tell.
      rebuild: { volume: "as called" },
      addFixedIp: { network: "as called" },
      removeFixedIp: { network: "as called" },
      addFloatingIp: { network: "as called" },
      removeFloatingIp: { network: "as called" },
      addSecurityGroup: { network: "as called" },
      removeSecurityGroup: { network: "as called" }
    }
  })
)

const keyboard = "anybody with the address can use the server's keyboard and screen, without a credential"

/** The update replaces the attached volume with the one that the body names, and overwrites that one. */
const swapsVolume = (body: unknown, segments: ReadonlyArray<string>): boolean => {
  const volume = memberOf(body, "volumeAttachment", "volumeId")
  return volume !== undefined && volume !== segments[3]
}

const attachment = (body: unknown): unknown => memberOf(body, "volumeAttachment")
const ends = "the volume is deleted with the server"

/**
 * No caller of tier 2 need delete the server: compute deletes the volume too when it cannot build the server, and an
 * autoscaling group deletes its servers for a caller of tier 1.
 */
const goesWithServer: Pick<Act, "decision" | "field"> = { decision: "destroys", field: "delete_on_termination" }

/**
 * Volumes of a server. What a server alone is made of is of compute only: its ports, its addresses, and the disks that
 * the host keeps, with the image that they are filled from.
 */
const volumes: ReadonlyArray<Act> = [
  ...["servers", "os-volumes_boot"].flatMap((path) => [
    on({ volume: 1 }, path, "it makes volumes, or attaches them", "create-server", ["POST"], (body) =>
      devicesOf(body).some((_) => _.isVolume)
    ),
    on({ image: 0 }, path, "a volume is filled from an image", "create-server", ["POST"], (body) =>
      devicesOf(body).some((_) => _.isVolume && _.source === "image")
    ),
    {
      ...on({ volume: 2 }, path, ends, "create-server", ["POST"], (body) =>
        devicesOf(body).some((_) => _.exists && _.endsWithServer)
      ),
      ...goesWithServer
    },
    on(
      { network: 1 },
      path,
      "it attaches ports that exist",
      "create-server",
      ["POST"],
      (body) => portsOf(body).length > 0
    )
  ]),
  on(
    { volume: "as called" },
    "servers/*/os-volume_attachments/**",
    "it shows, attaches and detaches volumes",
    "servers-with-volume-attachments-servers-os-volume-attachments"
  ),
  {
    ...on({ volume: 2 }, "servers/*/os-volume_attachments/**", ends, "update-a-volume-attachment", bodied, (body) =>
      isOn(memberOf(attachment(body), "delete_on_termination"))
    ),
    ...goesWithServer
  }
]

const checked = "its image is checked by certificates"

/** What images are checked by, and what becomes of labels that are given with a copy of a server. */
const imagery: ReadonlyArray<Act> = [
  ...["servers", "os-volumes_boot"].map((path) =>
    on(
      { "key-manager": 0 },
      path,
      checked,
      "create-server",
      ["POST"],
      (body) => !isFalsy(memberOf(body, "server", "trusted_image_certificates"))
    )
  ),
  ...actionPaths.flatMap((path) => [
    on(
      { "key-manager": 0 },
      path,
      checked,
      "rebuild-server-rebuild-action",
      ["POST"],
      (body) => !isFalsy(memberOf(body, "rebuild", "trusted_image_certificates"))
    ),
    ...["createImage", "createBackup"].flatMap((key) =>
      labelsOf({ gives, never, on }, path, "create-image-createimage-action", ["POST"], (body) =>
        memberOf(body, key, "metadata")
      )
    )
  ]),
  ...["metadata", "meta"].flatMap((key) =>
    labelsOf({ gives, never, on }, "images/*/metadata/**", "images-deprecated", bodied, (body) => memberOf(body, key))
  )
]

const proxied = (area: "image" | "network" | "volume", path: string, section: string): Act =>
  on({ [area]: "as called" }, path, `compute passes it on to the ${area} service`, section)

/** The APIs of other services that compute passes on, deprecated ones included. */
const proxies: ReadonlyArray<Act> = [
  proxied("image", "images/**", "images-deprecated"),
  proxied("volume", "os-volumes/**", "volume-extension-os-volumes-os-snapshots-deprecated"),
  proxied("volume", "os-snapshots/**", "volume-extension-os-volumes-os-snapshots-deprecated"),
  proxied("network", "os-networks/**", "networks-os-networks-deprecated"),
  proxied("network", "os-tenant-networks/**", "project-networks-os-tenant-networks-deprecated"),
  proxied("network", "os-security-groups/**", "security-groups-os-security-groups-deprecated"),
  proxied("network", "os-security-group-rules/**", "rules-for-security-group-os-security-group-rules-deprecated"),
  proxied(
    "network",
    "os-security-group-default-rules/**",
    "rules-for-default-security-group-os-security-group-default-rules-deprecated"
  ),
  proxied("network", "os-floating-ips/**", "floating-ips-os-floating-ips-deprecated"),
  proxied("network", "os-floating-ip-pools/**", "floating-ip-pools-os-floating-ip-pools-deprecated"),
  on(
    { dns: "as called", network: "as called" },
    "os-floating-ip-dns/**",
    "compute passes it on to the network service, which names addresses",
    "floating-ip-dns-records-os-floating-ip-dns-deprecated"
  ),
  proxied("network", "servers/*/os-interface/**", "port-interfaces-servers-os-interface"),
  proxied(
    "network",
    "servers/*/os-virtual-interfaces/**",
    "servers-virtual-interfaces-servers-os-virtual-interfaces-deprecated"
  ),
  proxied("network", "servers/*/os-security-groups/**", "servers-security-groups-servers-os-security-groups")
]

/** A console stays open for as long as its browser does, whatever becomes of the credential that asked for it. */
const consoles: ReadonlyArray<Act> = [
  gives("servers/*/remote-consoles", keyboard, "create-console", ["POST"]),
  ...actionPaths.flatMap((path) =>
    ["os-getVNCConsole", "os-getSPICEConsole", "os-getRDPConsole", "os-getSerialConsole"].map((key) => ({
      ...gives(path, keyboard, "servers-run-an-action-servers-action", ["POST"]),
      key
    }))
  )
]

export const compute: ReadonlyArray<Act> = [
  ...serverActions,
  ...consoles,
  ...volumes,
  ...imagery,
  ...proxies,
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
