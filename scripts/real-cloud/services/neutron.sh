# Neutron: the real server with ML2/openvswitch and the L3 plugin, no agents.
# One row in the agents table stands for a living L2 agent, so that the ports of
# servers get bound. Nothing plugs them: they keep the status DOWN.

NEEDS[neutron]="keystone rabbitmq"
PACKAGES[neutron]="neutron-common"
URL[neutron]="http://$HOST:${PORT[neutron]}"
LISTENS[neutron]="neutron:tcp:${PORT[neutron]}"
CATALOG[neutron]="network=${URL[neutron]}"

neutron_setup() {
  local etc=$STATE/etc/neutron tell_nova=false; mkdir -p "$etc"
  if has nova; then tell_nova=true; fi
  { common_conf neutron; cat <<END
[DEFAULT]
bind_host = $HOST
bind_port = ${PORT[neutron]}
api_paste_config = /usr/share/neutron-common/api-paste.ini
core_plugin = ml2
service_plugins = router,qos,trunk,port_forwarding,network_ip_availability
api_workers = 0
rpc_workers = 1
rpc_state_report_workers = 0
notify_nova_on_port_status_changes = $tell_nova
notify_nova_on_port_data_changes = $tell_nova
[ml2]
type_drivers = flat,vlan,vxlan
tenant_network_types = vxlan
mechanism_drivers = openvswitch
extension_drivers = port_security,qos
[ml2_type_flat]
flat_networks = public
[ml2_type_vlan]
network_vlan_ranges = public:100:199
[ml2_type_vxlan]
vni_ranges = 1:100000
$(auth_block nova nova)
$(auth_block placement neutron)
END
  } >"$etc/neutron.conf"
  once neutron || return 0
  make_db neutron neutron
  neutron-db-manage --config-file "$etc/neutron.conf" upgrade heads
  sql neutron <<END
INSERT IGNORE INTO agents (id, agent_type, \`binary\`, topic, host, admin_state_up,
    created_at, started_at, heartbeat_timestamp, configurations, \`load\`)
  VALUES (UUID(), 'Open vSwitch agent', 'neutron-openvswitch-agent', 'N/A', 'compute-1', 1,
    NOW(), NOW(), '2099-01-01', '{"bridge_mappings": {"public": "br-ex"},
    "tunnel_types": ["vxlan"], "tunneling_ip": "$HOST", "datapath_type": "system",
    "ovs_hybrid_plug": false, "vhostuser_socket_dir": "/tmp"}', 0);
END
  mark neutron
}

neutron_start() { start neutron neutron-server --config-file "$STATE/etc/neutron/neutron.conf"; }
