/** How long Cinder takes over anything that it answers with 202. */
export const volumeDelay = 1000

/** A server that holds a volume. */
export interface Attachment {
  readonly id: string
  readonly server_id: string
  readonly device: string
  readonly attached_at: number
  readonly delete_on_termination: boolean
}

/** What a volume or a snapshot becomes, and when. */
export interface Due {
  readonly at: number
  readonly status: string
  /** The size it then has, when it grows. */
  readonly size?: number
}

export interface Volume {
  readonly id: string
  /** Changes when the volume changes hands. */
  project_id: string
  user_id: string
  name: string | null
  description: string | null
  size: number
  status: string
  volume_type: string
  readonly availability_zone: string
  bootable: boolean
  readonly snapshot_id: string | null
  readonly source_volid: string | null
  image_id: string | null
  metadata: Readonly<Record<string, string>>
  attachment: Attachment | null
  readonly created_at: number
  /** Null until something happens to it. */
  updated_at: number | null
  due: Due | null
}

export interface Snapshot {
  readonly id: string
  project_id: string
  user_id: string
  readonly volume_id: string
  name: string | null
  description: string | null
  readonly size: number
  status: string
  metadata: Readonly<Record<string, string>>
  readonly created_at: number
  /** Null until something happens to it. */
  updated_at: number | null
  due: Due | null
}

export interface Backup {
  readonly id: string
  readonly project_id: string
  readonly user_id: string
  readonly volume_id: string
  readonly snapshot_id: string | null
  readonly name: string | null
  readonly description: string | null
  readonly container: string
  readonly is_incremental: boolean
  readonly size: number
  status: string
  readonly created_at: number
  /** Null until something happens to it. */
  updated_at: number | null
  due: Due | null
}

/** A volume that waits for who has the key. */
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
  /** The limits that an administrator has set, by project; what is not in here is the default. */
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

/** Carries out everything that is due by now; a volume whose change is "deleted" is gone. */
export const settleCinder = (state: CinderState, now: number): void => {
  for (const snapshot of Object.values(state.snapshots)) {
    if (snapshot.due === null || snapshot.due.at > now) continue
    if (snapshot.due.status === "deleted") delete state.snapshots[snapshot.id]
    snapshot.status = snapshot.due.status
    snapshot.updated_at = snapshot.due.at
    snapshot.due = null
  }
  for (const backup of Object.values(state.backups)) {
    if (backup.due === null || backup.due.at > now) continue
    if (backup.due.status === "deleted") delete state.backups[backup.id]
    backup.status = backup.due.status
    backup.updated_at = backup.due.at
    backup.due = null
  }
  for (const volume of Object.values(state.volumes)) {
    if (volume.due === null || volume.due.at > now) continue
    if (volume.due.status === "deleted") delete state.volumes[volume.id]
    if (volume.due.status === "available") volume.attachment = null
    volume.status = volume.due.status
    volume.size = volume.due.size ?? volume.size
    volume.updated_at = volume.due.at
    volume.due = null
  }
}
