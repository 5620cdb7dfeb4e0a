import { type Act, actsOf, catalogue, limits, writing } from "./Act.ts"
import { isShown, labelsOf } from "./imageProperties.ts"
import { isFalsy, memberOf } from "./reading.ts"

/** The Block Storage API, whose sections are anchors of one page. */
const { act, actions, gives, never, on } = actsOf("volume", "https://docs.openstack.org/api-ref/block-storage/v3/#")

const nova = "compute attaches volumes with it; a server gets one by POST …/servers/{id}/os-volume_attachments"
const connection = `it hands out, or takes back, what it takes to connect to the storage: monitors, portals, CHAP secrets; ${nova}`
const state = "a state that is not the true one makes the platform act on the wrong one"
const backends = "it is about the storage behind the cloud, which is the platform's"
const given = "whoever has the key of the offer takes the volume out of the project"

const volumeActions = actions("volumes/*/action", "volume-actions-volumes-action", {
  operates: [
    ["os-extend", "volume.extend"],
    ["os-retype", "volume.retype"],
    "os-set_bootable",
    "os-update_readonly_flag",
    "os-volume_upload_image",
    // Labels of a volume. They hold none of its data.
    "os-set_image_metadata",
    "os-unset_image_metadata",
    "os-show_image_metadata"
  ],
  destroys: {
    "os-force_delete": ["the volume is gone, whatever its state", "force-delete-a-volume", "volume.delete"],
    revert: ["what was written since the snapshot is gone", "revert-volume-to-snapshot"],
    "os-reimage": ["the volume is written over with an image", "reimage-a-volume"]
  },
  never: {
    "os-initialize_connection": [connection, "initialize-volume-attachment"],
    "os-terminate_connection": [connection, "terminate-volume-attachment"],
    "os-attach": [nova, "attach-volume-to-a-server"],
    "os-detach": [nova, "detach-volume-from-server"],
    "os-reserve": [nova, "reserve-volume"],
    "os-unreserve": [nova, "unmark-volume-as-reserved"],
    "os-begin_detaching": [nova, "update-volume-status-to-detaching"],
    "os-roll_detaching": [nova, "roll-back-volume-status-to-in-use"],
    "os-force_detach": [nova, "force-detach-a-volume"],
    "os-extend_volume_completion": ["a storage driver calls it", "complete-extending-a-volume"],
    "os-reset_status": [state, "reset-a-volume-s-statuses"],
    "os-migrate_volume": [backends, "migrate-a-volume"],
    "os-migrate_volume_completion": [backends, "complete-migration-of-a-volume"],
    // The data stays on the storage and belongs to no project any more.
    "os-unmanage": [
      "the volume leaves the platform's books and stays on its storage",
      "unmanage-a-volume",
      "volume.delete"
    ]
  },
  actsOn: { "os-volume_upload_image": { image: "as called" }, "os-reimage": { image: 0 } }
})

const images = ["imageRef", "image_id"]

/** Labels of a volume become properties of its image. */
const labelsIn = (body: unknown): unknown => memberOf(body, "os-set_image_metadata", "metadata")

const snapshotActions = actions("snapshots/*/action", "snapshot-actions-snapshots-action", {
  destroys: { "os-force_delete": ["the snapshot is gone, whatever its state", "force-delete-a-snapshot"] },
  never: {
    "os-reset_status": [state, "reset-a-snapshot-s-status"],
    "os-update_snapshot_status": [
      "compute reports with it how far a snapshot of a file on a host is",
      "update-status-of-a-snapshot"
    ],
    "os-unmanage": ["the snapshot leaves the platform's books and stays on its storage"]
  }
})

const backupActions = actions("backups/*/action", "backup-actions-backups-action", {
  destroys: { "os-force_delete": ["the backup is gone, whatever its state", "force-delete-a-backup"] },
  never: { "os-reset_status": [state, "reset-a-backup-s-status"] }
})

