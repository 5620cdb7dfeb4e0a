import { Predicate } from "effect"
import { type Act, actionsOf, actsOf, catalogue, limits, writing } from "./Act.ts"

/** The Block Storage API, whose sections are anchors of one page. */
const reference = "https://docs.openstack.org/api-ref/block-storage/v3/"
const { act, never } = actsOf("volume", `${reference}#`)

const nova = "compute attaches volumes with it; a server gets one by POST …/servers/{id}/os-volume_attachments"
const connection = `it hands out, or takes back, what it takes to connect to the storage: monitors, portals, CHAP secrets; ${nova}`
const state = "a state that is not the true one makes the platform act on the wrong one"
const backends = "it is about the storage behind the cloud, which is the platform's"
const given = "whoever has the key of the offer takes the volume out of the project"

const volumeActions = actionsOf({
  service: "volume",
  path: "volumes/*/action",
  source: `${reference}#volume-actions-volumes-action`,
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
  others: [
    {
      keys: "os-force_delete",
      decision: "destroys",
      kind: "volume.delete",
      why: "the volume is gone, whatever its state",
      source: `${reference}#force-delete-a-volume`
    },
    {
      keys: "revert",
      decision: "destroys",
      why: "what was written since the snapshot is gone",
      source: `${reference}#revert-volume-to-snapshot`
    },
    {
      keys: "os-reimage",
      decision: "destroys",
      why: "the volume is written over with an image",
      source: `${reference}#reimage-a-volume`
    },
    {
      keys: "os-initialize_connection",
      decision: "never",
      why: connection,
      source: `${reference}#initialize-volume-attachment`
    },
    {
      keys: "os-terminate_connection",
      decision: "never",
      why: connection,
      source: `${reference}#terminate-volume-attachment`
    },
    { keys: "os-attach", decision: "never", why: nova, source: `${reference}#attach-volume-to-a-server` },
    { keys: "os-detach", decision: "never", why: nova, source: `${reference}#detach-volume-from-server` },
    { keys: "os-reserve", decision: "never", why: nova, source: `${reference}#reserve-volume` },
    { keys: "os-unreserve", decision: "never", why: nova, source: `${reference}#unmark-volume-as-reserved` },
    {
      keys: "os-begin_detaching",
      decision: "never",
      why: nova,
      source: `${reference}#update-volume-status-to-detaching`
    },
    {
      keys: "os-roll_detaching",
      decision: "never",
      why: nova,
      source: `${reference}#roll-back-volume-status-to-in-use`
    },
    { keys: "os-force_detach", decision: "never", why: nova, source: `${reference}#force-detach-a-volume` },
    {
      keys: "os-extend_volume_completion",
      decision: "never",
      why: "a storage driver calls it",
      source: `${reference}#complete-extending-a-volume`
    },
    { keys: "os-reset_status", decision: "never", why: state, source: `${reference}#reset-a-volume-s-statuses` },
    { keys: "os-migrate_volume", decision: "never", why: backends, source: `${reference}#migrate-a-volume` },
    {
      keys: "os-migrate_volume_completion",
      decision: "never",
      why: backends,
      source: `${reference}#complete-migration-of-a-volume`
    },
    {
      // The data stays on the storage and belongs to no project any more.
      keys: "os-unmanage",
      decision: "never",
      kind: "volume.delete",
      why: "the volume leaves the platform's books and stays on its storage",
      source: `${reference}#unmanage-a-volume`
    }
  ]
})

const snapshotActions = actionsOf({
  service: "volume",
  path: "snapshots/*/action",
  source: `${reference}#snapshot-actions-snapshots-action`,
  operates: [],
  others: [
    {
      keys: "os-force_delete",
      decision: "destroys",
      why: "the snapshot is gone, whatever its state",
      source: `${reference}#force-delete-a-snapshot`
    },
    { keys: "os-reset_status", decision: "never", why: state, source: `${reference}#reset-a-snapshot-s-status` },
    {
      keys: "os-update_snapshot_status",
      decision: "never",
      why: "compute reports with it how far a snapshot of a file on a host is",
      source: `${reference}#update-status-of-a-snapshot`
    },
    {
      keys: "os-unmanage",
      decision: "never",
      why: "the snapshot leaves the platform's books and stays on its storage",
      source: `${reference}#snapshot-actions-snapshots-action`
    }
  ]
})

const backupActions = actionsOf({
  service: "volume",
  path: "backups/*/action",
  source: `${reference}#backup-actions-backups-action`,
  operates: [],
  others: [
    {
      keys: "os-force_delete",
      decision: "destroys",
      why: "the backup is gone, whatever its state",
      source: `${reference}#force-delete-a-backup`
    },
    { keys: "os-reset_status", decision: "never", why: state, source: `${reference}#reset-a-backup-s-status` }
  ]
})

const groupActions = [
  ...["groups/*/action", "groups/action"].flatMap((path) =>
    actionsOf({
      service: "volume",
      path,
      source: `${reference}#generic-volume-groups-groups`,
      operates: ["create-from-src", "enable_replication", "disable_replication", "list_replication_targets"],
      others: [
        {
          keys: "delete",
          decision: "destroys",
          why: "the group is gone, and with delete-volumes all its volumes",
          source: `${reference}#delete-group`
        },
        {
          keys: "failover_replication",
          decision: "destroys",
          why: "the volumes go on from their replicas, without what was not replicated yet",
          source: `${reference}#failover-replication`
        },
        { keys: "reset_status", decision: "never", why: state, source: `${reference}#reset-group-status` }
      ]
    })
  ),
  ...actionsOf({
    service: "volume",
    path: "group_snapshots/*/action",
    source: `${reference}#group-snapshots-group-snapshots`,
    operates: [],
    others: [{ keys: "reset_status", decision: "never", why: state }]
  })
]

/** A restore writes to the volume that the body names, or else to a new one. */
const namesVolume = (body: unknown): boolean => {
  const restore = Predicate.isReadonlyObject(body) ? body["restore"] : undefined
  const volume = Predicate.isReadonlyObject(restore) ? restore["volume_id"] : undefined
  return volume !== undefined && volume !== null
}

export const volume: ReadonlyArray<Act> = [
  ...volumeActions,
  ...snapshotActions,
  ...backupActions,
  ...groupActions,
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
  act("destroys", ["POST"], "volume-transfers", given, "create-a-volume-transfer"),
  act("destroys", ["POST"], "os-volume-transfer", given, "create-a-volume-transfer"),
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
