# Follows the block of docs/tenants/clients.md, which makes `web`.

resource "openstack_networking_router_v2" "inner" {
  name = "inner"
}

resource "openstack_networking_subnet_v2" "inner" {
  name       = "inner"
  network_id = openstack_networking_network_v2.web.id
  cidr       = "192.168.41.0/24"
  no_gateway = true
}

resource "openstack_compute_servergroup_v2" "spread" {
  name     = "spread"
  policies = ["soft-anti-affinity"]
}

resource "openstack_lb_loadbalancer_v2" "web" {
  name          = "web"
  vip_subnet_id = openstack_networking_subnet_v2.web.id
}

resource "openstack_lb_listener_v2" "web" {
  name            = "web"
  loadbalancer_id = openstack_lb_loadbalancer_v2.web.id
  protocol        = "TCP"
  protocol_port   = 443
}

resource "openstack_lb_pool_v2" "web" {
  name        = "web"
  listener_id = openstack_lb_listener_v2.web.id
  protocol    = "TCP"
  lb_method   = "ROUND_ROBIN"
}

resource "openstack_lb_member_v2" "web" {
  pool_id       = openstack_lb_pool_v2.web.id
  address       = openstack_compute_instance_v2.web.access_ip_v4
  protocol_port = 443
}
