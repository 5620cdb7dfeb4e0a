import { Effect } from "effect"
import { stringify } from "yaml"
import type { Login, Project } from "../projects.ts"
import { type Seen, seenBy } from "../seen.ts"

/** Tempest's settings for a tenant's tests, by section. Those for guests are off: nothing boots, and nothing is reached over SSH. */
const sections = ({ authUrl, byApplicationCredential, folder, patience }: Where, seen: Seen) => ({
  DEFAULT: { log_dir: `${folder}/logs`, log_file: "tempest.log", debug: true },
  oslo_concurrency: { lock_path: `${folder}/locks` },
  portico: { application_credentials: byApplicationCredential },
  auth: {
    use_dynamic_credentials: false,
    test_accounts_file: `${folder}/accounts.yaml`,
    tempest_roles: "member",
    default_credentials_domain_name: "Default",
    create_isolated_networks: false
  },
  identity: {
    uri: authUrl,
    uri_v3: authUrl,
    auth_version: "v3",
    region: "RegionOne",
    default_domain_id: "default"
  },
  "identity-feature-enabled": { api_v2: false, api_v3: true, project_tags: true, application_credentials: false },
  compute: {
    image_ref: seen.images[0],
    image_ref_alt: seen.images[1] ?? seen.images[0],
    flavor_ref: seen.flavors[0],
    flavor_ref_alt: seen.flavors[1] ?? seen.flavors[0],
    min_microversion: "2.1",
    max_microversion: "2.93",
    build_timeout: patience,
    build_interval: 1,
    min_compute_nodes: 1
  },
  "compute-feature-enabled": {
    resize: true,
    pause: true,
    shelve: true,
    suspend: true,
    cold_migration: false,
    live_migration: false,
    vnc_console: false,
    console_output: true,
    rescue: true,
    stable_rescue: false,
    interface_attach: true,
    snapshot: true,
    attach_encrypted_volume: false,
    metadata_service: false,
    personality: false,
    swap_volume: false,
    change_password: true,
    volume_multiattach: false,
    config_drive: true,
    unified_limits: false,
    hostname_fqdn_sanitization: true
  },
  network: {
    public_network_id: seen.external.id,
    project_network_cidr: "10.100.0.0/16",
    default_network: "10.101.0.0/16",
    project_networks_reachable: false,
    build_timeout: patience
  },
  "network-feature-enabled": { api_extensions: seen.extensions.join(","), ipv6: true },
  neutron_plugin_options: { available_type_drivers: "local", agent_availability_zone: "nova" },
  image: {
    http_image: "http://127.0.0.1:1/none",
    container_formats: "bare,ami,ari,aki,ovf,ova",
    disk_formats: "qcow2,raw,vhd,iso",
    build_timeout: patience
  },
  "image-feature-enabled": { import_image: true, os_glance_reserved: true },
  validation: { run_validation: false },
  service_available: {
    cinder: true,
    neutron: true,
    glance: true,
    nova: true,
    swift: false,
    designate: true,
    barbican: true,
    load_balancer: true
  },
  volume: {
    catalog_type: "volumev3",
    min_microversion: "3.0",
    max_microversion: "3.70",
    storage_protocol: "ceph",
    build_timeout: patience,
    build_interval: 1
  },
  "volume-feature-enabled": {
    backup: false,
    snapshot: true,
    clone: true,
    manage_snapshot: false,
    manage_volume: false,
    extend_attached_volume: false,
    multi_backend: false,
    volume_revert: false,
    consistency_group: false,
    extend_with_snapshot: true
  },
  load_balancer: {
    test_with_noop: true,
    build_interval: 1,
    check_interval: 1,
    lb_build_interval: 1,
    provider: "octavia",
    enabled_provider_drivers: "octavia:The Octavia driver.",
    RBAC_test_type: "none",
    log_user_roles: false,
    member_role: "load-balancer_member",
    admin_role: "admin"
  },
  dns: { nameservers: "127.0.0.1:1", build_timeout: patience, build_interval: 1, min_ttl: 1 },
  dns_feature_enabled: {
    api_v2: true,
    api_admin: true,
    api_v2_root_recordsets: true,
    api_v2_quotas: true,
    api_v2_quotas_verify_project: true,
    bug_1573141_fixed: true,
    bug_1932026_fixed: true
  },
  barbican_tempest: { enable_multiple_secret_stores: false },
  barbican_rbac_scope_verification: { enforce_scope: false }
})

/** Where Tempest logs in, and its folder. */
interface Where {
  readonly authUrl: string
  readonly folder: string
  readonly byApplicationCredential: boolean
  /** How long a test waits for a state, in seconds. */
  readonly patience: number
}

/** The text of `tempest.conf`. */
export const settingsFor = Effect.fnUntraced(function* (where: Where, project: Project) {
  return Object.entries(sections(where, yield* seenBy(project)))
    .map(([section, values]) => {
      const lines = Object.entries(values).map(([name, value]) => `${name} = ${value}`)
      return `[${section}]\n${lines.join("\n")}\n`
    })
    .join("\n")
})

/** One who may log in, for `accounts.yaml`. */
export interface Account {
  readonly project: Project
  readonly login: Login
  readonly roles: ReadonlyArray<string>
}

/** The text of `accounts.yaml`, from which each worker takes accounts that no other has. */
export const accountsText = (accounts: ReadonlyArray<Account>): string =>
  stringify(
    accounts.map(({ login, project, roles }) => ({
      ...login,
      project_name: project.name,
      user_domain_name: "Default",
      project_domain_name: "Default",
      roles,
      resources: { network: `${project.name}-net` }
    }))
  )
