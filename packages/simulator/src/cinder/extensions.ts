import { notFound } from "../nova/fault.ts"
import { json, type Routes } from "../Wire.ts"
import { volumeRoute } from "./request.ts"

/** Alias, name, date and description: the descriptors of Cinder's `api/contrib`, all of which are loaded. */
const table = [
  ["os-admin-actions", "AdminActions", "2012-08-25T00:00:00+00:00", "Enable admin actions."],
  ["os-availability-zone", "AvailabilityZones", "2013-06-27T00:00:00+00:00", "Describe Availability Zones."],
  ["backups", "Backups", "2012-12-12T00:00:00+00:00", "Backups support."],
  ["capabilities", "Capabilities", "2015-08-31T00:00:00+00:00", "Capabilities support."],
  ["cgsnapshots", "Cgsnapshots", "2014-08-18T00:00:00+00:00", "cgsnapshots support."],
  ["consistencygroups", "Consistencygroups", "2014-08-18T00:00:00+00:00", "consistency groups support."],
  ["os-extended-services", "ExtendedServices", "2014-01-10T00:00:00-00:00", "Extended services support."],
  [
    "os-extended-snapshot-attributes",
    "ExtendedSnapshotAttributes",
    "2012-06-19T00:00:00+00:00",
    "Extended SnapshotAttributes support."
  ],
  ["os-hosts", "Hosts", "2011-06-29T00:00:00+00:00", "Admin-only host administration."],
  ["qos-specs", "Qos_specs_manage", "2013-08-02T00:00:00+00:00", "QoS specs support."],
  ["os-quota-class-sets", "QuotaClasses", "2012-03-12T00:00:00+00:00", "Quota classes management support."],
  ["os-quota-sets", "Quotas", "2011-08-08T00:00:00+00:00", "Quota management support."],
  ["OS-SCH-HNT", "SchedulerHints", "2013-04-18T00:00:00+00:00", "Pass arbitrary key/value pairs to the scheduler."],
  ["scheduler-stats", "Scheduler_stats", "2014-09-07T00:00:00+00:00", "Scheduler stats support."],
  ["os-services", "Services", "2012-10-28T00:00:00-00:00", "Services support."],
  ["os-snapshot-actions", "SnapshotActions", "2013-07-16T00:00:00+00:00", "Enable snapshot manager actions."],
  [
    "os-snapshot-manage",
    "SnapshotManage",
    "2014-12-31T00:00:00+00:00",
    "Allows existing backend storage to be 'managed' by Cinder."
  ],
  ["os-snapshot-unmanage", "SnapshotUnmanage", "2014-12-31T00:00:00+00:00", "Enable volume unmanage operation."],
  ["os-types-extra-specs", "TypesExtraSpecs", "2011-08-24T00:00:00+00:00", "Type extra specs support."],
  ["os-types-manage", "TypesManage", "2011-08-24T00:00:00+00:00", "Types manage support."],
  [
    "os-used-limits",
    "UsedLimits",
    "2013-10-03T00:00:00+00:00",
    "Provide data on limited resources that are being used."
  ],
  ["os-volume-actions", "VolumeActions", "2012-05-31T00:00:00+00:00", "Enable volume actions."],
  [
    "os-volume-encryption-metadata",
    "VolumeEncryptionMetadata",
    "2013-07-10T00:00:00+00:00",
    "Volume encryption metadata retrieval support."
  ],
  ["os-vol-host-attr", "VolumeHostAttribute", "2011-11-03T00:00:00+00:00", "Expose host as an attribute of a volume."],
  [
    "os-vol-image-meta",
    "VolumeImageMetadata",
    "2012-12-07T00:00:00+00:00",
    "Show image metadata associated with the volume."
  ],
  [
    "os-volume-manage",
    "VolumeManage",
    "2014-02-10T00:00:00+00:00",
    "Allows existing backend storage to be 'managed' by Cinder."
  ],
  [
    "os-vol-mig-status-attr",
    "VolumeMigStatusAttribute",
    "2013-08-08T00:00:00+00:00",
    "Expose migration_status as an attribute of a volume."
  ],
  [
    "os-vol-tenant-attr",
    "VolumeTenantAttribute",
    "2011-11-03T00:00:00+00:00",
    "Expose the internal project_id as an attribute of a volume."
  ],
  ["os-volume-transfer", "VolumeTransfer", "2013-05-29T00:00:00+00:00", "Volume transfer management support."],
  ["os-volume-type-access", "VolumeTypeAccess", "2014-06-26T00:00:00Z", "Volume type access support."],
  ["encryption", "VolumeTypeEncryption", "2013-07-01T00:00:00+00:00", "Encryption support for volume types."],
  ["os-volume-unmanage", "VolumeUnmanage", "2012-05-31T00:00:00+00:00", "Enable volume unmanage operation."]
] as const

const extensions = table.map(([alias, name, updated, description]) => ({
  name,
  alias,
  description,
  updated,
  links: []
}))

/** What had been an extension of the API, for clients that look before they call. */
export const extensionRoutes: Routes = {
  "GET /v3/:project/extensions": volumeRoute(() => json(200, { extensions })),
  "GET /v3/:project/extensions/:alias": volumeRoute(({ params }) => {
    const extension = extensions.find((_) => _.alias === params["alias"])
    return extension === undefined ? notFound("The resource could not be found.") : json(200, { extension })
  })
}