const groupActions = [
  ...["groups/*/action", "groups/action"].flatMap((path) =>
    actions(path, "generic-volume-groups-groups", {
      operates: ["create-from-src", "enable_replication", "disable_replication", "list_replication_targets"],
      destroys: {
        delete: ["the group is gone, and with delete-volumes all its volumes", "delete-group"],
        failover_replication: [
          "the volumes go on from their replicas, without what was not replicated yet",
          "failover-replication"
        ]
      },
      never: { reset_status: [state, "reset-group-status"] }
    })
  ),
  ...actions("group_snapshots/*/action", "group-snapshots-group-snapshots", { never: { reset_status: [state] } })
]

/** A restore writes to the volume that the body names, or else to a new one. */
const namesVolume = (body: unknown): boolean => {
  const volume = memberOf(body, "restore", "volume_id")
  return volume !== undefined && volume !== null
}

export const volume: ReadonlyArray<Act> = [
  ...volumeActions,
  ...snapshotActions,
  ...backupActions,
  ...groupActions,
  on({ image: 0 }, "volumes", "the volume is filled from an image", "create-a-volume", ["POST"], (body) =>
    images.some((_) => !isFalsy(memberOf(body, "volume", _)))
  ),
  // The image of os-volume_upload_image has these labels; the body of that act has no properties.
  ...labelsOf({ gives, never, on }, "volumes/*/action", "set-image-metadata-for-a-volume", ["POST"], labelsIn),
  gives("volumes/*/action", "other projects see the image", "upload-volume-to-image", ["POST"], (body) =>
    isShown(memberOf(body, "os-volume_upload_image", "visibility"))
  ),
  {
    ...act(
      "destroys",
      ["POST"],
      "backups/*/restore",
      "the volume that the body names is written over; without a name the backup goes into a new one",
      "restore-a-backup"
    ),
    inBody: namesVolume
  },
  act(
    "destroys",
    ["POST"],
    "consistencygroups/*/delete",
    "the group is gone, and with force its volumes",
    "delete-a-consistency-group"
  ),
  { ...act("destroys", ["POST"], "volume-transfers", given, "create-a-volume-transfer"), gives: true },
  { ...act("destroys", ["POST"], "os-volume-transfer", given, "create-a-volume-transfer"), gives: true },
  // Tenants read attachments under the server, or in the volume.
  never("attachments/**", connection, "attachments-attachments", writing),
  never("backups/import_record", "it makes backups out of objects that may be another tenant's", "import-a-backup"),
  never("backups/*/export_record", "it tells where in the platform's own store a backup is", "export-a-backup"),
  never("manageable_volumes/**", backends, "volume-manage-extension-manageable-volumes"),
  never("os-volume-manage/**", backends, "volume-manage-extension-manageable-volumes"),
  never("manageable_snapshots/**", backends, "snapshot-manage-extension-manageable-snapshots"),
  never("os-snapshot-manage/**", backends, "snapshot-manage-extension-manageable-snapshots"),
  never("os-services/**", backends, "services-os-services"),
  never("os-hosts/**", backends, "hosts-extension-os-hosts"),
  never("clusters/**", backends, "clusters"),
  never("workers/**", backends, "worker-cleanup"),
  never("capabilities/**", backends, "capabilities-for-storage-back-ends-capabilities"),
  never("scheduler-stats/**", backends, "back-end-storage-pools"),
  never("qos-specs/**", catalogue, "quality-of-service-qos-specifications-qos-specs"),
  never("default-types/**", catalogue, "default-volume-types-default-types", writing),
  never("types/**", catalogue, "volume-types-types", writing),
  never("group_types/**", catalogue, "group-types-group-types", writing),
  never("os-quota-sets/**", limits, "quota-sets-extension-os-quota-sets", writing),
  never("os-quota-class-sets/**", limits, "quota-class-set-extension-os-quota-class-sets", writing)
]
