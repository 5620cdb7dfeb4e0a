# What people do with openstacksdk, a step after the other. Prints the outcome of each as JSON. The log-in comes from the
# variables that openstacksdk reads, ZONE is a zone's name, IMAGE and FLAVOR name what servers are made of.
import json

# A module's steps run as it is imported: this is their order.
import networks
import storage
import servers
import zones
import balancers
import keys
import removal
from stage import outcomes

print(json.dumps(outcomes))
