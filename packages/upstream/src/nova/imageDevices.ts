/**
 * With these properties an image brings block devices to the servers that are made from it (nova/image/glance.py parses
 * them, nova/compute/api.py takes them, `_get_image_defined_bdms`). They may name any volume of the server's project,
 * and have it deleted with the server. Nova writes them itself, past the gateway, into the image of a server that boots
 * from a volume.
 */
export const imageDevices = ["bdm_v2", "block_device_mapping", "mappings"] as const
