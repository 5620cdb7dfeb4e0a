# Follows the block of docs/tenants/clients.md, which makes `core`.
import json
import time

from kubernetes import dynamic, watch
from kubernetes.client.rest import ApiException
from kubernetes.stream import stream

told = {}


def refusal(call, *arguments):
    try:
        call(*arguments)
    except ApiException as error:
        return [error.status, json.loads(error.body)["message"]]


def config_map(name, **data):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name), data=data)


core.create_namespaced_config_map(namespace, config_map("settings", color="green"))
core.patch_namespaced_config_map("settings", namespace, {"data": {"color": "red"}})
told["patched"] = core.read_namespaced_config_map("settings", namespace).data

since = core.list_namespaced_config_map(namespace).metadata.resource_version
core.create_namespaced_config_map(namespace, config_map("seen"))
events = watch.Watch().stream(
    core.list_namespaced_config_map, namespace, resource_version=since, timeout_seconds=10
)
told["watched"] = next([_["type"], _["object"].metadata.name] for _ in events)

apps = client.AppsV1Api(core.api_client)
labels = {"app": "front"}
container = client.V1Container(name="main", image="nginx")
template = client.V1PodTemplateSpec(
    metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
)
spec = client.V1DeploymentSpec(selector=client.V1LabelSelector(match_labels=labels), template=template)
apps.create_namespaced_deployment(
    namespace, client.V1Deployment(metadata=client.V1ObjectMeta(name="front"), spec=spec)
)
apps.patch_namespaced_deployment_scale("front", namespace, {"spec": {"replicas": 2}})
told["scaled"] = apps.read_namespaced_deployment("front", namespace).spec.replicas

pod = client.V1Pod(metadata=client.V1ObjectMeta(name="shell"), spec=client.V1PodSpec(containers=[container]))
core.create_namespaced_pod(namespace, pod)
while core.read_namespaced_pod("shell", namespace).status.phase != "Running":
    time.sleep(0.2)
told["executed"] = stream(
    core.connect_get_namespaced_pod_exec, "shell", namespace, command=["echo", "hi"], stdout=True, stderr=True
)
told["logged"] = core.read_namespaced_pod_log("shell", namespace, _preload_content=False).status

# Reads the discovery of all groups.
anything = dynamic.DynamicClient(core.api_client)
maps = anything.resources.get(api_version="v1", kind="ConfigMap")
told["dynamic"] = maps.get(name="settings", namespace=namespace).data.color

told["everywhere"] = refusal(core.list_config_map_for_all_namespaces)
told["nodes"] = refusal(core.list_node)
reading = client.Configuration()
reading.host = configuration.host
reading.api_key["authorization"] = "Bearer " + os.environ["READER"]
reader = client.CoreV1Api(client.ApiClient(reading))
told["reader"] = refusal(reader.create_namespaced_config_map, namespace, config_map("x"))

core.delete_namespaced_config_map("seen", namespace)
told["left"] = [_.metadata.name for _ in core.list_namespaced_config_map(namespace).items]

print(json.dumps(told))
