import type { IaasService } from "@portico/contract/IaasServices"

/**
 * What the references of the platform's services document that carries a body,
 * and what each does, decided by reading them and not the gateway: the API
 * references of compute, block storage, networking, images, DNS, load balancers
 * and keys, and the routes of their sources that the references leave out. `*`
 * is one segment; a third word is the key of the body that names the act.
 *
 * - `operates`: nothing is gone afterwards.
 * - `destroys`: what held data or served is gone, or another project's.
 * - `never`: no tenant has a use for it.
 * - `depends`: the rest of the call decides; stories and comparisons of their own say how.
 */
export const documented: Readonly<
  Record<Exclude<IaasService, "identity">, Readonly<Record<"operates" | "destroys" | "never" | "depends", string>>>
> = {
  compute: {
    operates: `
      POST images/*/metadata
      PUT images/*/metadata
      PUT images/*/metadata/*
      POST os-certificates
      PUT os-floating-ip-dns/*
      PUT os-floating-ip-dns/*/entries/*
      POST os-floating-ips
      POST os-keypairs
      POST os-networks
      POST os-security-group-default-rules
      POST os-security-groups
      PUT os-security-groups/*
      POST os-server-groups
      POST os-snapshots
      POST os-tenant-networks
      POST os-volumes
      PUT os-volumes_boot/*
      PUT servers/*
      POST servers/*/consoles
      POST servers/*/metadata
      PUT servers/*/metadata
      PUT servers/*/metadata/*
      POST servers/*/os-interface
      POST servers/*/os-volume_attachments
      POST servers/*/remote-consoles
      POST servers/*/shares
      PUT servers/*/tags
      PUT servers/*/tags/*
      POST servers/*/action os-start
      POST servers/*/action os-stop
      POST servers/*/action reboot
      POST servers/*/action pause
      POST servers/*/action unpause
      POST servers/*/action suspend
      POST servers/*/action resume
      POST servers/*/action shelve
      POST servers/*/action shelveOffload
      POST servers/*/action unshelve
      POST servers/*/action rescue
      POST servers/*/action unrescue
      POST servers/*/action resize
      POST servers/*/action confirmResize
      POST servers/*/action restore
      POST servers/*/action createImage
      POST servers/*/action lock
      POST servers/*/action unlock
      POST servers/*/action changePassword
      POST servers/*/action trigger_crash_dump
      POST servers/*/action os-getConsoleOutput
      POST servers/*/action os-getVNCConsole
      POST servers/*/action os-getSPICEConsole
      POST servers/*/action os-getRDPConsole
      POST servers/*/action os-getSerialConsole
      POST servers/*/action addFloatingIp
      POST servers/*/action removeFloatingIp
      POST servers/*/action addFixedIp
      POST servers/*/action removeFixedIp
      POST servers/*/action addSecurityGroup
      POST servers/*/action removeSecurityGroup
      POST os-volumes_boot/*/action os-start
      POST os-volumes_boot/*/action os-stop
      POST os-volumes_boot/*/action reboot
      POST os-volumes_boot/*/action resize
      POST os-volumes_boot/*/action confirmResize
      POST os-volumes_boot/*/action createImage
      POST os-volumes_boot/*/action trigger_crash_dump
    `,
    destroys: `
      POST servers/*/action forceDelete
      POST servers/*/action rebuild
      POST servers/*/action revertResize
      POST servers/*/action createBackup
      POST os-volumes_boot/*/action rebuild
      POST os-volumes_boot/*/action revertResize
    `,
    never: `
      POST os-cloudpipe
      PUT os-cloudpipe/configure-project
      POST os-fixed-ips/*/action
      POST os-floating-ips-bulk
      PUT os-floating-ips-bulk/delete
      POST os-networks/*/action
      POST os-networks/add
      POST flavors
      PUT flavors/*
      POST flavors/*/action
      POST flavors/*/os-extra_specs
      PUT flavors/*/os-extra_specs/*
      POST os-agents
      PUT os-agents/*
      POST os-aggregates
      PUT os-aggregates/*
      POST os-aggregates/*/action
      POST os-aggregates/*/images
      POST os-assisted-volume-snapshots
      POST os-cells
      PUT os-cells/*
      PUT os-hosts/*
      PUT os-quota-class-sets/*
      PUT os-quota-sets/*
      POST os-server-external-events
      PUT os-services/*
      PUT os-services/disable
      PUT os-services/disable-log-reason
      PUT os-services/enable
      PUT os-services/force-down
      POST servers/*/migrations/*/action
      POST servers/*/action os-resetState
      POST servers/*/action migrate
      POST servers/*/action os-migrateLive
      POST servers/*/action evacuate
      POST servers/*/action injectNetworkInfo
      POST servers/*/action resetNetwork
    `,
    depends: `
      POST os-security-group-rules
      POST os-volumes_boot
      POST servers
      PUT servers/*/os-volume_attachments/*
    `
  },
  volume: {
    operates: `
      POST backups
      PUT backups/*
      POST cgsnapshots
      POST consistencygroups
      PUT consistencygroups/*/update
      POST consistencygroups/create_from_src
      POST group_snapshots
      POST groups
      PUT groups/*
      POST os-volume-transfer/*/accept
      POST snapshots
      PUT snapshots/*
      POST snapshots/*/metadata
      PUT snapshots/*/metadata
      PUT snapshots/*/metadata/*
      POST volume-transfers/*/accept
      POST volumes
      PUT volumes/*
      POST volumes/*/metadata
      PUT volumes/*/metadata
      PUT volumes/*/metadata/*
      POST volumes/*/action os-extend
      POST volumes/*/action os-retype
      POST volumes/*/action os-set_bootable
      POST volumes/*/action os-update_readonly_flag
      POST volumes/*/action os-volume_upload_image
      POST volumes/*/action os-set_image_metadata
      POST volumes/*/action os-unset_image_metadata
      POST volumes/*/action os-show_image_metadata
      POST groups/*/action enable_replication
      POST groups/*/action disable_replication
      POST groups/*/action list_replication_targets
      POST groups/action create-from-src
    `,
    destroys: `
      POST consistencygroups/*/delete
      POST os-volume-transfer
      POST volume-transfers
      POST volumes/*/action os-force_delete
      POST volumes/*/action revert
      POST volumes/*/action os-reimage
      POST snapshots/*/action os-force_delete
      POST backups/*/action os-force_delete
      POST groups/*/action delete
      POST groups/*/action failover_replication
    `,
    never: `
      PUT os-quota-class-sets/*
      PUT os-quota-sets/*
      POST attachments
      PUT attachments/*
      POST backups/import_record
      PUT clusters/disable
      PUT clusters/enable
      PUT default-types/*
      POST group_types
      PUT group_types/*
      POST group_types/*/group_specs
      POST manageable_snapshots
      POST manageable_volumes
      PUT os-hosts/*
      PUT os-services/disable
      PUT os-services/disable-log-reason
      PUT os-services/enable
      PUT os-services/failover_host
      PUT os-services/freeze
      PUT os-services/get-log
      PUT os-services/set-log
      PUT os-services/thaw
      POST os-snapshot-manage
      POST os-volume-manage
      POST qos-specs
      PUT qos-specs/*
      PUT qos-specs/*/delete_keys
      POST types
      PUT types/*
      POST types/*/encryption
      POST types/*/extra_specs
      PUT types/*/extra_specs/*
      POST workers/cleanup
      POST volumes/*/action os-attach
      POST volumes/*/action os-detach
      POST volumes/*/action os-reserve
      POST volumes/*/action os-unreserve
      POST volumes/*/action os-begin_detaching
      POST volumes/*/action os-roll_detaching
      POST volumes/*/action os-initialize_connection
      POST volumes/*/action os-terminate_connection
      POST volumes/*/action os-force_detach
      POST volumes/*/action os-reset_status
      POST volumes/*/action os-migrate_volume
      POST volumes/*/action os-migrate_volume_completion
      POST volumes/*/action os-extend_volume_completion
      POST volumes/*/action os-unmanage
      POST snapshots/*/action os-reset_status
      POST snapshots/*/action os-update_snapshot_status
      POST snapshots/*/action os-unmanage
      POST backups/*/action os-reset_status
      POST groups/*/action reset_status
      POST group_snapshots/*/action reset_status
      POST attachments/*/action os-complete
      POST types/*/action addProjectAccess
      POST types/*/action removeProjectAccess
    `,
    depends: `
      POST backups/*/restore
    `
  },
  network: {
    operates: `
      PUT address-groups/*/remove_addresses
      POST address-scopes
      PUT address-scopes/*
      POST bgpvpn/bgpvpns
      PUT bgpvpn/bgpvpns/*
      POST bgpvpn/bgpvpns/*/network_associations
      POST bgpvpn/bgpvpns/*/port_associations
      PUT bgpvpn/bgpvpns/*/port_associations/*
      POST bgpvpn/bgpvpns/*/router_associations
      PUT bgpvpn/bgpvpns/*/router_associations/*
      POST floatingips
      PUT floatingips/*
      POST floatingips/*/port_forwardings
      PUT floatingips/*/port_forwardings/*
      POST fwaas/firewall_groups
      PUT fwaas/firewall_groups/*
      POST fwaas/firewall_policies
      PUT fwaas/firewall_policies/*
      PUT fwaas/firewall_policies/*/insert_rule
      PUT fwaas/firewall_policies/*/remove_rule
      POST fwaas/firewall_rules
      PUT fwaas/firewall_rules/*
      POST local_ips
      PUT local_ips/*
      POST local_ips/*/port_associations
      POST log/logs
      PUT log/logs/*
      POST metering/metering-label-rules
      POST metering/metering-labels
      POST ndp_proxies
      PUT ndp_proxies/*
      POST networks
      PUT networks/*
      POST networks/*/tags
      PUT networks/*/tags
      PUT networks/*/tags/*
      PUT qos/alias_bandwidth_limit_rules/*
      PUT qos/alias_dscp_marking_rules/*
      PUT qos/alias_minimum_bandwidth_rules/*
      PUT qos/alias_minimum_packet_rate_rules/*
      POST qos/policies
      PUT qos/policies/*
      POST qos/policies/*/bandwidth_limit_rules
      PUT qos/policies/*/bandwidth_limit_rules/*
      POST qos/policies/*/dscp_marking_rules
      PUT qos/policies/*/dscp_marking_rules/*
      POST qos/policies/*/minimum_bandwidth_rules
      PUT qos/policies/*/minimum_bandwidth_rules/*
      POST qos/policies/*/minimum_packet_rate_rules
      PUT qos/policies/*/minimum_packet_rate_rules/*
      POST qos/policies/*/packet_rate_limit_rules
      PUT qos/policies/*/packet_rate_limit_rules/*
      PUT routers/*/add_extraroutes
      PUT routers/*/add_router_interface
      POST routers/*/conntrack_helpers
      PUT routers/*/conntrack_helpers/*
      PUT routers/*/remove_extraroutes
      PUT routers/*/remove_router_interface
      POST security-groups
      POST security-groups-default-statefulness
      PUT security-groups-default-statefulness/*
      PUT security-group-rules/*
      PUT security-groups/*
      POST sfc/flow_classifiers
      PUT sfc/flow_classifiers/*
      POST sfc/port_chains
      PUT sfc/port_chains/*
      POST sfc/port_pair_groups
      PUT sfc/port_pair_groups/*
      POST sfc/port_pairs
      PUT sfc/port_pairs/*
      POST sfc/service_graphs
      PUT sfc/service_graphs/*
      POST subnetpools
      PUT subnetpools/*
      PUT subnetpools/*/add_prefixes
      PUT subnetpools/*/onboard_network_subnets
      PUT subnetpools/*/remove_prefixes
      POST subnets
      PUT subnets/*
      POST taas/tap_flows
      PUT taas/tap_flows/*
      POST taas/tap_mirrors
      PUT taas/tap_mirrors/*
      POST taas/tap_services
      PUT taas/tap_services/*
      POST trunks
      PUT trunks/*
      PUT trunks/*/add_subports
      PUT trunks/*/remove_subports
      POST vpn/endpoint-groups
      PUT vpn/endpoint-groups/*
      POST vpn/ikepolicies
      PUT vpn/ikepolicies/*
      POST vpn/ipsec-site-connections
      PUT vpn/ipsec-site-connections/*
      POST vpn/ipsecpolicies
      PUT vpn/ipsecpolicies/*
      POST vpn/vpnservices
      PUT vpn/vpnservices/*
    `,
    destroys: `
    `,
    never: `
      PUT agents/*
      POST agents/*/bgp-drinstances
      POST agents/*/dhcp-networks
      POST agents/*/l3-routers
      POST bgp-peers
      PUT bgp-peers/*
      POST bgp-speakers
      PUT bgp-speakers/*
      PUT bgp-speakers/*/add_bgp_peer
      PUT bgp-speakers/*/add_gateway_network
      PUT bgp-speakers/*/remove_bgp_peer
      PUT bgp-speakers/*/remove_gateway_network
      POST rbac-policies
      PUT rbac-policies/*
      POST flavors
      PUT flavors/*
      POST flavors/*/service_profiles
      POST network_segment_ranges
      PUT network_segment_ranges/*
      POST ports/*/bindings
      PUT ports/*/bindings/*/activate
      PUT quotas/*
      POST segments
      PUT segments/*
      POST service_profiles
      PUT service_profiles/*
    `,
    depends: `
      POST address-groups
      PUT address-groups/*
      PUT address-groups/*/add_addresses
      POST default-security-group-rules
      POST ports
      PUT ports/*
      POST routers
      PUT routers/*
      PUT routers/*/add_external_gateways
      PUT routers/*/remove_external_gateways
      PUT routers/*/update_external_gateways
      POST security-group-rules
    `
  },
  image: {
    operates: `
      POST images/*/actions/deactivate
      POST images/*/actions/reactivate
      PUT images/*/file
      POST images/*/members
      PUT images/*/members/*
      PUT images/*/stage
      PUT images/*/tags/*
    `,
    destroys: `
    `,
    never: `
      PUT cache/*
      POST cache/clean
      POST cache/prune
      POST metadefs/namespaces
      PUT metadefs/namespaces/*
      POST metadefs/namespaces/*/objects
      PUT metadefs/namespaces/*/objects/*
      POST metadefs/namespaces/*/properties
      PUT metadefs/namespaces/*/properties/*
      POST metadefs/namespaces/*/resource_types
      POST metadefs/namespaces/*/tags
      POST metadefs/namespaces/*/tags/*
      PUT metadefs/namespaces/*/tags/*
      PUT queued_images/*
      POST tasks
    `,
    depends: `
      POST images
      PATCH images/*
      POST images/*/import
      POST images/*/locations
    `
  },
  dns: {
    operates: `
      PATCH reverse/floatingips/*
      PATCH zones/*
      POST zones/*/recordsets
      PUT zones/*/recordsets/*
      POST zones/*/tasks/export
      POST zones/*/tasks/xfr
      POST zones/tasks/transfer_accepts
    `,
    destroys: `
      POST zones/*/tasks/transfer_requests
      PATCH zones/tasks/transfer_requests/*
    `,
    never: `
      POST blacklists
      POST service_statuses
      PATCH blacklists/*
      POST pools
      PATCH pools/*
      PATCH quotas/*
      POST tlds
      PATCH tlds/*
      POST tsigkeys
      PATCH tsigkeys/*
      POST zones/*/shares
      POST zones/*/tasks/abandon
      POST zones/*/tasks/pool_move
    `,
    depends: `
      POST zones
      POST zones/tasks/imports
    `
  },
  "load-balancer": {
    operates: `
      POST lbaas/healthmonitors
      PUT lbaas/healthmonitors/*
      POST lbaas/l7policies
      PUT lbaas/l7policies/*
      POST lbaas/l7policies/*/rules
      PUT lbaas/l7policies/*/rules/*
      POST lbaas/listeners
      PUT lbaas/listeners/*
      POST lbaas/loadbalancers
      PUT lbaas/loadbalancers/*
      POST lbaas/pools
      PUT lbaas/pools/*
      POST lbaas/pools/*/members
      PUT lbaas/pools/*/members/*
    `,
    destroys: `
    `,
    never: `
      POST lbaas/availabilityzoneprofiles
      PUT lbaas/availabilityzoneprofiles/*
      POST lbaas/availabilityzones
      PUT lbaas/availabilityzones/*
      POST lbaas/flavorprofiles
      PUT lbaas/flavorprofiles/*
      POST lbaas/flavors
      PUT lbaas/flavors/*
      PUT lbaas/loadbalancers/*/failover
      PUT lbaas/quotas/*
      PUT octavia/amphorae/*/config
      PUT octavia/amphorae/*/failover
    `,
    depends: `
      PUT lbaas/pools/*/members
    `
  },
  "key-manager": {
    operates: `
      POST v1/containers
      PATCH v1/containers/*/acl
      PUT v1/containers/*/acl
      POST v1/containers/*/consumers
      POST v1/containers/*/secrets
      POST v1/orders
      PUT v1/orders
      POST v1/secrets
      PUT v1/secrets/*
      PATCH v1/secrets/*/acl
      PUT v1/secrets/*/acl
      POST v1/secrets/*/consumers
      POST v1/secrets/*/metadata
      PUT v1/secrets/*/metadata
      PUT v1/secrets/*/metadata/*
    `,
    destroys: `
    `,
    never: `
      PUT v1/project-quotas/*
      POST v1/secret-stores/*/preferred
      POST v1/transport_keys
    `,
    depends: `
    `
  }
}
