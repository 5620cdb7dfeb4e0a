"""Zones and their records."""

import openstack

from stage import cloud, polled, step, zone_name

dns = cloud.dns


@step("a zone")
def _():
    return dns.create_zone(name=zone_name, email="a@b.example").name == zone_name


@step("zones by pages")
def _():
    return len(list(dns.zones(limit=1)))


@step("a zone is found")
def _():
    return dns.find_zone(zone_name).name == zone_name


@step("recordsets by pages")
def _():
    zone = dns.find_zone(zone_name)
    for n, text in enumerate(["hé", "x", "x", "x"]):
        dns.create_recordset(zone, name=f"r{n}.{zone_name}", type="TXT", records=[f'"{text}"'])
    return sorted(_.name.removesuffix(zone_name) for _ in dns.recordsets(zone, limit=2))


@step("a zone is exported")
def _():
    return dns.post(f"/zones/{dns.find_zone(zone_name).id}/tasks/export").status_code


@step("a zone is imported")
def _():
    name = f"imported.{zone_name}"
    lines = [f"$ORIGIN {name}", "$TTL 300", f"{name} 300 IN SOA ns. a.b. 1 2 3 4 5", f"{name} 300 IN NS ns.example."]
    headers = {"Content-Type": "text/dns"}
    answer = dns.post("/zones/tasks/imports", data="\n".join(lines) + "\n", headers=headers)
    openstack.exceptions.raise_from_response(answer)
    imported = next(_ for _ in polled(lambda: dns.find_zone(name)) if _ is not None)
    dns.delete_zone(imported)
    next(_ for _ in polled(lambda: dns.find_zone(name)) if _ is None)
    return answer.status_code
