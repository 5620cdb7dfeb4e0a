import { stringAt } from "../Json.ts"
import { type Server, serverDelay } from "./state.ts"

/** What a small Linux writes to its serial console, and how many milliseconds after power-on. */
const boot: ReadonlyArray<readonly [after: number, text: (server: Server) => string]> = [
  [0, () => "Linux version 6.8.0-60-generic (buildd@lcy02-amd64-052) #63-Ubuntu SMP PREEMPT_DYNAMIC"],
  [
    0,
    () => "Command line: BOOT_IMAGE=/vmlinuz-6.8.0-60-generic root=LABEL=cloudimg-rootfs ro console=tty1 console=ttyS0"
  ],
  [10, () => "DMI: OpenStack Foundation OpenStack Nova, BIOS 1.16.3-debian-1.16.3-2 04/01/2014"],
  [20, () => "Hypervisor detected: KVM"],
  [640, () => "virtio_blk virtio1: [vda] 41943040 512-byte logical blocks (21.5 GB/20.0 GiB)"],
  [910, () => "EXT4-fs (vda1): mounted filesystem ro with ordered data mode"],
  [1480, () => "systemd[1]: Detected virtualization kvm."],
  [1490, ({ name }) => `systemd[1]: Hostname set to <${name}>.`],
  [3200, () => "cloud-init[512]: Cloud-init v. 24.4 running 'init-local'"],
  [4700, () => "cloud-init[601]: Cloud-init v. 24.4 running 'init'"],
  [6900, () => "cloud-init[733]: Cloud-init v. 24.4 running 'modules:config'"],
  [8100, () => "cloud-init[791]: Cloud-init v. 24.4 running 'modules:final'"],
  [8900, () => "cloud-init[791]: Cloud-init v. 24.4 finished. Datasource DataSourceOpenStackLocal [net,ver=2]"]
]

const loginAfter = 9000
const every = 600_000
const most = 1000

const line = (after: number, text: string): string => `[${(after / 1000).toFixed(6).padStart(12)}] ${text}`

/** The lines that the server has written so far: it boots within ten seconds, and then tells of its timers. */
const linesOf = (server: Server, now: number): ReadonlyArray<string> => {
  const up = now - server.created_at - serverDelay
  const booted = boot.filter(([after]) => after <= up).map(([after, text]) => line(after, text(server)))
  if (up < loginAfter) return booted
  const timers = Array.from({ length: Math.min(most, Math.floor(up / every)) }, (_, nth) =>
    line((nth + 1) * every, "systemd[1]: Finished sysstat-collect.service - system activity accounting tool.")
  )
  return [...booted, "", "Ubuntu 24.04 LTS", `${server.name} login: `, ...timers]
}

/**
 * The end of the console's log: as many lines as `length` says, which may be a text; all without it, or with -1. What
 * follows the last line's end counts as one (nova/compute/manager.py, `_tail_log`).
 */
export const consoleLog = (server: Server, now: number, given: { readonly [key: string]: unknown }): string => {
  const asked = Number(stringAt(given, "length") ?? given["length"] ?? -1)
  const pieces = [...linesOf(server, now), ""]
  return (asked < 0 ? pieces : asked === 0 ? [] : pieces.slice(-asked)).join("\n")
}
