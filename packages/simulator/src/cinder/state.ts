/** The duration of every operation that Cinder answers with 202. */
export const volumeDelay = 1000

/** A server that the volume is attached to. */
export interface Attachment {
  readonly id: string
  readonly server_id: string
  readonly device: string
  readonly attached_at: number
  readonly delete_on_termination: boolean
}

/** The pending change of a volume or a snapshot, and when it is done. */
export interface Due {
  readonly at: number
  readonly status: string
  /** The new size of an extend. */
  readonly size?: number
}

/** A resource with a transitional status. */
interface Changing {
  readonly id: string
  status: string
  /** Null before the first update. */
  updated_at: number | null
  due: Due | null
}

export interface Volume extends Changing {
  /** Changes with a transfer. */
  project_id: string
  user_id: string
  name: string | null
  description: string | null
  size: number
  volume_type: string
  readonly availability_zone: string
  bootable: boolean
  readonly snapshot_id: string | null
  readonly source_volid: string | null
  image_id: string | null
  metadata: Readonly<Record<string, string>>
  /** What the service notes of a volume, shown among its metadata: `readonly` and `attached_mode`. Absent for none. */
  admin_metadata?: Readonly<Record<string, string>>
  attachment: Attachment | null
  readonly created_at: number
}

export interface Snapshot extends Changing {
  project_id: string
  user_id: string
  readonly volume_id: string
  name: string | null
  description: string | null
  readonly size: number
  metadata: Readonly<Record<string, string>>
  readonly created_at: number
}

export interface Backup extends Changing {
  readonly project_id: string
  readonly user_id: string
  readonly volume_id: string
  readonly snapshot_id: string | null
  readonly name: string | null
  readonly description: string | null
  readonly container: string
  readonly is_incremental: boolean
  readonly size: number
  readonly created_at: number
}

/** A volume that is offered to the holder of the key. */
export interface Transfer {
  readonly id: string
  readonly project_id: string
  readonly volume_id: string
  readonly name: string | null
  status: string
  readonly auth_key: string
  readonly created_at: number
}

export interface VolumeType {
  readonly id: string
  readonly name: string
}

export interface CinderState {
  readonly volumes: Record<string, Volume>
  readonly snapshots: Record<string, Snapshot>
  readonly backups: Record<string, Backup>
  readonly transfers: Record<string, Transfer>
  readonly types: Record<string, VolumeType>
  /** The quotas that an administrator has set, by project; a missing key means the default. */
  readonly quotas: Record<string, Readonly<Record<string, number>>>
}

const defaultType = { id: "70000000-0000-4000-8000-000000000001", name: "__DEFAULT__" }

export const cinder = (): CinderState => ({
  volumes: {},
  snapshots: {},
  backups: {},
  transfers: {},
  types: { [defaultType.id]: defaultType },
  quotas: {}
})

/** Applies every change that is due; a volume whose change is "deleted" is removed. */
export const settleCinder = (state: CinderState, now: number): void => {
  settleAll(state.snapshots, now)
  settleAll(state.backups, now)
  settleAll(state.volumes, now, (volume, due) => {
    if (due.status === "available") volume.attachment = null
    volume.size = due.size ?? volume.size
  })
}

const settleAll = <Thing extends Changing>(
  things: Record<string, Thing>,
  now: number,
  change: (thing: Thing, due: Due) => void = () => {}
): void => {
  for (const thing of Object.values(things)) {
    const { due } = thing
    if (due === null || due.at > now) continue
    if (due.status === "deleted") delete things[thing.id]
    change(thing, due)
    thing.status = due.status
    thing.updated_at = due.at
    thing.due = null
  }
}
